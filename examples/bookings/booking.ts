/** What is due for a booking: a reminder before its journey, or a request for feedback after it. */
export type Task = 'reminder' | 'feedback';

/** How the traveller's mailbox behaves; in real life the mail server tells. */
export type Mailbox =
  /** Takes every mail. */
  | 'reachable'
  /** Refuses the first mail of a sender that it does not know, and takes the next. */
  | 'greylisted'
  /** Refuses every mail, but might take one later. */
  | 'full'
  /** Does not exist. */
  | 'unknown';

/** A booked journey, as it lies in the table. */
export interface Booking {
  readonly bookingId: string;
  /** The organisation that booked: here, the airport that the journey starts from. */
  readonly organisation: string;
  readonly destination: string;
  /** ISO 8601, in UTC. */
  readonly departsAt: string;
  readonly distanceMiles: number;
  /** Absent once it is done: the index by task then no longer lists the booking. */
  readonly task?: Task;
  /** When the task is due: ISO 8601, in UTC. */
  readonly dueAt: string;
  readonly mailbox: Mailbox;
}

/** The table and its index: what `stack.ts` makes, `jobs.ts` reads and `load.ts` fills. */
export const BOOKINGS = {
  /** Construct id of the table. */
  id: 'Bookings',
  /** Environment variable with the table's name. */
  variable: 'BOOKINGS_TABLE',
  partitionKey: 'bookingId',
  /** Lists the bookings for which something is to be done, by task and due time. */
  index: { name: 'byTask', partitionKey: 'task', sortKey: 'dueAt' },
} as const;
