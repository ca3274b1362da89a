import { ITEM_KEYS } from '../../../lambda/contract';
import { sleep } from '../../../lambda/ports';
import {
  CONFIGURATION,
  drained,
  dyingAt,
  FANOUT,
  Fixture,
  jobOver,
  queueDyingAt,
  someRecords,
  TICK,
  tick,
} from './fixture';

const WATCHDOG = { kind: 'watchdog' };
const LATER = '2026-01-01T00:05:00Z';
const start = Date.parse(TICK);

describe('what the scanner counts', () => {
  it('a run: every page of it as SQS accepts it, and how long the scan took', async () => {
    const records = [...someRecords(12), { id: 'r0' }, { other: 'no id' }];
    const fixture = new Fixture({ records });
    await fixture.clock.advance(start + 3000 - fixture.clock.now());
    await fixture.invoke();
    expect(fixture.metrics.sums()).toEqual({
      RunsStarted: 1,
      TickDelay: 3000,
      Eligible: 14,
      Enqueued: 12,
      Rejected: 1,
      Duplicate: 1,
      ScanDuration: 0,
      InFlight: 12,
      OldestRunAge: 0,
    });
    expect(fixture.metrics.of('Eligible')).toEqual([10, 4]);
    expect(fixture.metrics.published).toBe(fixture.metrics.values.length);
  });

  it('publishes with every page, so that a long scan is seen while it lasts', async () => {
    const published: number[] = [];
    const fixture: Fixture = new Fixture({
      jobs: [
        jobOver(() => [], {
          async *source() {
            for (let place = 0; place < 25; place++) {
              published.push(fixture.metrics.published);
              yield { record: { id: `r${place}` }, cursor: place };
            }
          },
        }),
      ],
    });
    await fixture.invoke();
    expect(published[0]).toBe(0);
    expect(published.at(-1)).toBeGreaterThanOrEqual(4);
  });

  it('records that are skipped since they are in flight', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    await fixture.invoke();
    await fixture.invoke(tick(LATER));
    expect(fixture.metrics.sum('Skipped')).toBe(3);
    expect(fixture.metrics.sum('Enqueued')).toBe(3);
  });

  it('what SQS refuses as rejected, once', async () => {
    const fixture = new Fixture({ records: someRecords(2) });
    fixture.queue.faults.push(([first, ...rest], accept) => {
      accept(rest);
      const failed = [{ id: first!.id, code: 'InvalidMessageContents', message: 'no', senderFault: true }];
      return { accepted: rest.map(({ id }) => id), failed };
    });
    await fixture.invoke();
    expect(fixture.metrics.sums()).toMatchObject({ Eligible: 2, Enqueued: 1, Rejected: 1 });
  });

  it('a run without records, which is complete at once', async () => {
    const fixture = new Fixture();
    await fixture.invoke();
    expect(fixture.metrics.sums()).toEqual({
      RunsStarted: 1,
      TickDelay: expect.any(Number) as number,
      ScanDuration: 0,
      RunsCompleted: 1,
      RunDuration: 0,
      InFlight: 0,
      OldestRunAge: 0,
    });
  });

  it('a tick that is delivered again as nothing but an invocation', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    await fixture.invoke();
    const before = fixture.metrics.sums();
    await fixture.invoke();
    expect(fixture.metrics.sums()).toEqual({ ...before, InFlight: 2 * before.InFlight! });
  });

  it('a tick that is refused, once however often it is delivered', async () => {
    const { fixture, scan } = await scanning({});
    await fixture.start(tick(LATER));
    await fixture.start(tick(LATER));
    expect(fixture.metrics.sums()).toMatchObject({ TicksSkipped: 1, LockRefused: 1 });
    await fixture.run(scan);
  });

  it('a tick that waits', async () => {
    const { fixture, scan } = await scanning({ overlap: 'queueOne' });
    await fixture.start(tick(LATER));
    expect(fixture.metrics.sums()).toMatchObject({ TicksQueued: 1, LockRefused: 1 });
    expect(fixture.metrics.sum('TicksSkipped')).toBe(0);
    await fixture.run(scan);
    expect(fixture.metrics.sum('RunsStarted')).toBe(2);
  });

  it('a run whose place a later tick takes, and what the books have of its pages', async () => {
    const { fixture, scan } = await scanning({ overlap: 'cancelRunning' });
    await fixture.start(tick(LATER));
    await fixture.run(scan);
    expect(fixture.metrics.sum('RunsCancelled')).toBe(1);
    await fixture.settleAll();
    await fixture.invoke(WATCHDOG);
    const totals = [await fixture.runItem(), await fixture.runItem(LATER)].map((run) => run!.totals!);
    expect(fixture.metrics.sum('Eligible')).toBe(totals[0]!.eligible + totals[1]!.eligible);
    expect(fixture.metrics.sum('Enqueued')).toBe(totals[0]!.enqueued + totals[1]!.enqueued);
    expect(fixture.metrics.sum('Cancelled')).toBe(totals[0]!.cancelled);
    expect(fixture.metrics.sum('RunsCompleted')).toBe(1);
  });

  it('a run that fails, once', async () => {
    const fixture = new Fixture({
      jobs: [
        jobOver(() => [], {
          async *source() {
            throw new Error('the database is away');
          },
        }),
      ],
    });
    await expect(fixture.invoke()).rejects.toThrow();
    await fixture.invoke();
    expect(fixture.metrics.sums()).toMatchObject({ RunsFailed: 1, RunsStarted: 1 });
    expect(fixture.metrics.published).toBe(fixture.metrics.values.length);
  });

  it('a run that another invocation takes over, and its page once', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    await expect(fixture.invoke(tick(), dyingAt(fixture, 6, true))).rejects.toThrow('the process has ended');
    await fixture.clock.advance(120_000);
    await fixture.invoke();
    expect(fixture.metrics.sums()).toMatchObject({ RunsStarted: 1, RunsTakenOver: 1, Eligible: 3, Enqueued: 3 });
  });

  it('records that were withdrawn', async () => {
    let records = someRecords(3);
    const fixture = new Fixture({ jobs: [jobOver(() => records)] });
    // Written down, nothing sent yet.
    await expect(fixture.invoke(tick(), dyingAt(fixture, 6, true))).rejects.toThrow('the process has ended');
    expect((await fixture.keysItem(0))?.count).toBe(3);
    records = records.slice(1);
    await fixture.clock.advance(120_000);
    await fixture.invoke();
    expect(fixture.metrics.sums()).toMatchObject({ Withdrawn: 1, Enqueued: 3 });
  });

  it('deaths of records of which no message came', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    await fixture.invoke();
    await fixture.clock.advance((CONFIGURATION.queueRetention + 12 * 3600) * 1000 + 1);
    await fixture.invoke(WATCHDOG);
    await fixture.invoke(WATCHDOG);
    expect(fixture.metrics.values.filter(({ metric }) => metric === 'Dead')).toEqual([
      { metric: 'Dead', value: 3, jobType: 'job' },
    ]);
    expect(fixture.metrics.sum('RunsCompleted')).toBe(1);
  });
});

describe('what the watchdog measures', () => {
  it('records in flight, and the age of the oldest run that is not complete', async () => {
    const fixture = new Fixture({ records: someRecords(12) });
    await fixture.invoke();
    await fixture.clock.advance(3_600_000);
    await fixture.invoke(WATCHDOG);
    expect(fixture.metrics.of('OldestRunAge')).toEqual([0, 3600]);
    expect(fixture.metrics.of('InFlight')).toEqual([12, 12]);
    await fixture.settleAll();
    await fixture.invoke(WATCHDOG);
    expect(fixture.metrics.of('OldestRunAge')).toEqual([0, 3600, 0]);
    expect(fixture.metrics.of('InFlight')).toEqual([12, 12, 0]);
    expect(fixture.metrics.sums()).toMatchObject({ RunsCompleted: 1, RunDuration: 3_600_000 });
  });

  it('a run whose scan nobody brings further, too', async () => {
    const fixture = new Fixture({ records: someRecords(12) });
    await expect(fixture.invoke(tick(), dyingAt(fixture, 6, true))).rejects.toThrow('the process has ended');
    await fixture.clock.advance(7_200_000);
    await expect(fixture.invoke(WATCHDOG, queueDyingAt(fixture, 0))).rejects.toThrow('the queue is away');
    expect(fixture.metrics.of('OldestRunAge')).toEqual([7200]);
  });

  it('estimates what is in flight from the pages that it looks at, where there are many', async () => {
    const fixture = new Fixture({ records: someRecords(1500) });
    await fixture.invoke();
    const [estimate] = fixture.metrics.of('InFlight');
    expect(estimate).toBe(1500);
  });

  it('tells of a run whose books do not balance', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    await fixture.invoke();
    const page = ITEM_KEYS.page({ fanoutId: FANOUT, runId: TICK, jobType: 'job', segment: 0, page: 0 });
    // Settled, with an outcome of which nobody knows.
    await fixture.memory.update(page, { add: [[['settled'], new Set([0, 1, 2])]] });
    await fixture.invoke(WATCHDOG);
    expect(fixture.metrics.sums()).toMatchObject({ RunsCompleted: 1, RunsUnbalanced: 1 });
    expect(fixture.log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'the books of a run do not balance' }),
    );
  });
});

/** A scan that has reached its second page. */
async function scanning(
  configuration: Partial<typeof CONFIGURATION>,
): Promise<{ readonly fixture: Fixture; readonly scan: Promise<unknown> }> {
  const fixture: Fixture = new Fixture({
    configuration,
    deduplication: 'perRun',
    jobs: [
      jobOver(() => [], {
        async *source({ cursor = 0 }: { cursor?: number }) {
          for (let place = cursor; place < 30; place++) {
            await sleep(fixture.clock, 1000);
            yield { record: { id: `r${place}` }, cursor: place + 1 };
          }
        },
      }),
    ],
  });
  const scan = fixture.start(tick());
  await drained();
  await fixture.clock.advance(12_000);
  return { fixture, scan };
}
