import { CronFanoutError } from '../contract';
import type { Cursor, SourceContext, SourceItem } from '../job/job';
import { unlessAborted } from './abort';
import { checkCursor, isEnd, sameCursor, shapeOf } from './cursor';
import { checkedPageSize } from './page-size';
import type { SourceFunction } from './source-function';

/** How {@link keysetSource} reads. */
export interface KeysetSourceOptions<Row, C extends Cursor, R, D extends object> {
  /**
   * One page of rows: the first `limit` rows after the cursor `after` (all rows where it is `undefined`), in the order of the cursor. Called once
   * per page; no connection or transaction is held in between. Give the signal of the context to the client where it can cancel a statement.
   */
  readonly query: (
    after: C | undefined,
    limit: number,
    context: D & SourceContext,
  ) => readonly Row[] | PromiseLike<readonly Row[]>;
  /**
   * The place of a row: the columns that the query is ordered by, the last of them unique, each exactly as the database compares it. In a TypeScript job
   * module annotate `row` here: the types of the row and of `after` follow from it.
   */
  readonly cursor: (row: Row) => C;
  /**
   * Makes the record of a row; `undefined` leaves the row out.
   *
   * @default - the row itself
   */
  readonly record?: (row: Row) => R | undefined;
  /**
   * Rows of one page, 1 to 1,000.
   *
   * @default 250
   */
  readonly pageSize?: number;
}

/**
 * A source for SQL, with any client: reads page after page by keyset, resumes at any row.
 *
 * A page that is shorter than its limit is the last. A row that becomes eligible behind the cursor while the scan runs is left for the next run.
 *
 * @example
 * source: keysetSource({
 *   cursor: (row: DueBooking) => [row.due_at, row.id],
 *   query: async (after, limit) => sql`
 *     SELECT id, due_at::text AS due_at FROM bookings
 *     WHERE reminded_at IS NULL AND (due_at, id) > (${after?.[0] ?? '-infinity'}, ${after?.[1] ?? ''})
 *     ORDER BY due_at, id LIMIT ${limit}`,
 * }),
 *
 * @throws CronFanoutError `InvalidPageSize`; while reading `InvalidCursor`, `CursorNotUnique`, `QueryDoesNotAdvance` or `PageTooLong`
 */
export function keysetSource<Row, C extends Cursor = Cursor, R = Row, D extends object = object>(
  options: KeysetSourceOptions<Row, C, R, D>,
): SourceFunction<R, D> {
  const limit = checkedPageSize(options.pageSize);
  async function* keyset(context: D & SourceContext): AsyncGenerator<SourceItem<R>, void> {
    // What was stored is what `cursor` answered, through JSON, which keeps it exactly.
    let after = context.cursor as C | undefined;
    while (!isEnd(after)) {
      const from = after;
      const rows = await unlessAborted(context.signal, () => options.query(from, limit, context));
      const cursors = cursorsOf(rows, limit, from, options.cursor);
      for (const [place, row] of rows.entries()) {
        const cursor = cursors[place] as C;
        yield itemOf(row, cursor, options.record);
        after = cursor;
      }
      if (rows.length < limit) {
        return;
      }
    }
  }
  return Object.assign(keyset, { kind: 'keyset' } as const);
}

/** A row that is left out moves the cursor all the same. */
function itemOf<Row, R>(row: Row, cursor: Cursor, record?: (row: Row) => R | undefined): SourceItem<R> {
  const made = record === undefined ? (row as unknown as R) : record(row);
  return made === undefined ? { records: [], cursor } : { record: made, cursor };
}

function cursorsOf<Row, C extends Cursor>(
  rows: readonly Row[],
  limit: number,
  after: C | undefined,
  cursorOf: (row: Row) => C,
): C[] {
  if (rows.length > limit) {
    throw new CronFanoutError('PageTooLong', {
      what: 'rows that the query of a keyset source answered',
      received: `${rows.length} rows for a limit of ${limit}`,
      allowed: `at most ${limit} rows`,
      change: 'add LIMIT with the second argument of the query',
    });
  }
  const cursors: C[] = [];
  for (const row of rows) {
    const cursor = cursorOf(row);
    checkCursor(cursor);
    if (after !== undefined && sameCursor(cursor, after)) {
      throw stuck(cursor);
    }
    if (sameCursor(cursor, cursors.at(-1))) {
      throw tied(cursor);
    }
    cursors.push(cursor);
  }
  return cursors;
}

function stuck(cursor: Cursor): CronFanoutError {
  return new CronFanoutError('QueryDoesNotAdvance', {
    what: 'query of a keyset source',
    received: `a row whose cursor is the one that the page was to come after, ${shapeOf(cursor)}`,
    allowed: 'rows strictly after the first argument of the query',
    change: 'compare with > instead of >=, with every column of the cursor and with its full precision',
  });
}

function tied(cursor: Cursor): CronFanoutError {
  return new CronFanoutError('CursorNotUnique', {
    what: 'cursor of a keyset source',
    received: `two rows with the same cursor, ${shapeOf(cursor)}`,
    allowed: 'a cursor that no other row has: rows that share one are lost where a page ends between them',
    change: 'add a unique column, such as the primary key, to cursor, ORDER BY and WHERE',
  });
}
