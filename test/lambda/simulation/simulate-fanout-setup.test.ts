import { defineJob } from '../../../lambda/job';
import { simulateFanout } from '../../../lambda/simulation';

interface Booking {
  readonly id: string;
  readonly org: string;
}

const bookings = (count: number, orgs = count): Booking[] =>
  Array.from({ length: count }, (_, place) => ({ id: `B${place}`, org: `O${place % orgs}` }));

/** A job whose source must not be read: records are given. */
function jobOf(handler: (booking: Booking, context: { attempt: number; signal: AbortSignal }) => unknown) {
  return defineJob<Booking>({
    jobType: 'booking.reminder',
    source: () => {
      throw new Error('the source is replaced');
    },
    key: ({ id }) => id,
    handler,
  });
}

describe('setup in a simulation', () => {
  it('gives setup its secrets', async () => {
    const seen: string[] = [];
    const job = {
      ...jobOf(() => undefined),
      setup: async ({ secret }: { secret: (name: string) => Promise<string> }) => {
        seen.push(await secret('DB'));
        return {};
      },
    };
    await simulateFanout(job, { records: bookings(1), secrets: { DB: 'postgres://fake' } });
    expect(seen).toContain('postgres://fake');
    await expect(simulateFanout(job, { records: bookings(1), secrets: { OTHER: 'x' } })).rejects.toMatchObject({
      code: 'SetupFailed',
      cause: { code: 'UnknownSecret' },
    });
  });

  it('replaces setup by an object or a function, with the types of the job', async () => {
    const job = defineJob<Booking, { db: { mark(id: string): void } }>({
      jobType: 'j',
      setup: () => {
        throw new Error('no database here');
      },
      source: () => {
        throw new Error('the source is replaced');
      },
      key: ({ id }) => id,
      handler: ({ id }, { db }) => {
        db.mark(id);
      },
    });
    const mark = jest.fn();
    await simulateFanout(job, { records: bookings(1), setup: { db: { mark } } });
    await simulateFanout(job, { records: bookings(2), setup: async () => ({ db: { mark } }) });
    expect(mark.mock.calls.flat().toSorted()).toEqual(['B0', 'B0', 'B1']);
    // @ts-expect-error -- what setup returns has a db
    await simulateFanout(job, { records: bookings(1), setup: { other: 1 } });
    // @ts-expect-error -- a booking has an org
    await simulateFanout(job, { records: [{ id: 'B0' }], setup: { db: { mark } } });
  });
});
