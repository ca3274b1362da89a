import type { FanoutConfiguration, RunItem } from '../../../lambda/contract';
import { SQS } from '../../../lambda/contract';
import { FANOUT, Fixture, TICK, dyingAt, someRecords, tick } from './fixture';

const WATCHDOG = { kind: 'watchdog' };
const LEASE_MS = 60_000;
const [SECOND, THIRD, FOURTH] = ['2026-01-01T00:05:00Z', '2026-01-01T00:10:00Z', '2026-01-01T00:15:00Z'] as const;
const LOCK_KEY = { pk: FANOUT, sk: 'LOCK' };

/** A scanner whose first run is scanned, and whose records are all in the queue. */
async function scannedFixture(overlap: FanoutConfiguration['overlap'], overlapUntil = 'completed'): Promise<Fixture> {
  const fixture = new Fixture({
    records: someRecords(15),
    deduplication: 'perRun',
    configuration: {
      ...(overlap !== undefined && { overlap }),
      overlapUntil: overlapUntil as 'scanned' | 'completed',
    },
  });
  expect(await fixture.invoke(tick())).toMatchObject({ outcome: 'scanned', runId: TICK });
  return fixture;
}

async function statesOf(fixture: Fixture): Promise<Record<string, string>> {
  const runs = (await fixture.memory.query<RunItem>(FANOUT)).filter(({ sk }) => sk.startsWith('RUN#'));
  return Object.fromEntries(runs.map(({ runId, state }) => [runId, state]));
}

describe('a run that is on until it is completed', () => {
  it('stays in the lock, which nobody holds', async () => {
    const fixture = await scannedFixture(undefined);
    expect(await fixture.lock()).toEqual({ ...LOCK_KEY, fence: 1, leaseUntil: 0, runId: TICK });
    expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'idle' });
    expect(await fixture.lock()).toMatchObject({ runId: TICK });
    expect(await fixture.runItem()).not.toHaveProperty('takeovers');
  });

  it('leaves the lock with the first invocation after its completion', async () => {
    const fixture = await scannedFixture(undefined);
    await fixture.settleAll();
    expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'idle' });
    expect(await fixture.lock()).toEqual({ ...LOCK_KEY, fence: 2, leaseUntil: 0 });
    expect(await statesOf(fixture)).toEqual({ [TICK]: 'completed' });
  });

  it('leaves it at once where it has nothing to settle', async () => {
    const fixture = new Fixture({ records: [], configuration: { overlapUntil: 'completed' } });
    await fixture.invoke(tick());
    expect(await fixture.lock()).not.toHaveProperty('runId');
  });

  it('is over once it is scanned by default', async () => {
    const fixture = await scannedFixture('skip', 'scanned');
    expect(await fixture.invoke(tick(SECOND))).toMatchObject({ outcome: 'scanned', runId: SECOND });
  });

  it('is over once it has failed', async () => {
    const fixture = await scannedFixture('skip');
    await fixture.memory.update(
      { pk: FANOUT, sk: `RUN#${TICK}` },
      {
        set: [
          [['state'], 'failed'],
          [['rest'], {}],
        ],
      },
    );
    expect(await fixture.invoke(tick(SECOND))).toMatchObject({ outcome: 'scanned', runId: SECOND });
  });

  describe('skip', () => {
    it('refuses ticks visibly until then', async () => {
      const fixture = await scannedFixture('skip');
      expect(await fixture.invoke(tick(SECOND))).toEqual({ outcome: 'skipped', runId: SECOND });
      expect(await fixture.runItem(SECOND)).toMatchObject({ state: 'skipped', cause: `run ${TICK} is not completed` });
      await fixture.settleAll();
      expect(await fixture.invoke(tick(THIRD))).toMatchObject({ outcome: 'scanned', runId: THIRD });
      expect(await statesOf(fixture)).toEqual({ [TICK]: 'completed', [SECOND]: 'skipped', [THIRD]: 'scanned' });
    });

    it('refuses them too where the holder ended before it gave the lock back', async () => {
      const fixture = await scannedFixture('skip');
      const set = [
        [['token'], 'of somebody who is gone'],
        [['leaseUntil'], fixture.clock.now() + LEASE_MS],
      ] as const;
      await fixture.memory.update(LOCK_KEY, { set });
      await fixture.clock.advance(LEASE_MS);
      expect(await fixture.invoke(tick(SECOND))).toMatchObject({ outcome: 'skipped' });
      expect(await fixture.lock()).not.toHaveProperty('token');
    });
  });

  describe('queueOne', () => {
    it.each<[string, unknown, Record<string, string>]>([
      ['the watchdog', WATCHDOG, { [SECOND]: 'skipped', [FOURTH]: 'scanned' }],
      ['a repeated delivery of it', tick(FOURTH), { [SECOND]: 'skipped', [FOURTH]: 'scanned' }],
      [
        'the next tick, which is newer and takes its place,',
        tick('2026-01-01T00:20:00Z'),
        { [SECOND]: 'skipped', [FOURTH]: 'skipped', '2026-01-01T00:20:00Z': 'scanned' },
      ],
    ])('lets the newest tick wait, which %s starts then', async (_, event, states) => {
      const fixture = await scannedFixture('queueOne');
      expect(await fixture.invoke(tick(SECOND))).toEqual({ outcome: 'queued', runId: SECOND });
      expect(await fixture.invoke(tick(FOURTH))).toEqual({ outcome: 'queued', runId: FOURTH });
      expect(await fixture.invoke(tick(THIRD))).toEqual({ outcome: 'skipped', runId: THIRD });
      expect(await fixture.invoke(tick(FOURTH))).toEqual({ outcome: 'queued', runId: FOURTH });
      expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'idle' });
      expect(await fixture.lock()).toMatchObject({ runId: TICK, waiting: { runId: FOURTH } });
      await fixture.settleAll();
      expect(await fixture.invoke(event)).toMatchObject({ outcome: 'scanned' });
      expect(await statesOf(fixture)).toEqual({ [TICK]: 'completed', [THIRD]: 'skipped', ...states });
      expect(await fixture.lock()).not.toHaveProperty('waiting');
    });

    it('keeps a tick that came during the scan waiting until then', async () => {
      const fixture: Fixture = new Fixture({
        records: someRecords(3),
        deduplication: 'perRun',
        configuration: { overlap: 'queueOne', overlapUntil: 'completed' },
      });
      const queue = {
        changeVisibility: () => Promise.resolve(0),
        sendBatch: async (entries: Parameters<typeof fixture.queue.sendBatch>[0]) => {
          expect(await fixture.start(tick(SECOND))).toMatchObject({
            outcome: expect.stringMatching(/queued|duplicate/) as string,
          });
          return fixture.queue.sendBatch(entries);
        },
      };
      expect(await fixture.invoke(tick(), { queue })).toMatchObject({ outcome: 'scanned', runId: TICK });
      expect(await fixture.lock()).toMatchObject({ runId: TICK, waiting: { runId: SECOND } });
      await fixture.settleAll();
      expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'scanned', runId: SECOND });
    });

    it('starts it when the sweep has completed the run', async () => {
      const fixture = await scannedFixture('queueOne');
      await fixture.invoke(tick(SECOND));
      const { queueRetention } = fixture.context.configuration;
      await fixture.clock.advance((queueRetention + SQS.visibilitySeconds) * 1000 + 1);
      expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'scanned', runId: SECOND });
      expect((await fixture.runItem())?.totals).toMatchObject({ dead: 15 });
    });

    it('starts it once, wherever the invocation ends that does so', async () => {
      for (let write = 1; write <= 40; write++) {
        for (const isApplied of [true, false]) {
          const fixture = await scannedFixture('queueOne');
          await fixture.invoke(tick(SECOND));
          await fixture.settleAll();
          await fixture.invoke(WATCHDOG, dyingAt(fixture, write, isApplied)).catch(() => undefined);
          await fixture.clock.advance(LEASE_MS);
          for (let round = 0; round < 2; round++) {
            await fixture.invoke(WATCHDOG);
          }
          const states = await statesOf(fixture);
          expect([write, isApplied, states]).toEqual([write, isApplied, { [TICK]: 'completed', [SECOND]: 'scanned' }]);
          const keys = fixture.queue.envelopes().filter(({ run }) => run === SECOND);
          expect(keys.map(({ key }) => key).sort()).toEqual(
            someRecords(15)
              .map(({ id }) => id)
              .sort(),
          );
        }
      }
    });
  });

  describe('cancelRunning', () => {
    it('takes the place of a run that is scanned: what is in the queue of it will be cancelled', async () => {
      const fixture = await scannedFixture('cancelRunning');
      expect(await fixture.invoke(tick(SECOND))).toMatchObject({ outcome: 'scanned', runId: SECOND });
      expect(await fixture.runItem()).toMatchObject({
        state: 'cancelled',
        cause: `tick ${SECOND} took its place`,
        rest: {},
      });
      await fixture.settleAll();
      await fixture.invoke(WATCHDOG);
      expect((await fixture.runItem())?.totals).toMatchObject({ eligible: 15, enqueued: 15 });
      expect(await fixture.runItem()).toMatchObject({ state: 'cancelled', completedAt: expect.any(Number) as number });
    });

    it('leaves a run alone that is completed', async () => {
      const fixture = await scannedFixture('cancelRunning');
      await fixture.settleAll();
      await fixture.invoke(tick(SECOND));
      expect(await statesOf(fixture)).toEqual({ [TICK]: 'completed', [SECOND]: 'scanned' });
    });

    it('a late tick that is older cancels nothing', async () => {
      const fixture = await scannedFixture('cancelRunning');
      expect(await fixture.invoke(tick('2025-12-31T23:55:00Z'))).toMatchObject({ outcome: 'skipped' });
      expect(await fixture.runItem()).toMatchObject({ state: 'scanned' });
    });

    it('takes it too where the tick waits in the lock', async () => {
      const fixture = await scannedFixture('cancelRunning');
      const waiting = { runId: SECOND, tick: { kind: 'tick', scheduledTime: SECOND } };
      await fixture.memory.update(LOCK_KEY, { set: [[['waiting'], waiting]] });
      expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'scanned', runId: SECOND });
      expect(await statesOf(fixture)).toEqual({ [TICK]: 'cancelled', [SECOND]: 'scanned' });
    });

    it('starts the tick, and cancels the run, wherever the invocation ends that does so', async () => {
      for (let write = 1; write <= 40; write++) {
        for (const isApplied of [true, false]) {
          const fixture = await scannedFixture('cancelRunning');
          await fixture.invoke(tick(SECOND), dyingAt(fixture, write, isApplied)).catch(() => undefined);
          await fixture.clock.advance(LEASE_MS);
          // Lambda's retry of the tick.
          await fixture.invoke(tick(SECOND));
          await fixture.invoke(WATCHDOG);
          const states = await statesOf(fixture);
          expect([write, isApplied, states]).toEqual([write, isApplied, { [TICK]: 'cancelled', [SECOND]: 'scanned' }]);
        }
      }
    });
  });
});
