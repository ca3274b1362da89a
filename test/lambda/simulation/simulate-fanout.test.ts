import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineJob, PermanentError, RetryLater } from '../../../lambda/job';
import { simulateFanout } from '../../../lambda/simulation';
import type { Booking } from './bookings';
import { all, bookings, jobOf } from './bookings';

describe('simulateFanout', () => {
  it('reads the source of the job and handles every record', async () => {
    const handled: string[] = [];
    const job = defineJob<Booking, { mail: { send(id: string): void } }>({
      jobType: 'booking.reminder',
      setup: () => ({ mail: { send: (id) => handled.push(id) } }),
      async *source({ cursor, tick }) {
        expect(tick.scheduledTime).toBe('2026-01-01T00:00:00Z');
        for (const [place, record] of bookings(25).entries()) {
          if (place >= Number(cursor ?? 0)) {
            yield { record, cursor: place + 1 };
          }
        }
      },
      key: ({ id }) => id,
      handler: ({ id }, { mail }) => {
        mail.send(id);
      },
    });
    const report = await simulateFanout(job);
    expect(report.outcomes).toEqual(all(bookings(25), 'succeeded'));
    expect(handled.toSorted()).toEqual(
      bookings(25)
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(report.totals).toMatchObject({ eligible: 25, enqueued: 25, succeeded: 25, dead: 0 });
    expect(report.runs).toMatchObject([{ runId: '2026-01-01T00:00:00Z', state: 'completed' }]);
    expect(report.ticks).toEqual([{ scheduledTime: '2026-01-01T00:00:00Z', answers: ['scanned'] }]);
    expect(report.dead).toEqual([]);
    expect(report.faults).toEqual({});
    expect(report.seed).toBe(1);
    expect(report.trace).toContain('handler B0, attempt 1');
  });

  it('tells of every call, and of what is dead and why', async () => {
    const job = jobOf(({ id }, { attempt }) => {
      if (id === 'B0' && attempt === 1) {
        throw new TypeError('not yet');
      }
      if (id === 'B1') {
        throw new PermanentError('never');
      }
    });
    const report = await simulateFanout(job, { records: bookings(3) });
    expect(report.outcomes).toEqual({ B0: 'succeeded', B1: 'dead', B2: 'succeeded' });
    expect(report.calls.filter(({ key }) => key === 'B0')).toMatchObject([
      { attempt: 1, result: 'failed', error: 'TypeError: not yet' },
      { attempt: 2, result: 'succeeded' },
    ]);
    expect(report.dead).toMatchObject([
      { key: 'B1', group: 'B1', payload: { id: 'B1' }, cause: 'PermanentError', attempts: 1, errorMessage: 'never' },
    ]);
    expect(report.records.find(({ key }) => key === 'B1')).toMatchObject({ cause: 'PermanentError', attempts: 1 });
  });

  it('waits as long as the policy says', async () => {
    const job = jobOf((_, { attempt }) => {
      if (attempt < 3) {
        throw attempt === 1 ? new Error('by the policy') : new RetryLater({ after: 3600 });
      }
    });
    const config = { retry: { kind: 'fixed', delay: 120 } } as const;
    const { calls } = await simulateFanout(job, { records: bookings(1), config });
    const [first, second, third] = calls.map(({ start }) => start / 1000);
    expect(second! - first!).toBeCloseTo(120, 0);
    expect(third! - second!).toBeCloseTo(3600, 0);
  });

  it('settles what is not to be handled: obsolete, expired, rejected, twice in a run', async () => {
    const base = jobOf(() => undefined);
    const obsolete = { ...base, stillEligible: ({ id }: Booking) => id !== 'B0' };
    expect((await simulateFanout(obsolete, { records: bookings(2) })).outcomes).toEqual({
      B0: 'obsolete',
      B1: 'succeeded',
    });

    const slow = {
      ...jobOf(async () => {
        await sleep(40_000);
      }),
      group: () => 'one',
    };
    const { outcomes } = await simulateFanout(slow, { records: bookings(3), config: { expiresAfter: 60 } });
    expect(outcomes).toEqual({ B0: 'succeeded', B1: 'succeeded', B2: 'expired' });

    const checked = { ...base, schema: z.object({ id: z.string(), org: z.string().max(2) }) };
    const bad = { id: 'B9', org: 'too long' };
    const report = await simulateFanout(checked, { records: [...bookings(2), bad, bookings(1)[0]!] });
    expect(report.outcomes).toEqual({ B0: 'succeeded', B1: 'succeeded', B9: 'rejected' });
    expect(report.records.find(({ key }) => key === 'B9')?.cause).toMatch(/^the schema refuses it: org: /);
    expect(report.totals).toMatchObject({ eligible: 4, rejected: 1, duplicate: 1 });
  });

  it('rejects a record that JSON does not keep, and goes on with the others', async () => {
    const count = 10n as unknown as string;
    const { outcomes, records } = await simulateFanout(
      jobOf(() => undefined),
      { records: [{ id: 'B0', org: count }, ...bookings(3).slice(1)] },
    );
    expect(outcomes).toEqual({ B0: 'rejected', B1: 'succeeded', B2: 'succeeded' });
    expect(records[0]?.cause).toContain('bigint');
  });

  it('keeps the order of a group, and handles groups side by side', async () => {
    const job = {
      ...jobOf(async () => {
        await sleep(1000);
      }),
      group: ({ org }: Booking) => org,
    };
    const records = bookings(20, 4);
    const { calls } = await simulateFanout(job, { records, faults: ['crash', 'lostReply'], seed: 3 });
    for (const org of ['O0', 'O1', 'O2', 'O3']) {
      const firsts = new Set(calls.filter(({ group }) => group === org).map(({ key }) => key));
      expect([...firsts]).toEqual(records.filter((record) => record.org === org).map(({ id }) => id));
    }
    expect(
      calls.some((call) =>
        calls.some((other) => other !== call && other.start < call.start && other.end! > call.start),
      ),
    ).toBe(true);
  });

  it('handles one record at a time with maxConcurrency 1', async () => {
    const job = jobOf(async () => {
      await sleep(500);
    });
    const { calls } = await simulateFanout(job, { records: bookings(8), config: { maxConcurrency: 1 } });
    const ordered = calls.toSorted((one, other) => one.start - other.start);
    expect(ordered.map(({ key }) => key)).toEqual(bookings(8).map(({ id }) => id));
    ordered.slice(1).forEach(({ start }, place) => {
      expect(start).toBeGreaterThanOrEqual(ordered[place]!.end!);
    });
  });

  it('fires the signal when the time of a handler is over', async () => {
    const reasons: unknown[] = [];
    const job = jobOf(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reasons.push((signal.reason as Error).name);
            reject(signal.reason as Error);
          });
        }),
    );
    const config = { handlerTimeout: 5, retry: { kind: 'fixed', delay: 1, maxAttempts: 2 } } as const;
    const { outcomes, calls } = await simulateFanout(job, { records: bookings(1), config, patience: 20 });
    expect(outcomes).toEqual({ B0: 'dead' });
    expect(reasons).toEqual(['TimeoutError', 'TimeoutError']);
    expect(calls.map(({ start, end }) => Math.round((end! - start) / 1000))).toEqual([5, 5]);
  });

  it('lets a handler that never ends use up its attempts', async () => {
    const job = jobOf(() => new Promise(() => undefined));
    const config = { timeout: 10, retry: { kind: 'fixed', delay: 1, maxAttempts: 2 } } as const;
    const { outcomes, calls } = await simulateFanout(job, { records: bookings(1), config, patience: 20 });
    expect(outcomes).toEqual({ B0: 'dead' });
    expect(calls.map(({ result }) => result)).toEqual(['cutOff', 'cutOff']);
  });

  it('skips what is in flight or in quarantine from the tick before', async () => {
    const job = jobOf(async ({ id }) => {
      if (id === 'B0') {
        throw new PermanentError('never');
      }
      await sleep(id === 'B1' ? 50_000 : 1);
    });
    const report = await simulateFanout(job, {
      records: bookings(3),
      ticks: 2,
      interval: 60,
      config: { timeout: 120 },
    });
    const second = report.records.filter(({ runId }) => runId === '2026-01-01T00:01:00Z');
    expect(second.map(({ key, outcome }) => [key, outcome])).toEqual([
      ['B0', 'skipped'],
      ['B1', 'succeeded'],
      ['B2', 'succeeded'],
    ]);
    expect(report.outcomes).toEqual({ B0: 'dead', B1: 'succeeded', B2: 'succeeded' });

    const slow = jobOf(() => sleep(100_000));
    const overlapping = await simulateFanout(slow, {
      records: bookings(1),
      ticks: 2,
      interval: 60,
      config: { timeout: 300 },
    });
    expect(overlapping.totals).toMatchObject({ eligible: 2, enqueued: 1, skipped: 1 });
  });

  it('asks a function for the records of each run', async () => {
    const done = new Set<string>();
    const job = jobOf(({ id }) => {
      done.add(id);
    });
    const report = await simulateFanout(job, {
      records: ({ tick }) => {
        expect(tick.scheduledTime).toMatch(/^2027-03-04T05:0[6-8]:00Z$/);
        return bookings(5).filter(({ id }) => !done.has(id));
      },
      start: '2027-03-04T05:06:00Z',
      ticks: 3,
      interval: 60,
      faults: ['crash', 'duplicateTick'],
    });
    expect(done.size).toBe(5);
    expect(report.outcomes).toEqual(all(bookings(5), 'succeeded'));
  });

  it('takes several jobs, and module objects', async () => {
    const reminder = jobOf(() => undefined);
    const feedback = defineJob<{ n: number }>({
      jobType: 'feedback',
      aliases: ['old.feedback'],
      source: () => {
        throw new Error('the source is replaced');
      },
      key: ({ n }) => String(n),
      handler: () => {
        throw new Error('always');
      },
    });
    const options = {
      records: { 'booking.reminder': bookings(1), feedback: [{ n: 1 }] },
      config: { jobs: { feedback: { retry: { maxAttempts: 2 } } } },
    };
    const outcomes = { 'booking.reminder/B0': 'succeeded', 'feedback/1': 'dead' };
    const report = await simulateFanout([reminder, feedback], options);
    expect(report.outcomes).toEqual(outcomes);
    expect(report.records.find(({ jobType }) => jobType === 'feedback')?.attempts).toBe(2);
    const jobModule = { default: reminder, feedback, helper: () => 1 };
    expect((await simulateFanout(jobModule, options)).outcomes).toEqual(outcomes);
  });

  it('reads a source in segments', async () => {
    const job = jobOf(() => undefined);
    const { outcomes, totals } = await simulateFanout(job, { records: bookings(30), config: { segments: 4 } });
    expect(outcomes).toEqual(all(bookings(30), 'succeeded'));
    expect(totals.eligible).toBe(30);
  });

  it('waits for what is real: files, streams and turns of the event loop', async () => {
    const seen: string[] = [];
    const job = jobOf(async ({ id }) => {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`${id}: ${(await readFile(__filename, 'utf8')).slice(0, 6)}`);
      await new Response('body').text();
    });
    const { outcomes, calls } = await simulateFanout(job, { records: bookings(3) });
    expect(outcomes).toEqual(all(bookings(3), 'succeeded'));
    expect(seen.toSorted()).toEqual(['B0: import', 'B1: import', 'B2: import']);
    expect(calls.every(({ start, end }) => end! - start < 1000)).toBe(true);
  });
});
