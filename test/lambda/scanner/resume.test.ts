import type { RunItem } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { sleep } from '../../../lambda/ports';
import {
  FANOUT,
  Fixture,
  TICK,
  drained,
  dyingAt,
  jobOver,
  laterTick,
  queueDyingAt,
  someRecords,
  tick,
} from './fixture';

const RESUME = { kind: 'resume', runId: TICK };
const WATCHDOG = { kind: 'watchdog' };
const LEASE_MS = 60_000;
const ids = (count: number): string[] => someRecords(count).map(({ id }) => id);

/** Fails at its 14th record for as long as `isBroken` says. */
function brokenFixture(): { readonly fixture: Fixture; readonly state: { isBroken: boolean } } {
  const state = { isBroken: true };
  const job = jobOver(() => [], {
    async *source({ cursor = 0 }: { cursor?: number }) {
      for (let at = cursor; at < 25; at++) {
        if (at === 13 && state.isBroken) {
          throw new Error('statement timeout');
        }
        yield { record: { id: `r${at}` }, cursor: at + 1 };
      }
    },
  });
  return { fixture: new Fixture({ jobs: [job] }), state };
}

describe('Scanner, a failed run', () => {
  it('gets its totals once what was sent of it is settled, and stays failed', async () => {
    const { fixture } = brokenFixture();
    await fixture.invoke().catch(() => undefined);
    expect(await fixture.runItem()).toMatchObject({ state: 'failed', rest: { 'job#0': 2 } });
    expect((await fixture.runItem())?.completedAt).toBeUndefined();
    await fixture.settleAll();
    await fixture.invoke(WATCHDOG);
    expect(await fixture.runItem()).toMatchObject({ state: 'failed', totals: { eligible: 10, succeeded: 10 } });
    expect((await fixture.runItem())?.completedAt).toBeDefined();
    expect(fixture.items('F#OPEN')).toEqual([]);
  });

  it.each([
    ['before its records are settled', false],
    ['after it has its totals', true],
  ])('goes on from its place when it is resumed %s', async (_, areSettled) => {
    const { fixture, state } = brokenFixture();
    await fixture.invoke().catch(() => undefined);
    if (areSettled) {
      await fixture.settleAll();
      await fixture.invoke(WATCHDOG);
    }
    state.isBroken = false;
    expect(await fixture.invoke(RESUME)).toMatchObject({ outcome: 'scanned', runId: TICK, counts: { eligible: 15 } });
    expect(fixture.queue.keys()).toEqual(ids(25));
    const run = (await fixture.runItem())!;
    expect([run.state, run.cause, run.rest, run.totals]).toEqual(['scanned', undefined, undefined, undefined]);
    await fixture.settleAll();
    await fixture.invoke(WATCHDOG);
    expect(await fixture.runItem()).toMatchObject({ state: 'completed', totals: { eligible: 25, succeeded: 25 } });
    expect(fixture.items('F#OPEN')).toEqual([]);
  });

  it('sends what was withdrawn when it failed, and nothing that was claimed', async () => {
    const { fixture, state } = brokenFixture();
    state.isBroken = false;
    await fixture.invoke(tick(), queueDyingAt(fixture, 1)).catch(() => undefined);
    state.isBroken = true;
    const second = ITEM_KEYS.page({ fanoutId: FANOUT, runId: TICK, jobType: 'job', segment: 0, page: 1 });
    await fixture.memory.update(second, { set: [[['claims', '0'], { t: 'c', a: 1, f: 0 }]] });
    await expect(fixture.invoke()).rejects.toMatchObject({ code: 'SourceFailed' });
    state.isBroken = false;
    expect((await fixture.invoke(RESUME)).counts).toMatchObject({ eligible: 15, enqueued: 14, duplicate: 1 });
    expect(fixture.queue.keys()).toEqual(ids(25).filter((id) => id !== 'r10'));
  });

  it('fails again where its source still does, with its place kept', async () => {
    const { fixture, state } = brokenFixture();
    await fixture.invoke().catch(() => undefined);
    await expect(fixture.invoke(RESUME)).rejects.toMatchObject({ code: 'SourceFailed' });
    expect(await fixture.runItem()).toMatchObject({ state: 'failed' });
    state.isBroken = false;
    expect(await fixture.invoke(RESUME)).toMatchObject({ outcome: 'scanned' });
    expect(fixture.queue.keys()).toEqual(ids(25));
  });

  it('is resumed once where the event comes twice', async () => {
    const { fixture, state } = brokenFixture();
    await fixture.invoke().catch(() => undefined);
    state.isBroken = false;
    await fixture.invoke(RESUME);
    expect(await fixture.invoke(RESUME)).toEqual({ outcome: 'duplicate', runId: TICK });
    expect(fixture.queue.keys()).toEqual(ids(25));
  });

  it('is resumed once, wherever its holder ends', async () => {
    for (let write = 1; write <= 14; write++) {
      for (const isApplied of [true, false]) {
        const { fixture, state } = brokenFixture();
        await fixture.invoke().catch(() => undefined);
        state.isBroken = false;
        await fixture.invoke(RESUME, dyingAt(fixture, write, isApplied)).catch(() => undefined);
        await fixture.clock.advance(LEASE_MS);
        await fixture.invoke(RESUME);
        await fixture.invoke(WATCHDOG);
        await fixture.settleAll();
        await fixture.invoke(WATCHDOG);
        expect([write, isApplied, fixture.queue.keys()]).toEqual([write, isApplied, ids(25)]);
        expect(await fixture.runItem()).toMatchObject({ state: 'completed', totals: { succeeded: 25 } });
        expect(fixture.items('F#OPEN')).toEqual([]);
      }
    }
  });

  it('is not resumed while another run is on', async () => {
    const { fixture, state } = brokenFixture();
    await fixture.invoke().catch(() => undefined);
    state.isBroken = false;
    const queue = {
      changeVisibility: () => Promise.resolve(0),
      sendBatch: async (entries: Parameters<typeof fixture.queue.sendBatch>[0]) => {
        await sleep(fixture.clock, 1000);
        return fixture.queue.sendBatch(entries);
      },
    };
    const scan = fixture.start(laterTick, { queue });
    await drained();
    expect(await fixture.start(RESUME)).toEqual({ outcome: 'busy', runId: TICK });
    await fixture.run(scan);
    expect(await fixture.runItem()).toMatchObject({ state: 'failed' });
  });

  it.each([['skipped'], ['cancelled'], [undefined]])('refuses to resume a run that is %s', async (state) => {
    const fixture = new Fixture({ records: someRecords(3) });
    if (state !== undefined) {
      await fixture.invoke();
      await fixture.memory.update<RunItem>(ITEM_KEYS.run(FANOUT, TICK), { set: [[['state'], state]] });
    }
    await expect(fixture.invoke(RESUME)).rejects.toMatchObject({ code: 'RunNotResumable' });
    expect((await fixture.lock())?.token).toBeUndefined();
  });
});

describe('Scanner, a page that takes longer than one invocation', () => {
  /** A source that takes `delay` milliseconds for each record. */
  function slowFixture(count: number): { readonly fixture: Fixture; readonly pace: { delay: number } } {
    const pace = { delay: 0 };
    const fixture: Fixture = new Fixture({
      timeout: 20_000,
      jobs: [
        jobOver(() => [], {
          async *source({ cursor = 0 }: { cursor?: number }) {
            for (let at = cursor; at < count; at++) {
              await sleep(fixture.clock, pace.delay);
              yield { record: { id: `r${at}` }, cursor: at + 1 };
            }
          },
        }),
      ],
    });
    return { fixture, pace };
  }

  it('is given up for new pages, which end early, when it cannot be read again', async () => {
    const { fixture, pace } = slowFixture(10);
    await fixture.invoke(tick(), dyingAt(fixture, 7, true)).catch(() => undefined);
    await fixture.clock.advance(LEASE_MS);
    pace.delay = 4000;
    let answer = await fixture.invoke(WATCHDOG);
    while (answer.outcome === 'continued') {
      answer = await fixture.invoke(fixture.continuations.at(-1));
    }
    expect(answer).toMatchObject({ outcome: 'scanned' });
    expect(fixture.continuations.map(({ idle }) => idle).slice(0, 3)).toEqual([1, 2, undefined]);
    expect(await fixture.pageItem(0)).toMatchObject({ closed: true, withdrawn: new Set(Array(10).keys()) });
    expect(fixture.queue.keys()).toEqual(ids(10));
    expect(fixture.log.lines.map(({ message }) => message)).toContain(
      'a page takes too long to be read again, its records move to new ones',
    );
  });

  it('fails its run early, with a clear cause, where the source yields nothing at all', async () => {
    const { fixture, pace } = slowFixture(1);
    pace.delay = 60_000;
    await fixture.invoke();
    while ((await fixture.runItem())?.state === 'scanning') {
      await fixture.invoke(fixture.continuations.at(-1)).catch(() => undefined);
    }
    expect(fixture.continuations).toHaveLength(11);
    expect(await fixture.runItem()).toMatchObject({ state: 'failed' });
    expect((await fixture.runItem())?.cause).toContain('11 invocations in a row without a page');
  });
});
