import type { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { simulateFanout } from '../../lambda/simulation';
import type { Booking, Mailbox } from './booking';
import { BOOKINGS } from './booking';
import * as jobs from './jobs';
import { makeBookings } from './load';

const ATTEMPTS = 4;
/** As `stack.ts` has them. */
const CONFIG = { maxConcurrency: 20, retry: { maxAttempts: ATTEMPTS, initialDelay: 10 } };

/** The table of bookings: what is due, and the one update that the jobs make. */
class FakeTable {
  private readonly due: Map<string, Booking>;

  constructor(bookings: readonly Booking[]) {
    this.due = new Map(bookings.map((booking) => [booking.bookingId, booking]));
  }

  readonly client = {
    send: ({ input }: UpdateCommand) => {
      this.due.delete(String(input.Key?.[BOOKINGS.partitionKey]));
      return Promise.resolve({});
    },
  } as unknown as DynamoDBDocumentClient;

  /** Bookings for which something is to be done. */
  dueFor(task: Booking['task']): Booking[] {
    return [...this.due.values()].filter((booking) => booking.task === task);
  }
}

/** Forty bookings, with every kind of mailbox among them. */
function someBookings(): Booking[] {
  const mailboxes: readonly Mailbox[] = ['reachable', 'reachable', 'greylisted', 'unknown', 'full'];
  return makeBookings(40, 1).map((booking, place) => ({ ...booking, mailbox: mailboxes[place % 5] ?? 'reachable' }));
}

function simulate(bookings: readonly Booking[], table: FakeTable, seed: number, faults: 'none' | 'all') {
  return simulateFanout(jobs, {
    records: {
      'booking.reminder': () => table.dueFor('reminder'),
      'booking.feedback': () => table.dueFor('feedback'),
    },
    setup: { bookings: table.client },
    config: CONFIG,
    seed,
    faults,
    ticks: 2,
  });
}

describe('the jobs of the example, simulated', () => {
  const bookings = someBookings();
  const withMailbox = (...mailboxes: Mailbox[]): string[] =>
    bookings
      .filter(({ mailbox }) => mailboxes.includes(mailbox))
      .map(({ task, bookingId }) => `booking.${task ?? ''}/${bookingId}`)
      .toSorted();

  it('remind of every journey or ask for feedback, and give up what no attempt will bring', async () => {
    const table = new FakeTable(bookings);
    const { outcomes, dead, totals } = await simulate(bookings, table, 1, 'none');
    const ended = (outcome: string): string[] =>
      Object.keys(outcomes)
        .filter((name) => outcomes[name] === outcome)
        .toSorted();
    expect(ended('succeeded')).toEqual(withMailbox('reachable', 'greylisted'));
    expect(ended('dead')).toEqual(withMailbox('unknown', 'full'));
    const causes = dead.map(({ cause, attempts, errorMessage }) => [cause, attempts, errorMessage]);
    expect(new Set(causes.map(String))).toEqual(
      new Set(['PermanentError,1,550 no such mailbox', `AttemptsExhausted,${ATTEMPTS},452 mailbox full`]),
    );
    // The second tick finds those that died, and leaves them in quarantine.
    expect(totals).toMatchObject({ eligible: 56, succeeded: 24, dead: 16, skipped: 16 });
  });

  it('do so in the order of each organisation', async () => {
    const { calls } = await simulate(bookings, new FakeTable(bookings), 2, 'none');
    for (const jobType of ['booking.reminder', 'booking.feedback']) {
      for (const organisation of new Set(bookings.map((booking) => booking.organisation))) {
        const ofGroup = calls.filter((call) => call.jobType === jobType && call.group === organisation);
        const due = bookings
          .filter((booking) => `booking.${booking.task ?? ''}` === jobType && booking.organisation === organisation)
          .map(({ bookingId }) => bookingId);
        expect([...new Set(ofGroup.map(({ key }) => key))]).toEqual(due);
      }
    }
  });

  it.each([1, 2, 3, 4, 5])('lose nothing, whatever goes wrong (seed %d)', async (seed) => {
    const table = new FakeTable(bookings);
    const { outcomes } = await simulate(bookings, table, seed, 'all');
    expect(Object.keys(outcomes)).toHaveLength(bookings.length);
    const stillDue = [...table.dueFor('reminder'), ...table.dueFor('feedback')];
    for (const { task, bookingId } of stillDue) {
      expect(outcomes[`booking.${task ?? ''}/${bookingId}`]).toBe('dead');
    }
  });
});
