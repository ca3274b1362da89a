import type { FanoutConfiguration, RunItem, ScannerAnswer } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { sleep } from '../../../lambda/ports';
import type { FixtureOptions } from './fixture';
import { FANOUT, Fixture, TICK, drained, dyingAt, jobOver, queueDyingAt, someRecords, tick } from './fixture';

const WATCHDOG = { kind: 'watchdog' };
const LEASE_MS = 60_000;
const [SECOND, THIRD, FOURTH] = ['2026-01-01T00:05:00Z', '2026-01-01T00:10:00Z', '2026-01-01T00:15:00Z'] as const;

/** A scanner whose source takes a second for each record. */
function slowFixture(overlap: FanoutConfiguration['overlap'], options: FixtureOptions = {}, count = 30): Fixture {
  const fixture: Fixture = new Fixture({
    deduplication: 'perRun',
    ...options,
    jobs: [
      jobOver(() => [], {
        async *source({ cursor = 0 }: { cursor?: number }) {
          for (let place = cursor; place < count; place++) {
            await sleep(fixture.clock, 1000);
            yield { record: { id: `r${place}` }, cursor: place + 1 };
          }
        },
      }),
    ],
    configuration: { ...(overlap !== undefined && { overlap }), ...options.configuration },
  });
  return fixture;
}

async function statesOf(fixture: Fixture): Promise<Record<string, string>> {
  const runs = (await fixture.memory.query<RunItem>(FANOUT)).filter(({ sk }) => sk.startsWith('RUN#'));
  return Object.fromEntries(runs.map(({ runId, state }) => [runId, state]));
}

const keysOf = (fixture: Fixture, runId: string): string[] =>
  fixture.queue
    .envelopes()
    .filter(({ run }) => run === runId)
    .map(({ key }) => key);

const ids = (count: number): string[] => someRecords(count).map(({ id }) => id);

/** Starts a scan and lets it reach its second page. */
async function running(fixture: Fixture): Promise<{ readonly scan: Promise<ScannerAnswer> }> {
  const scan = fixture.start(tick());
  await drained();
  await fixture.clock.advance(12_000);
  return { scan };
}

describe('Scanner, overlap policy skip', () => {
  it('refuses a tick visibly: a run of its own, an answer, and a line in the log', async () => {
    const fixture = slowFixture(undefined);
    const { scan } = await running(fixture);
    expect(await fixture.start(tick(SECOND))).toEqual({ outcome: 'skipped', runId: SECOND });
    const lines = fixture.log.lines.filter(({ message }) => message === 'a tick was refused');
    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'a tick was refused',
        fields: { runId: SECOND, cause: `run ${TICK} is being scanned` },
      },
    ]);
    await fixture.run(scan);
    expect(await statesOf(fixture)).toEqual({ [TICK]: 'scanned', [SECOND]: 'skipped' });
  });
});

describe('Scanner, overlap policy queueOne', () => {
  it('runs the newest waiting tick right after the holder, and skips the older ones', async () => {
    const fixture = slowFixture('queueOne');
    const { scan } = await running(fixture);
    expect(await fixture.start(tick(SECOND))).toEqual({ outcome: 'queued', runId: SECOND });
    expect(await fixture.start(tick(FOURTH))).toEqual({ outcome: 'queued', runId: FOURTH });
    expect(await fixture.start(tick(THIRD))).toEqual({ outcome: 'skipped', runId: THIRD });
    expect(await fixture.start(tick(FOURTH))).toEqual({ outcome: 'duplicate', runId: FOURTH });
    expect(await fixture.start(tick(SECOND))).toEqual({ outcome: 'skipped', runId: SECOND });
    expect(await fixture.run(scan)).toMatchObject({ outcome: 'scanned', runId: FOURTH });
    expect(await statesOf(fixture)).toEqual({
      [TICK]: 'scanned',
      [SECOND]: 'skipped',
      [THIRD]: 'skipped',
      [FOURTH]: 'scanned',
    });
    expect([keysOf(fixture, TICK), keysOf(fixture, FOURTH)]).toEqual([ids(30), ids(30)]);
    expect(await fixture.lock()).toEqual({ pk: FANOUT, sk: 'LOCK', fence: 1, leaseUntil: 0 });
  });

  it('hands the waiting tick over where the time of the invocation is nearly over', async () => {
    const fixture = slowFixture('queueOne', { timeout: 40_000 }, 25);
    const { scan } = await running(fixture);
    await fixture.start(tick(SECOND));
    let answer = await fixture.run(scan);
    expect(fixture.continuations.length).toBeGreaterThan(0);
    while (answer.outcome === 'continued') {
      answer = await fixture.invoke(fixture.continuations.at(-1));
    }
    expect(answer).toMatchObject({ outcome: 'scanned', runId: SECOND });
    expect([keysOf(fixture, TICK), keysOf(fixture, SECOND)]).toEqual([ids(25), ids(25)]);
  });

  it.each<[string, unknown, Record<string, string>]>([
    ['the watchdog', WATCHDOG, { [SECOND]: 'scanned' }],
    ['the retry of the first tick', tick(), { [SECOND]: 'scanned' }],
    ['the next tick, which is newer,', tick(THIRD), { [SECOND]: 'skipped', [THIRD]: 'scanned' }],
  ])('runs the newest waiting tick after a crash of the holder, by %s', async (_, event, states) => {
    const fixture = slowFixture('queueOne');
    const ended = fixture.start(tick(), queueDyingAt(fixture, 1)).catch(() => undefined);
    await drained();
    await fixture.clock.advance(12_000);
    expect(await fixture.start(tick(SECOND))).toMatchObject({ outcome: 'queued' });
    await fixture.run(ended);
    await fixture.clock.advance(LEASE_MS);
    await fixture.invoke(event);
    expect(await statesOf(fixture)).toEqual({ [TICK]: 'scanned', ...states });
    expect(keysOf(fixture, TICK)).toEqual(ids(30));
    expect((await fixture.lock())?.token).toBeUndefined();
  });

  it('lets a tick that takes an unfinished run over run right after it', async () => {
    const fixture = slowFixture('queueOne');
    await fixture.invoke(tick(), queueDyingAt(fixture, 1)).catch(() => undefined);
    expect(await fixture.invoke(tick(SECOND))).toMatchObject({ outcome: 'scanned', runId: SECOND });
    expect([keysOf(fixture, TICK), keysOf(fixture, SECOND)]).toEqual([ids(30), ids(30)]);
  });

  it('runs a tick that waits behind a run that fails', async () => {
    const failures = { left: 4 };
    const fixture: Fixture = new Fixture({
      configuration: { overlap: 'queueOne' },
      jobs: [
        jobOver(() => [], {
          async *source() {
            await sleep(fixture.clock, 1000);
            if (failures.left-- > 0) {
              throw new Error('statement timeout');
            }
            yield { record: { id: 'r0' }, cursor: null };
          },
        }),
      ],
    });
    const scan = fixture.start(tick());
    await drained();
    expect(await fixture.start(tick(SECOND))).toMatchObject({ outcome: 'queued' });
    await expect(fixture.run(scan)).rejects.toMatchObject({ code: 'SourceFailed' });
    expect(fixture.continuations).toEqual([{ kind: 'continuation', runId: SECOND, fence: 1, hops: 1 }]);
    expect(await fixture.invoke(fixture.continuations[0])).toMatchObject({ outcome: 'scanned', runId: SECOND });
  });

  it('leaves a waiting tick in the ledger or in the lock, wherever the holder ends', async () => {
    for (let write = 1; write <= 45; write++) {
      for (const isApplied of [true, false]) {
        const fixture = new Fixture({
          records: someRecords(15),
          deduplication: 'perRun',
          configuration: { overlap: 'queueOne', pageSize: 6 },
        });
        const queued = { is: false };
        const queue = {
          changeVisibility: () => Promise.resolve(0),
          sendBatch: async (entries: Parameters<typeof fixture.queue.sendBatch>[0]) => {
            if (!queued.is) {
              queued.is = true;
              await fixture.start(tick(SECOND));
            }
            return fixture.queue.sendBatch(entries);
          },
        };
        await fixture.invoke(tick(), { ...dyingAt(fixture, write, isApplied), queue }).catch(() => undefined);
        await fixture.clock.advance(LEASE_MS);
        for (let round = 0; round < 3; round++) {
          await fixture.invoke(WATCHDOG);
        }
        // Lambda delivers the tick again where nothing of it was written down.
        await fixture.invoke(tick());
        const expected = { [TICK]: 'scanned', ...(queued.is ? { [SECOND]: 'scanned' } : {}) };
        expect([write, isApplied, await statesOf(fixture)]).toEqual([write, isApplied, expected]);
        expect(keysOf(fixture, TICK)).toEqual(ids(15));
        expect(keysOf(fixture, SECOND)).toEqual(queued.is ? ids(15) : []);
        expect(await fixture.lock()).not.toHaveProperty('waiting');
      }
    }
  });
});

describe('Scanner, overlap policy cancelRunning', () => {
  it('stops the running scan at its next page, and runs the tick', async () => {
    const fixture = slowFixture('cancelRunning');
    const { scan } = await running(fixture);
    expect(await fixture.start(tick(SECOND))).toEqual({ outcome: 'queued', runId: SECOND });
    expect(await fixture.runItem()).toMatchObject({ state: 'cancelled', cause: `tick ${SECOND} took its place` });
    expect(await fixture.run(scan)).toMatchObject({ outcome: 'scanned', runId: SECOND });
    expect([keysOf(fixture, TICK), keysOf(fixture, SECOND)]).toEqual([ids(10), ids(30)]);
    expect(await fixture.runItem()).toMatchObject({ state: 'cancelled', rest: { 'job#0': 2 } });
    expect(await fixture.pageItem(1)).toMatchObject({ closed: true });
  });

  it('has its totals once what was sent of it is settled, and leaves nothing open', async () => {
    const fixture = slowFixture('cancelRunning');
    const { scan } = await running(fixture);
    await fixture.start(tick(SECOND));
    await fixture.run(scan);
    await fixture.settleAll();
    await fixture.invoke(WATCHDOG);
    const run = await fixture.runItem();
    expect(run).toMatchObject({ state: 'cancelled', completedAt: expect.any(Number) as number });
    const { enqueued, succeeded, cancelled } = run!.totals!;
    expect([enqueued, succeeded + cancelled, succeeded]).toEqual([enqueued, enqueued, 10]);
    expect(fixture.items('F#OPEN')).toEqual([]);
  });

  it('does not wait for a source that stands still', async () => {
    const fixture: Fixture = new Fixture({
      configuration: { overlap: 'cancelRunning' },
      jobs: [
        jobOver(() => [], {
          async *source({ tick: { scheduledTime } }: { tick: { scheduledTime: string } }) {
            await sleep(fixture.clock, scheduledTime === TICK ? 600_000 : 0);
            yield { record: { id: 'r0' }, cursor: null };
          },
        }),
      ],
    });
    const scan = fixture.start(tick());
    await drained();
    await fixture.start(tick(SECOND));
    const begun = fixture.clock.now();
    expect(await fixture.run(scan)).toMatchObject({ outcome: 'scanned', runId: SECOND });
    expect(fixture.clock.now() - begun).toBeLessThan(LEASE_MS);
    expect(await statesOf(fixture)).toEqual({ [TICK]: 'cancelled', [SECOND]: 'scanned' });
  });

  it('cancels between hand-over and continuation, and the continuation runs the tick', async () => {
    const fixture = slowFixture('cancelRunning', { timeout: 20_000 });
    await fixture.invoke();
    expect(await fixture.invoke(tick(SECOND))).toMatchObject({ outcome: 'queued' });
    let answer = await fixture.invoke(fixture.continuations[0]);
    while (answer.outcome === 'continued') {
      answer = await fixture.invoke(fixture.continuations.at(-1));
    }
    expect(answer).toMatchObject({ outcome: 'scanned', runId: SECOND });
    expect((await fixture.runItem())?.rest).toBeDefined();
    expect(keysOf(fixture, SECOND)).toEqual(ids(30));
  });

  it('cancels a run whose holder ended, brings it to rest and runs', async () => {
    const fixture = slowFixture('cancelRunning');
    await fixture.invoke(tick(), queueDyingAt(fixture, 1)).catch(() => undefined);
    expect(await fixture.invoke(tick(SECOND))).toMatchObject({ outcome: 'scanned', runId: SECOND });
    expect(await fixture.pageItem(1)).toMatchObject({ closed: true, cancelled: new Set(Array(10).keys()) });
    expect(await statesOf(fixture)).toEqual({ [TICK]: 'cancelled', [SECOND]: 'scanned' });
  });

  it('a late tick that is older than the running one cancels nothing', async () => {
    const fixture = slowFixture('cancelRunning');
    const scan = fixture.start(tick(SECOND));
    await drained();
    expect(await fixture.start(tick(TICK))).toMatchObject({ outcome: 'skipped' });
    expect(await fixture.run(scan)).toMatchObject({ outcome: 'scanned', runId: SECOND });
  });

  it('leaves claimed records to their handler, and everything at rest, wherever the holder ends', async () => {
    for (let write = 4; write <= 50; write++) {
      for (const isApplied of [true, false]) {
        const fixture = new Fixture({
          records: someRecords(15),
          deduplication: 'perRun',
          configuration: { overlap: 'cancelRunning', pageSize: 6 },
        });
        let calls = 0;
        const queue = {
          changeVisibility: () => Promise.resolve(0),
          sendBatch: async (entries: Parameters<typeof fixture.queue.sendBatch>[0]) => {
            calls += 1;
            const answer = await fixture.queue.sendBatch(entries);
            if (calls === 2) {
              const page = ITEM_KEYS.page({ fanoutId: FANOUT, runId: TICK, jobType: 'job', segment: 0, page: 1 });
              await fixture.memory.update(page, { set: [[['claims', '1'], { t: 'c', a: 1, f: 0 }]] });
              await fixture.start(tick(SECOND));
            }
            return answer;
          },
        };
        await fixture.invoke(tick(), { ...dyingAt(fixture, write, isApplied), queue }).catch(() => undefined);
        await fixture.clock.advance(LEASE_MS);
        for (let round = 0; round < 3; round++) {
          await fixture.invoke(WATCHDOG);
        }
        const isCancelled = (await fixture.runItem())?.state === 'cancelled';
        expect([write, isApplied, calls < 2 || isCancelled]).toEqual([write, isApplied, true]);
        expect(keysOf(fixture, SECOND)).toEqual(calls < 2 ? [] : ids(15));
        if (isCancelled) {
          expect((await fixture.pageItem(1))?.cancelled?.has(1)).not.toBe(true);
          await fixture.settleAll();
          await fixture.invoke(WATCHDOG);
          const { totals } = (await fixture.runItem())!;
          expect(totals).toMatchObject({ enqueued: (totals?.succeeded ?? 0) + (totals?.cancelled ?? 0) });
          expect(fixture.items('F#OPEN')).toEqual([]);
        }
      }
    }
  });
});
