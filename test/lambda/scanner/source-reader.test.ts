import { SourceReader } from '../../../lambda/scanner/source-reader';
import type { Reading } from '../../../lambda/scanner/source-reader';
import { VirtualClock } from '../../../lambda/simulation/virtual-clock';
import { jobOver } from './fixture';

async function* yielding(items: unknown[]): AsyncGenerator {
  yield* items;
}

function readerOver(items: unknown, cursor?: string, signal = new AbortController().signal): SourceReader {
  return new SourceReader(
    jobOver(() => []),
    items,
    cursor,
    signal,
  );
}

async function readAll(items: unknown[], cursor?: string): Promise<Reading[]> {
  const reader = readerOver(yielding(items), cursor);
  const readings: Reading[] = [];
  for (;;) {
    const reading = await reader.next();
    readings.push(reading);
    if (reading.kind !== 'chunk' || reading.last) {
      return readings;
    }
  }
}

describe('SourceReader', () => {
  it('reads records and chunks, each with the cursor after it', async () => {
    expect(
      await readAll([
        { record: 1, cursor: { at: 1 } },
        { records: [2, 3], cursor: 'c' },
      ]),
    ).toEqual([
      { kind: 'chunk', records: [1], cursor: '{"at":1}', last: false },
      { kind: 'chunk', records: [2, 3], cursor: '"c"', last: false },
      { kind: 'end' },
    ]);
  });

  it.each([[null], [''], [{}]])('B46: ends after an item whose cursor is %j', async (cursor) => {
    const readings = await readAll([
      { record: 1, cursor: 1 },
      { record: 2, cursor },
    ]);
    expect(readings.at(-1)).toMatchObject({ records: [2], last: true });
  });

  it.each([[0], [false], [[]], [' ']])('reads on behind the cursor %j', async (cursor) => {
    expect((await readAll([{ record: 1, cursor }])).at(-1)).toEqual({ kind: 'end' });
  });

  it('B46: fails on the same cursor twice in succession', async () => {
    const items = [1, 2].map((record) => ({ record, cursor: { id: 7 } }));
    await expect(readAll(items)).rejects.toMatchObject({ code: 'RepeatedCursor' });
  });

  it('B46: fails on the cursor that it was started with', async () => {
    await expect(readAll([{ record: 1, cursor: 7 }], '7')).rejects.toMatchObject({ code: 'RepeatedCursor' });
  });

  it.each([
    ['InvalidSourceItem', { cursor: 1 }],
    ['InvalidSourceItem', { record: 1, records: [1], cursor: 1 }],
    ['InvalidSourceItem', 'text'],
    ['InvalidSourceItem', null],
    ['InvalidSourceItem', { records: 'text', cursor: 1 }],
    ['InvalidSourceItem', { records: Array.from({ length: 1001 }), cursor: 1 }],
    ['InvalidCursor', { record: 1 }],
    ['InvalidCursor', { record: 1, cursor: undefined }],
    ['InvalidCursor', { record: 1, cursor: new Date(0) }],
    ['InvalidCursor', { record: 1, cursor: { id: 1n } }],
    ['InvalidCursor', { record: 1, cursor: 'x'.repeat(70_000) }],
  ])('fails with %s on item %#', async (code, item) => {
    await expect(readAll([item])).rejects.toMatchObject({ code });
  });

  it('accepts chunks of 1,000 records, and of none', async () => {
    const readings = await readAll([
      { records: Array.from({ length: 1000 }, () => 1), cursor: 1 },
      { records: [], cursor: 2 },
    ]);
    expect(readings.map((reading) => (reading.kind === 'chunk' ? reading.records.length : reading.kind))).toEqual([
      1000,
      0,
      'end',
    ]);
  });

  it.each([[undefined], [null], [[1]], [Promise.resolve()]])('refuses a source that returns %p', (items) => {
    expect(() => readerOver(items)).toThrow(expect.objectContaining({ code: 'InvalidSource' }) as Error);
  });

  it('stops at once when its signal fires, whatever the source does', async () => {
    const controller = new AbortController();
    const hanging = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) };
    const reader = readerOver(hanging, undefined, controller.signal);
    const reading = reader.next();
    controller.abort();
    expect(await reading).toEqual({ kind: 'stopped' });
    expect(await reader.next()).toEqual({ kind: 'stopped' });
  });

  it('takes an error of the source for a stop once its signal has fired', async () => {
    const controller = new AbortController();
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise((_, reject) => {
            controller.signal.addEventListener('abort', () => {
              reject(new Error('aborted'));
            });
          }),
      }),
    };
    const reading = readerOver(source, undefined, controller.signal).next();
    controller.abort();
    expect(await reading).toEqual({ kind: 'stopped' });
  });

  it('lets the source clean up, and waits no longer than a second for it', async () => {
    const clock = new VirtualClock(0);
    let cleaned = false;
    const source = (async function* () {
      try {
        yield { record: 1, cursor: 1 };
      } finally {
        cleaned = true;
      }
    })();
    const reader = readerOver(source);
    await reader.next();
    await reader.close(clock);
    expect([cleaned, clock.now(), clock.nextTimer()]).toEqual([true, 0, undefined]);

    const stubborn = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: () => new Promise(() => undefined),
      }),
    };
    await clock.run(readerOver(stubborn).close(clock));
    expect(clock.now()).toBe(1000);
  });

  it('does not mind a source that fails while it cleans up', async () => {
    const failing = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: true, value: undefined }),
        return: () => {
          throw new Error('pool is closed');
        },
      }),
    };
    await expect(readerOver(failing).close(new VirtualClock())).resolves.toBeUndefined();
  });
});
