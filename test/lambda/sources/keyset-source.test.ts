import fc from 'fast-check';
import { keysetSource } from '../../../lambda/job';
import type { Cursor } from '../../../lambda/job';
import { itemsOf, recordsOf, sourceContext, stored } from './source-context';

interface Row {
  readonly at: number;
  readonly id: number;
}

const cursorOf = (row: Row): [number, number] => [row.at, row.id];
const after = (row: Row, cursor: readonly [number, number] | undefined): boolean =>
  cursor === undefined || row.at > cursor[0] || (row.at === cursor[0] && row.id > cursor[1]);

/** A table in memory that answers as SQL would. */
function table(rows: readonly Row[]) {
  const sorted = rows.toSorted((a, b) => a.at - b.at || a.id - b.id);
  return (cursor: readonly [number, number] | undefined, limit: number): Row[] =>
    sorted.filter((row) => after(row, cursor)).slice(0, limit);
}

test('a scan that is resumed at any of its cursors goes on with the next row, whatever rows are tied', async () => {
  const rowsArbitrary = fc.uniqueArray(fc.record({ at: fc.integer({ min: 0, max: 3 }), id: fc.nat(50) }), {
    selector: (row) => row.id,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(rowsArbitrary, fc.integer({ min: 1, max: 10 }), fc.nat(29), async (rows, pageSize, place) => {
      const query = table(rows);
      const source = keysetSource({ cursor: cursorOf, query, pageSize });
      const items = await itemsOf(source(sourceContext()));
      expect(items.map((item) => 'record' in item && item.record)).toEqual(query(undefined, rows.length));
      const from = items[place % Math.max(1, items.length)];
      if (from !== undefined) {
        const rest = await itemsOf(source(sourceContext({ cursor: stored(from.cursor) })));
        expect(rest).toEqual(items.slice(items.indexOf(from) + 1));
      }
    }),
    { numRuns: 100 },
  );
});

test.each([
  { rows: 0, pageSize: 3, queries: 1 },
  { rows: 2, pageSize: 3, queries: 1 },
  { rows: 3, pageSize: 3, queries: 2 },
  { rows: 7, pageSize: 3, queries: 3 },
])('$rows rows in pages of $pageSize take $queries queries', async ({ rows, pageSize, queries }) => {
  const query = jest.fn(table(Array.from({ length: rows }, (_, id) => ({ at: 1, id }))));
  expect(await recordsOf(keysetSource({ cursor: cursorOf, query, pageSize })(sourceContext()))).toHaveLength(rows);
  expect(query).toHaveBeenCalledTimes(queries);
  expect(query.mock.calls.every(([, limit]) => limit === pageSize)).toBe(true);
});

test('a page holds 250 rows unless told otherwise', async () => {
  const query = jest.fn<Row[], [number | undefined, number, unknown]>(() => []);
  await recordsOf(keysetSource({ cursor: (row: Row) => row.id, query })(sourceContext()));
  expect(query).toHaveBeenCalledWith(undefined, 250, expect.anything());
});

test.each([0, 1001, 2.5, NaN])('a pageSize of %d is refused', (pageSize) => {
  expect(() => keysetSource({ cursor: cursorOf, query: () => [], pageSize })).toThrow(/InvalidPageSize/);
});

test('the query is given what setup returned, the tick and the parameters', async () => {
  const seen: unknown[] = [];
  const source = keysetSource({
    cursor: (row: Row) => row.id,
    query: (_after, _limit, { db, tick, params }: { db: string; tick: unknown; params: unknown }) => {
      seen.push(db, tick, params);
      return [];
    },
  });
  await recordsOf(source({ ...sourceContext({ params: { org: 'a' } }), db: 'db' }));
  expect(seen).toEqual(['db', { scheduledTime: '2026-11-29T22:00:00Z' }, { org: 'a' }]);
});

test('record makes the record of a row, and a row that it leaves out moves the cursor', async () => {
  const source = keysetSource({
    cursor: (row: Row) => row.id,
    query: (last: number | undefined) => [{ at: 1, id: (last ?? 0) + 1 }].filter(({ id }) => id <= 3),
    record: (row) => (row.id === 2 ? undefined : { name: `row ${row.id}` }),
    pageSize: 1,
  });
  expect(await itemsOf(source(sourceContext()))).toEqual([
    { record: { name: 'row 1' }, cursor: 1 },
    { records: [], cursor: 2 },
    { record: { name: 'row 3' }, cursor: 3 },
  ]);
});

test.each([[null], [''], [{}]])('B46: nothing follows the cursor %j', async (cursor) => {
  const query = jest.fn((): Row[] => [{ at: 1, id: 1 }]);
  const source = keysetSource({ cursor: (row: Row): Cursor => row.id, query, pageSize: 1 });
  expect(await recordsOf(source(sourceContext({ cursor })))).toEqual([]);
  expect(query).not.toHaveBeenCalled();
});

describe('mistakes', () => {
  const scan = (
    query: (after: Cursor | undefined) => readonly Record<string, unknown>[],
    cursor: (row: Record<string, unknown>) => unknown = (row) => row.id,
  ): Promise<unknown> =>
    recordsOf(
      keysetSource({ cursor: (row: Record<string, unknown>) => cursor(row) as Cursor, query, pageSize: 2 })(
        sourceContext(),
      ),
    );

  test('B46: a query that ignores its cursor is found out', async () => {
    await expect(scan(() => [{ id: 1 }, { id: 2 }])).rejects.toMatchObject({
      code: 'QueryDoesNotAdvance',
      message: expect.stringContaining('compare with > instead of >=') as string,
    });
  });

  test('B46: a query that compares with >= is found out', async () => {
    const all = [1, 2, 3, 4, 5].map((id) => ({ id }));
    const query = (from: Cursor | undefined): { id: number }[] =>
      all.filter(({ id }) => id >= Number(from ?? 0)).slice(0, 2);
    await expect(scan(query)).rejects.toMatchObject({ code: 'QueryDoesNotAdvance' });
  });

  test('a cursor that two rows share is found out', async () => {
    await expect(scan(() => [{ id: 1 }, { id: 1 }])).rejects.toMatchObject({ code: 'CursorNotUnique' });
  });

  test('a query without a limit is found out', async () => {
    await expect(scan(() => [{ id: 1 }, { id: 2 }, { id: 3 }])).rejects.toMatchObject({
      code: 'PageTooLong',
      message: expect.stringContaining('3 rows for a limit of 2') as string,
    });
  });

  test.each([
    ['a Date', new Date('2026-01-01T00:00:00.123Z'), /a Date;.*microseconds/],
    ['an invalid Date', new Date(NaN), /a Date that is invalid/],
    ['a Date within', ['a', new Date(0)], /microseconds/],
    ['a bigint', 5n, /String\(value\)/],
    ['NaN', NaN, /finite/],
    ['a number that has lost digits', 2 ** 53, /as text/],
    ['a missing column', undefined, /select every column/],
    ['a missing column within', { at: undefined }, /select every column/],
    ['null', null, /NULL/],
    ['null within', ['2026-01-01', null], /NULL/],
    ['an empty text', '', /InvalidCursor/],
    ['an empty object', {}, /InvalidCursor/],
    ['a Map', new Map([[1, 2]]), /an instance of Map/],
  ])('%s as cursor is refused', async (_name, cursor, message) => {
    await expect(
      scan(
        () => [{ id: 1 }],
        () => cursor,
      ),
    ).rejects.toThrow(message);
    await expect(
      scan(
        () => [{ id: 1 }],
        () => cursor,
      ),
    ).rejects.toMatchObject({ code: 'InvalidCursor' });
  });
});

describe('signal', () => {
  test('an aborted scan asks for nothing', async () => {
    const query = jest.fn((): Row[] => []);
    const source = keysetSource({ cursor: (row: Row) => row.id, query });
    await expect(recordsOf(source(sourceContext({ signal: AbortSignal.abort(new Error('late')) })))).rejects.toThrow(
      'late',
    );
    expect(query).not.toHaveBeenCalled();
  });

  test('an abort between pages ends the scan with the reason, never as if it were complete', async () => {
    const controller = new AbortController();
    const source = keysetSource({
      cursor: (row: Row) => row.id,
      query: (last: number | undefined) => [{ at: 1, id: (last ?? 0) + 1 }],
      pageSize: 1,
    });
    const read: number[] = [];
    const scan = async (): Promise<void> => {
      for await (const item of source(sourceContext({ signal: controller.signal }))) {
        read.push(Number(item.cursor));
        if (read.length === 3) {
          controller.abort(new Error('out of time'));
        }
      }
    };
    await expect(scan()).rejects.toThrow('out of time');
    expect(read).toEqual([1, 2, 3]);
  });

  test('an abort ends the wait for a statement that never ends, and a client that listens can cancel it', async () => {
    const controller = new AbortController();
    let cancelled = 0;
    const source = keysetSource({
      cursor: (row: Row) => row.id,
      query: (_after: number | undefined, _limit, { signal }) =>
        new Promise<Row[]>((_, reject) => {
          signal.addEventListener('abort', () => {
            cancelled++;
            reject(new Error('canceling statement due to user request'));
          });
        }),
    });
    const scan = recordsOf(source(sourceContext({ signal: controller.signal })));
    await Promise.resolve();
    controller.abort(new Error('out of time'));
    await expect(scan).rejects.toThrow(/out of time|canceling statement/);
    expect(cancelled).toBe(1);
  });

  test('a reason that is no Error is wrapped', async () => {
    const controller = new AbortController();
    const source = keysetSource({ cursor: (row: Row) => row.id, query: () => new Promise<Row[]>(() => undefined) });
    const scan = recordsOf(source(sourceContext({ signal: controller.signal })));
    await Promise.resolve();
    controller.abort('text');
    await expect(scan).rejects.toMatchObject({ message: 'the scan was stopped', cause: 'text' });
  });
});
