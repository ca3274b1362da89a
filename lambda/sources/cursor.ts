import type { JsonValue } from '../contract';
import { CronFanoutError } from '../contract';
import type { Cursor } from '../job/job';

/** Whether a cursor says that nothing follows: `null`, `''` or `{}`. */
export function isEnd(cursor: Cursor | undefined): boolean {
  return (
    cursor === null ||
    cursor === '' ||
    (typeof cursor === 'object' && !Array.isArray(cursor) && Object.keys(cursor).length === 0)
  );
}

/**
 * Checks that a cursor is a value that JSON keeps exactly and that names a place: clients that are typed loosely hand over a `Date`, which
 * loses microseconds, or a missing column.
 *
 * @throws CronFanoutError `InvalidCursor`
 */
export function checkCursor(cursor: unknown): void {
  const fault = faultOf(cursor);
  if (fault !== undefined || isEnd(cursor as Cursor)) {
    throw new CronFanoutError('InvalidCursor', {
      what: 'cursor of a row',
      received: fault?.received ?? shapeOf(cursor),
      allowed: 'a string, a number or a boolean, or an array or object of such, that names the place of the row',
      change: fault?.change ?? 'answer the columns that the query is ordered by',
    });
  }
}

interface Fault {
  readonly received: string;
  readonly change: string;
}

function faultOf(value: unknown): Fault | undefined {
  if (isDate(value)) {
    return {
      received: Number.isNaN(value.getTime()) ? 'a Date that is invalid' : 'a Date',
      change: 'select the column as text (in PostgreSQL due_at::text): a Date loses microseconds, and rows with them',
    };
  }
  if (typeof value === 'bigint') {
    return { received: 'a bigint', change: 'answer String(value) and compare with it as a number in SQL' };
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { received: String(value), change: 'answer a finite number' };
  }
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return {
      received: 'an integer beyond 2^53',
      change: 'select the column as text: a number of this size loses digits',
    };
  }
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') {
    return { received: typeof value, change: 'select every column that the cursor is made of' };
  }
  if (value === null) {
    return {
      received: 'null',
      change: 'leave out rows where the column is NULL, or COALESCE it: nothing comes after NULL',
    };
  }
  if (typeof value !== 'object') {
    return undefined;
  }
  if (!Array.isArray(value) && !isPlain(value)) {
    return { received: `an instance of ${value.constructor.name}`, change: 'answer plain values' };
  }
  return Object.values(value)
    .map(faultOf)
    .find((fault) => fault !== undefined);
}

/** By tag, since a client may come from another realm. */
function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]';
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What a cursor is made of, for error texts: its values are columns of the user's records. */
export function shapeOf(cursor: unknown): string {
  if (Array.isArray(cursor)) {
    return `[${cursor.map(shapeOf).join(', ')}]`;
  }
  if (typeof cursor === 'object' && cursor !== null) {
    return `{ ${Object.entries(cursor)
      .map(([name, value]) => `${name}: ${shapeOf(value)}`)
      .join(', ')} }`;
  }
  return typeof cursor === 'string' ? `text of ${cursor.length}` : cursor === null ? 'null' : typeof cursor;
}

/** Whether two cursors name the same place. */
export function sameCursor(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
