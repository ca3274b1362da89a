import type { Booking } from '../../examples/bookings/booking';
import type { Instance } from '../../lambda/simulation/world/instance';
import type { Bookings } from './bookings-table';
import { INTERVAL_MS, START } from './case';

/** What can come of a booking that should not, in the order of the table. */
export const SYMPTOMS = ['lost', 'doubled', 'out of order', 'stuck'] as const;

/** Something that should not have come of a booking. */
export type Symptom = (typeof SYMPTOMS)[number];

/** A booking of which something came that should not have. */
export interface Incident {
  readonly symptom: Symptom;
  readonly bookingId: string;
  /** What was seen. */
  readonly what: string;
}

interface Sending {
  readonly instance: Instance;
  readonly bookingId: string;
}

/**
 * Watches what happens to the bookings, in the same way for every contender: it sees mails, the table and the dead-letter queue, and knows nothing of locks, messages and ledgers.
 *
 * - lost: in the end neither done nor in the dead-letter queue.
 * - doubled: mailed again after it was written down as done, or twice at once.
 * - out of order: mailed while a booking of its organisation and task that is due before it was neither done nor dead.
 * - stuck: though its mailbox takes mail, not done when the next tick came, an hour after it was due, or given up: in the dead-letter queue and not done.
 */
export class Tally {
  private readonly found = new Map<string, Incident>();
  private readonly sending = new Set<Sending>();
  private readonly dead = new Set<string>();

  constructor(private readonly bookings: Bookings) {}

  /** A mail is sent; returns what to call at its end. */
  started(booking: Booking, instance: Instance): () => void {
    const { bookingId } = booking;
    const at = `${((instance.clock.now() - START) / 1000).toFixed(1)} s`;
    const others = [...this.sending].filter((one) => one.bookingId === bookingId && one.instance.isAlive);
    if (this.bookings.isDone(bookingId)) {
      this.add('doubled', bookingId, `${bookingId} is mailed again at ${at}, after it was marked as done`);
    } else if (others.length > 0) {
      this.add('doubled', bookingId, `${bookingId} is mailed twice at once at ${at}`);
    }
    const before = this.bookings.all.find((other) => other.bookingId === bookingId || this.holdsBack(other, booking));
    if (before !== undefined && before.bookingId !== bookingId) {
      this.add(
        'out of order',
        bookingId,
        `${bookingId} is mailed at ${at}, before ${before.bookingId} of its organisation`,
      );
    }
    const sending = { instance, bookingId };
    this.sending.add(sending);
    return () => this.sending.delete(sending);
  }

  /** A message of a booking is in the dead-letter queue. */
  buried(bookingId: string): void {
    this.dead.add(bookingId);
  }

  /** A tick comes: what was due for the one before should be over. */
  nextTick(now: number): void {
    for (const booking of this.open()) {
      const { bookingId, dueAt } = booking;
      if (Date.parse(dueAt) <= now - INTERVAL_MS && !this.dead.has(bookingId) && takesMail(booking)) {
        this.add('stuck', bookingId, `${bookingId} is not done an hour after it was due, when the next tick comes`);
      }
    }
  }

  /** What was found, once nothing happens any more. */
  incidents(): readonly Incident[] {
    for (const booking of this.open()) {
      const { bookingId } = booking;
      if (!this.dead.has(bookingId)) {
        this.add('lost', bookingId, `${bookingId} is neither done nor in the dead-letter queue in the end`);
      } else if (takesMail(booking)) {
        this.add('stuck', bookingId, `${bookingId} is in the dead-letter queue, though its mailbox takes mail`);
      }
    }
    return [...this.found.values()];
  }

  private open(): readonly Booking[] {
    return this.bookings.all.filter(({ bookingId }) => !this.bookings.isDone(bookingId));
  }

  private holdsBack(other: Booking, booking: Booking): boolean {
    return (
      other.organisation === booking.organisation &&
      other.task === booking.task &&
      !this.bookings.isDone(other.bookingId) &&
      !this.dead.has(other.bookingId)
    );
  }

  private add(symptom: Symptom, bookingId: string, what: string): void {
    const name = `${symptom} ${bookingId}`;
    if (!this.found.has(name)) {
      this.found.set(name, { symptom, bookingId, what });
    }
  }
}

/** Whether a mailbox takes mail, at the latest the second one. */
function takesMail({ mailbox }: Booking): boolean {
  return mailbox === 'reachable' || mailbox === 'greylisted';
}
