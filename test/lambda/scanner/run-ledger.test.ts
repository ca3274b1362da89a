import type { RunItem } from '../../../lambda/contract';
import {
  markFailed,
  markScanned,
  recordLanes,
  skipRun,
  startRun,
  takeOverRun,
} from '../../../lambda/scanner/run-ledger';
import { refuseTick } from '../../../lambda/scanner/waiting-tick';
import { Fixture, JOB, TICK } from './fixture';

const START = { runId: TICK, tick: { kind: 'tick', scheduledTime: TICK } };
const FAILURE = { cause: 'x', rest: {} };
const LANES = [{ lane: { fanoutId: 'F', runId: TICK, jobType: JOB, segment: 0 }, pages: 2 }];

async function started(fence = 1): Promise<{ fixture: Fixture; run: RunItem }> {
  const fixture = new Fixture();
  return { fixture, run: (await startRun(fixture.context, START, fence)).run };
}

describe('a run in the ledger', () => {
  it('starts with its tick and its own row in the index', async () => {
    const { fixture, run } = await started();
    expect(await fixture.runItem()).toEqual(run);
    expect(run).toMatchObject({ state: 'scanning', fence: 1, tick: START.tick, pages: {}, lanes: 'group' });
    expect(fixture.items('F#OPEN')).toMatchObject([{ sk: TICK }]);
  });

  it('is taken over by a newer fence, and by no older one', async () => {
    const { fixture } = await started(5);
    expect(await startRun(fixture.context, START, 6)).toMatchObject({ isNew: false, run: { fence: 6, takeovers: 1 } });
    await expect(startRun(fixture.context, START, 5)).rejects.toThrow('a newer fence holds the run');
    await expect(takeOverRun(fixture.context, TICK, 4, true)).rejects.toThrow('a newer fence holds the run');
  });

  it('does not count a takeover that was handed over', async () => {
    const { fixture } = await started();
    expect(await takeOverRun(fixture.context, TICK, 2, false)).not.toHaveProperty('takeovers');
  });

  it('gets its row in the index back when it is taken over', async () => {
    const { fixture } = await started();
    await fixture.memory.delete(fixture.items('F#OPEN')[0]!);
    await takeOverRun(fixture.context, TICK, 2, true);
    expect(fixture.items('F#OPEN')).toHaveLength(1);
  });

  it('that was never written down cannot be taken over', async () => {
    expect(await takeOverRun(new Fixture().context, 'unknown', 1, true)).toBeUndefined();
  });

  it('is ended by its newest holder alone', async () => {
    const { fixture, run } = await started();
    await takeOverRun(fixture.context, TICK, 2, true);
    for (const end of [
      () => markScanned(fixture.context, run, 1, LANES),
      () => markFailed(fixture.context, run, 1, FAILURE),
      () => recordLanes(fixture.context, run, 1, LANES),
    ]) {
      await expect(end()).rejects.toThrow('a newer fence holds the run');
    }
    expect(await fixture.runItem()).toMatchObject({ state: 'scanning', pages: {} });
    await markScanned(fixture.context, run, 2, LANES);
    expect(await fixture.runItem()).toMatchObject({ state: 'scanned', pages: { 'job#0': 2 } });
  });

  it('is as it should be where the reply of its end was lost', async () => {
    const { fixture, run } = await started();
    await markScanned(fixture.context, run, 1, LANES);
    await expect(markScanned(fixture.context, run, 1, LANES)).resolves.toBeUndefined();
    await expect(markFailed(fixture.context, run, 1, FAILURE)).rejects.toThrow();
  });

  it('stays as it is when its tick is refused later', async () => {
    const { fixture } = await started();
    expect(await skipRun(fixture.context, START, 'busy')).toBe(false);
    expect(await skipRun(fixture.context, { ...START, runId: 'other' }, 'busy')).toBe(true);
    expect(await skipRun(fixture.context, { ...START, runId: 'other' }, 'busy')).toBe(true);
    expect(await fixture.runItem()).toMatchObject({ state: 'scanning' });
    expect(await fixture.runItem('other')).toMatchObject({ state: 'skipped', cause: 'busy', fence: 0 });
    expect(fixture.items('F#OPEN')).toHaveLength(1);
  });

  it('makes a late delivery of its tick a duplicate, not a refused tick', async () => {
    const { fixture, run } = await started();
    await markScanned(fixture.context, run, 1, []);
    expect(await refuseTick(fixture.context, START, 'another run is being scanned')).toBe('duplicate');
    expect(await refuseTick(fixture.context, { ...START, runId: 'other' }, 'busy')).toBe('skipped');
  });
});
