import type { Booking, Task } from '../booking';

/** A page of bookings that are due. */
export interface BookingPage {
  readonly bookings: readonly Booking[];
  /** Where the next page begins; absent after the last one. */
  readonly next?: string;
}

/** The table of bookings. */
export interface BookingTable {
  /** Bookings for which a task is due, by due time. */
  due(task: Task, now: number, from?: string): Promise<BookingPage>;
  /** Whether a task of a booking is still to be done. */
  isOpen(bookingId: string, task: Task): Promise<boolean>;
  /** The task of a booking is done. */
  markDone(bookingId: string): Promise<void>;
}

/** The table of locks. */
export interface LockTable {
  /** Puts the item, if there is none with its name, or one whose `expiresAt` is over; answers whether it did. */
  putIfFree(
    lock: { readonly name: string; readonly owner: string; readonly expiresAt: number },
    now: number,
  ): Promise<boolean>;
  /** Deletes the item, if it is the owner's. */
  deleteIfOwned(name: string, owner: string): Promise<void>;
}

/** An entry of `SendMessageBatch`. */
export interface QueueEntry {
  readonly id: string;
  readonly body: string;
  readonly groupId: string;
  readonly deduplicationId: string;
}

/** The FIFO queue. */
export interface JobQueue {
  /** `SendMessageBatch`: answers `Failed`, the entries that were refused. */
  sendBatch(entries: readonly QueueEntry[]): Promise<{ readonly failed: readonly { readonly id: string }[] }>;
}

/** The mail provider. */
export interface Mailer {
  send(booking: Booking, text: string): Promise<void>;
}

/** What the service works with. */
export interface BookingServices {
  readonly bookings: BookingTable;
  readonly locks: LockTable;
  readonly queue: JobQueue;
  readonly mailer: Mailer;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: (message: string) => void;
}
