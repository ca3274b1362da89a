import { setTimeout as sleep } from 'node:timers/promises';
import { defineJob } from '../../../lambda/job';
import { simulateFanout } from '../../../lambda/simulation';
import type { Booking } from './bookings';
import { bookings, jobOf } from './bookings';

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

describe('an attempt in a simulation', () => {
  it('counts where it fails before its handler is called', async () => {
    const handler = jest.fn();
    const job = {
      ...jobOf(handler),
      stillEligible: ({ id }: Booking, { attempt }: { attempt: number }) => {
        if (attempt < 3 || id === 'B1') {
          throw new Error('the table cannot be reached');
        }
        return true;
      },
    };
    const { outcomes, records, calls, dead } = await simulateFanout(job, { records: bookings(2) });
    expect(outcomes).toEqual({ B0: 'succeeded', B1: 'dead' });
    expect(records.map(({ attempts }) => attempts)).toEqual([3, 5]);
    expect(calls.map(({ key, attempt }) => [key, attempt])).toEqual([['B0', 3]]);
    expect(dead).toMatchObject([{ key: 'B1', cause: 'AttemptsExhausted', attempts: 5 }]);
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('may go on after its signal: its record waits for the end of the claim, not for the back-off', async () => {
    const job = jobOf(async () => {
      await sleep(55_000);
      throw new Error('too late');
    });
    const config = { handlerTimeout: 5, retry: { kind: 'fixed', delay: 600, maxAttempts: 2 } } as const;
    const { outcomes, calls } = await simulateFanout(job, { records: bookings(1), config });
    expect(outcomes).toEqual({ B0: 'dead' });
    expect(calls[1]!.start - calls[0]!.end!).toBeLessThan(60_000);
  });
});
