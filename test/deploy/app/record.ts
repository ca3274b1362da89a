/** A record of the table that the tests deploy. */
export interface DueRecord {
  readonly id: string;
  /** Which job it is due for; absent once it is handled. */
  readonly task?: string;
  readonly group: string;
  /** The handler asks for more time until an item with this id is in the table. */
  readonly gate?: string;
  /** The handler gives it up. */
  readonly futile?: boolean;
}

/** What a handler leaves on the record that it was called for. */
export interface Effect {
  /** Version of the code that the handler is part of. */
  readonly version: number;
  readonly runId: string;
  readonly idempotencyKey: string;
}

/** The table. */
export const RECORDS = {
  id: 'Records',
  variable: 'RECORDS_TABLE',
  partitionKey: 'id',
  index: { name: 'byTask', partitionKey: 'task', sortKey: 'id' },
} as const;
