import type { Booking, Mailbox } from '../../examples/bookings/booking';
import { makeBookings } from '../../examples/bookings/load';
import { Draw } from '../../lambda/simulation/draw';
import type { Kind } from './kinds';
import { KINDS } from './kinds';

/** Epoch milliseconds at which every case begins. */
export const START = Date.UTC(2026, 0, 1, 8);
/** Milliseconds between two ticks. */
export const INTERVAL_MS = 3_600_000;
/** Ticks of a case. */
export const TICKS = 2;
/** Calls at which faults may strike. */
const FAULT_PLACES = 5_000;
const MANY_BOOKINGS = 4_000;
/** What the mailboxes of bookings are drawn from: most take every mail. */
const MAILBOXES: readonly Mailbox[] = [
  ...Array.from({ length: 16 }, () => 'reachable' as const),
  'greylisted',
  'greylisted',
  'unknown',
  'full',
];

/** What a seed puts each contender through. */
export interface Case {
  readonly seed: number;
  readonly kind: Kind;
  readonly faultPlaces: number;
  readonly bookings: readonly Booking[];
}

let known: readonly Booking[] | undefined;

/** The case of a seed: some of the busiest organisations with their bookings, of which half are due at each tick. */
export function caseOf(seed: number): Case {
  known ??= makeBookings(MANY_BOOKINGS, 1);
  const draw = new Draw(seed);
  const organisations = draw.list(draw.int(3, 5), () => draw.pick(['DFW', 'ATL', 'ORD', 'PHX', 'STL', 'LAX', 'IAH']));
  const count = draw.int(3, 6);
  const bookings = [...new Set(organisations)].flatMap((organisation) =>
    (known ?? [])
      .filter((booking) => booking.organisation === organisation)
      .slice(0, count)
      .map((booking, place) => dueBooking(booking, place, draw)),
  );
  const kind = KINDS[seed % KINDS.length];
  if (kind === undefined) {
    throw new Error('internal error: there are no kinds of cases');
  }
  return { seed, kind, faultPlaces: FAULT_PLACES, bookings };
}

function dueBooking(booking: Booking, place: number, draw: Draw): Booking {
  const tick = draw.int(0, TICKS - 1);
  // A minute before a tick, in an order of their own.
  const dueAt = new Date(START + tick * INTERVAL_MS - 60_000 + place * 100).toISOString();
  return { ...booking, dueAt, mailbox: draw.pick(MAILBOXES), task: draw.pick(['reminder', 'feedback']) };
}
