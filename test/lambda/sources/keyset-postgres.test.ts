/**
 * @jest-environment ./test/setup/postgres-environment.ts
 */
import type { PGlite } from '@electric-sql/pglite';
import { keysetSource } from '../../../lambda/job';
import type { Cursor, SourceContext, SourceItem } from '../../../lambda/job';
import { itemsOf, recordsIn, recordsOf, sourceContext, stored } from './source-context';

/** A row as the query selects it: the time as text, since a Date has no microseconds. */
interface DueBooking {
  readonly id: string;
  readonly due_at: string;
}

type Place = readonly [dueAt: string, id: string];
type Source = (context: SourceContext) => AsyncIterable<SourceItem<DueBooking>>;

declare const startPostgres: () => Promise<PGlite>;

let db: PGlite;

beforeAll(async () => {
  db = await startPostgres();
  await db.exec('CREATE TABLE booking (id bigint PRIMARY KEY, due_at timestamptz NOT NULL, reminded_at timestamptz)');
  // Compiling the database takes seconds of CPU time.
}, 60_000);

afterAll(async () => {
  await db.close();
});

beforeEach(async () => {
  await db.exec('TRUNCATE booking');
});

const insert = (id: number, dueAt: string): Promise<unknown> =>
  db.query('INSERT INTO booking (id, due_at) VALUES ($1, $2)', [id, dueAt]);

async function page(after: Place | undefined, limit: number): Promise<DueBooking[]> {
  const { rows } = await db.query<DueBooking>(
    `SELECT id::text AS id, due_at::text AS due_at FROM booking
      WHERE reminded_at IS NULL AND ($1::timestamptz IS NULL OR (due_at, id) > ($1::timestamptz, $2::bigint))
      ORDER BY due_at, booking.id LIMIT $3`,
    [after?.[0] ?? null, after?.[1] ?? null, limit],
  );
  return rows;
}

const source = (pageSize: number): Source =>
  keysetSource({ cursor: (row: DueBooking): Place => [row.due_at, row.id], query: page, pageSize });

const idsOf = (items: readonly { readonly id: string }[]): number[] => items.map(({ id }) => Number(id));

/** Twenty rows at three times, two of which a Date can't tell apart. */
async function insertTiedRows(): Promise<number[]> {
  const times = ['2026-11-29 22:00:00.000001+00', '2026-11-29 22:00:00.000002+00', '2026-11-29 22:00:01+00'];
  for (let id = 1; id <= 20; id++) {
    await insert(id, times[id % 3]!);
  }
  const { rows } = await db.query<{ id: string }>('SELECT id::text AS id FROM booking ORDER BY due_at, booking.id');
  return idsOf(rows);
}

test.each([1, 2, 3, 7, 20, 21])('rows tied on their time are read once each in pages of %d', async (pageSize) => {
  const all = await insertTiedRows();
  expect(idsOf(await recordsOf(source(pageSize)(sourceContext())))).toEqual(all);
});

test('a scan resumes after every one of its cursors', async () => {
  const all = await insertTiedRows();
  const items = await itemsOf(source(4)(sourceContext()));
  for (const [place, { cursor }] of items.entries()) {
    const rest = await recordsOf(source(4)(sourceContext({ cursor: stored(cursor) })));
    expect(idsOf(rest)).toEqual(all.slice(place + 1));
  }
});

test('microseconds are kept, and the Date of a client is refused before it loses a row', async () => {
  await insertTiedRows();
  const asDates = keysetSource({
    cursor: (row: { id: string; due_at: Date }) => [row.due_at, row.id] as unknown as Cursor,
    query: async () =>
      (await db.query<{ id: string; due_at: Date }>('SELECT id::text AS id, due_at FROM booking LIMIT 2')).rows,
    pageSize: 2,
  });
  await expect(recordsOf(asDates(sourceContext()))).rejects.toMatchObject({
    code: 'InvalidCursor',
    message: expect.stringContaining('due_at::text') as string,
  });

  const [first] = await itemsOf(source(5)(sourceContext()));
  expect(first?.cursor).toEqual(['2026-11-29 22:00:00.000001+00', '3']);
});

test('a query by time alone would lose tied rows and is found out', async () => {
  await insertTiedRows();
  const byTime = keysetSource({
    cursor: (row: DueBooking) => row.due_at,
    query: async (after, limit) =>
      (
        await db.query<DueBooking>(
          `SELECT id::text AS id, due_at::text AS due_at FROM booking
            WHERE due_at > coalesce($1::timestamptz, '-infinity') ORDER BY due_at LIMIT $2`,
          [after ?? null, limit],
        )
      ).rows,
    pageSize: 4,
  });
  await expect(recordsOf(byTime(sourceContext()))).rejects.toMatchObject({ code: 'CursorNotUnique' });
});

test('a row that becomes eligible behind the cursor is left for the next run, one before it is read', async () => {
  for (const id of [1, 2, 3, 4]) {
    await insert(id, `2026-11-29 22:0${id}:00+00`);
  }
  const read: number[] = [];
  for await (const item of source(2)(sourceContext())) {
    read.push(...('record' in item ? idsOf([item.record]) : []));
    if (read.length === 2) {
      await insert(11, '2026-11-29 22:01:30+00');
      await insert(12, '2026-11-29 22:03:30+00');
    }
  }
  expect(read).toEqual([1, 2, 3, 12, 4]);

  await db.query('UPDATE booking SET reminded_at = now() WHERE id = ANY($1)', [read]);
  expect(idsOf(await recordsOf(source(2)(sourceContext())))).toEqual([11]);
});

test('no transaction, lock or snapshot is held between pages', async () => {
  await insertTiedRows();
  const scan = source(2)(sourceContext())[Symbol.asyncIterator]();
  await scan.next();
  const { rows } = await db.query(
    `SELECT mode FROM pg_locks WHERE relation = 'booking'::regclass AND pid = pg_backend_pid()`,
  );
  expect(rows).toEqual([]);
  // Needs the table for itself, and would wait for ever for a reader that still holds it.
  await db.exec('ALTER TABLE booking ADD COLUMN note text; ALTER TABLE booking DROP COLUMN note');
  const rest: unknown[] = [];
  for (let next = await scan.next(); next.done !== true; next = await scan.next()) {
    rest.push(next.value);
  }
  expect(rest).toHaveLength(19);
});

test('a signal ends a scan whose statement waits, and the connection serves the next one', async () => {
  const all = await insertTiedRows();
  const controller = new AbortController();
  const signals: AbortSignal[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let transaction: Promise<void> | undefined;
  const waiting = keysetSource({
    cursor: (row: DueBooking): Place => [row.due_at, row.id],
    query: (after, limit, { signal }) => {
      signals.push(signal);
      if (after !== undefined) {
        // The one connection is taken, so that this statement has to wait.
        transaction = db.transaction(() => released);
        queueMicrotask(() => {
          controller.abort(new Error('out of time'));
        });
      }
      return page(after, limit);
    },
    pageSize: 5,
  });
  const read: DueBooking[] = [];
  const scan = async (): Promise<void> => {
    for await (const item of waiting(sourceContext({ signal: controller.signal }))) {
      read.push(...recordsIn(item));
    }
  };
  await expect(scan()).rejects.toThrow('out of time');
  expect(idsOf(read)).toEqual(all.slice(0, 5));
  expect(signals).toEqual([controller.signal, controller.signal]);

  release();
  await transaction;
  expect(idsOf(await recordsOf(source(5)(sourceContext())))).toEqual(all);
});
