import type { Cursor, SourceContext, SourceItem } from '../../../lambda/job';

const silent = (): void => undefined;
const log: SourceContext['log'] = { debug: silent, info: silent, warn: silent, error: silent, with: () => log };

/** What the scanner would hand to a source. */
export function sourceContext(given: Partial<SourceContext> = {}): SourceContext {
  return {
    runId: 'run-1',
    tick: { scheduledTime: '2026-11-29T22:00:00Z' },
    params: {},
    cursor: undefined,
    segment: { index: 0, count: 1 },
    signal: new AbortController().signal,
    log,
    ...given,
  };
}

/** Everything that a source yields. */
export async function itemsOf<R>(items: AsyncIterable<SourceItem<R>>): Promise<SourceItem<R>[]> {
  const all: SourceItem<R>[] = [];
  for await (const item of items) {
    all.push(item);
  }
  return all;
}

/** The records of an item. */
export function recordsIn<R>(item: SourceItem<R>): readonly R[] {
  return 'records' in item ? item.records : [item.record];
}

/** All records that a source yields. */
export async function recordsOf<R>(items: AsyncIterable<SourceItem<R>>): Promise<R[]> {
  return (await itemsOf(items)).flatMap(recordsIn);
}

/** A cursor as it comes back from the ledger. */
export function stored(cursor: Cursor): Cursor {
  return JSON.parse(JSON.stringify(cursor)) as Cursor;
}
