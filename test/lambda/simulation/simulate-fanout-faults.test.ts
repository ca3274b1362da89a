import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defineJob } from '../../../lambda/job';
import type { FaultName } from '../../../lambda/simulation';
import { FAULT_NAMES, simulateFanout } from '../../../lambda/simulation';
import type { Booking } from './bookings';
import { all, bookings, jobOf } from './bookings';

describe('simulateFanout, when things go wrong', () => {
  it('is the same for the same seed, to the last line of its trace', async () => {
    const job = jobOf(async ({ id }, { attempt }) => {
      await sleep(1000);
      if (id === 'B3' && attempt < 3) {
        throw new Error('not yet');
      }
    });
    const run = (seed: number) =>
      simulateFanout(job, { records: bookings(15, 4), faults: 'all', seed, ticks: 2, interval: 60 });
    expect(await run(7)).toEqual(await run(7));
    expect((await run(7)).trace).not.toBe((await run(8)).trace);
  });

  it('resumes a source at its cursors', async () => {
    const cursors = new Set<unknown>();
    const job = defineJob<Booking>({
      jobType: 'j',
      async *source({ cursor }) {
        cursors.add(cursor);
        const from = Number(cursor ?? 0);
        for (const [place, record] of bookings(30).entries()) {
          if (place >= from) {
            yield { record, cursor: place + 1 };
          }
        }
      },
      key: ({ id }) => id,
      handler: () => undefined,
    });
    for (let seed = 1; seed <= 5; seed++) {
      const { outcomes } = await simulateFanout(job, { faults: ['crash', 'failingSource'], seed });
      expect(outcomes).toEqual(all(bookings(30), 'succeeded'));
    }
    expect(cursors.size).toBeGreaterThan(3);
  });

  it.each(FAULT_NAMES)('%s strikes, and nothing is lost', async (fault) => {
    const job = jobOf(async () => {
      await sleep(20);
    });
    let struck = 0;
    for (let seed = 1; seed <= 3; seed++) {
      const report = await simulateFanout(job, {
        records: bookings(12),
        faults: fault,
        seed,
        ticks: 2,
        config: { scannerTimeout: 60 },
      });
      struck += report.faults[fault] ?? 0;
      expect(Object.keys(report.outcomes)).toHaveLength(12);
    }
    // A scan of a few records is over before it could go on in a second invocation, and a clock is skewed without striking anywhere.
    const isSilent = (['lostContinuation', 'clockSkew'] as FaultName[]).includes(fault);
    expect(struck > 0 || isSilent).toBe(true);
  });

  it('survives everything at once, over many seeds', async () => {
    const job = { ...jobOf(() => undefined), group: ({ org }: Booking) => org };
    const outcomes = new Set<string>();
    for (let seed = 1; seed <= 15; seed++) {
      const report = await simulateFanout(job, { records: bookings(20, 6), faults: 'all', seed, ticks: 2 });
      Object.values(report.outcomes).forEach((outcome) => outcomes.add(outcome));
      const { eligible, enqueued, rejected, skipped, duplicate } = report.totals;
      expect(eligible).toBe(enqueued + rejected + skipped + duplicate);
    }
    expect([...outcomes].filter((outcome) => !['succeeded', 'dead', 'withdrawn'].includes(outcome))).toEqual([]);
  });

  it('says nothing on the console and leaves nothing behind', async () => {
    const write = jest.spyOn(process.stdout, 'write');
    const complain = jest.spyOn(process.stderr, 'write');
    // The test runner has timers of its own.
    const resources = () => process.getActiveResourcesInfo().filter((name) => !/^(Timeout|Immediate)$/.test(name));
    const before = resources();
    await simulateFanout(
      jobOf(() => {
        throw new Error('always');
      }),
      { records: bookings(3), faults: 'all', seed: 4 },
    );
    expect(resources()).toEqual(before);
    expect([write.mock.calls, complain.mock.calls]).toEqual([[], []]);
    write.mockRestore();
    complain.mockRestore();
  });

  it('keeps nothing of a simulation once it is over', async () => {
    setFlagsFromString('--expose_gc');
    const collect = runInNewContext('gc') as () => void;
    const simulated = async (): Promise<WeakRef<object>> => {
      const kept = {};
      const job = jobOf(() => kept);
      const { faults } = await simulateFanout(job, { records: bookings(20), faults: ['crash', 'pause'], seed: 2 });
      expect(faults.crash).toBeGreaterThan(1);
      return new WeakRef(kept);
    };
    const reference = await simulated();
    // A collection may leave what the turn of the event loop before still held; what is kept for good stays through all of them.
    for (let turn = 0; turn < 20 && reference.deref() !== undefined; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    expect(reference.deref()).toBeUndefined();
  });
});
