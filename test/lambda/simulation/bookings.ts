import { defineJob } from '../../../lambda/job';

/** A record of the simulated jobs. */
export interface Booking {
  readonly id: string;
  readonly org: string;
}

export const bookings = (count: number, orgs = count): Booking[] =>
  Array.from({ length: count }, (_, place) => ({ id: `B${place}`, org: `O${place % orgs}` }));

/** A job whose source must not be read: records are given. */
export function jobOf(handler: (booking: Booking, context: { attempt: number; signal: AbortSignal }) => unknown) {
  return defineJob<Booking>({
    jobType: 'booking.reminder',
    source: () => {
      throw new Error('the source is replaced');
    },
    key: ({ id }) => id,
    handler,
  });
}

/** The same outcome for all of them. */
export const all = (records: readonly Booking[], outcome: string): Record<string, string> =>
  Object.fromEntries(records.map(({ id }) => [id, outcome]));
