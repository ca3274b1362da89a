import type { Booking, Task } from '../../examples/bookings/booking';
import type { BookingPage, BookingTable } from '../../examples/bookings/before/ports';
import type { FaultyCalls } from '../../lambda/simulation/world/faulty-calls';
import type { Instance } from '../../lambda/simulation/world/instance';

/** Bookings of a page: few, so that a scan takes several calls. */
const PAGE = 4;

/** The table of bookings: the same for every contender. */
export class Bookings {
  private readonly done = new Set<string>();
  private readonly ordered: readonly Booking[];

  constructor(bookings: readonly Booking[]) {
    this.ordered = [...bookings].sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  }

  /** Bookings in the order in which they are due. */
  get all(): readonly Booking[] {
    return this.ordered;
  }

  /** Whether it is written down that a booking is done. */
  isDone(bookingId: string): boolean {
    return this.done.has(bookingId);
  }

  /** The table as one execution environment reaches it: each call takes its turn, and may fail. */
  reachedBy(instance: Instance, calls: FaultyCalls): BookingTable {
    const call = <T>(what: string, effect: () => T): Promise<T> =>
      // eslint-disable-next-line @typescript-eslint/require-await -- what it throws must reject
      calls.make(instance, 'call', `bookings: ${what}`, async () => effect());
    return {
      due: (task, now, from) => call(`query ${task} from ${from ?? 'the start'}`, () => this.page(task, now, from)),
      isOpen: (bookingId, task) =>
        call(
          `get ${bookingId}`,
          () =>
            !this.done.has(bookingId) && this.ordered.some((one) => one.bookingId === bookingId && one.task === task),
        ),
      markDone: (bookingId) =>
        call(`${bookingId} is done`, () => {
          this.done.add(bookingId);
        }),
    };
  }

  private page(task: Task, now: number, from = ''): BookingPage {
    const due = this.ordered.filter(
      (booking) =>
        booking.task === task &&
        !this.done.has(booking.bookingId) &&
        Date.parse(booking.dueAt) <= now &&
        placeOf(booking) > from,
    );
    const bookings = due.slice(0, PAGE);
    const last = bookings.at(-1);
    return { bookings, ...(due.length > PAGE && last !== undefined && { next: placeOf(last) }) };
  }
}

/** Place of a booking in the order of the index. */
export function placeOf({ dueAt, bookingId }: Booking): string {
  return `${dueAt}|${bookingId}`;
}
