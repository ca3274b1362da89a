import type { ItemKey } from '../../../lambda/contract';
import { Fixture, jobOver, laterTick, queueDyingAt, someRecords, tick } from './fixture';

const RENAMED = { jobType: 'new', aliases: ['job'] };

/** A scanner of the next deployment: another name for the job, the same table, queue and clock. */
function deployed(before: Fixture, count: number): Fixture {
  const after = new Fixture({ jobs: [jobOver(() => someRecords(count), RENAMED)] });
  const { memory: store, clock, queue } = before;
  Object.assign(after, { clock, queue, memory: store, context: { ...after.context, store, clock, queue } });
  return after;
}

const pagesOf = (fixture: Fixture, jobType: string): ItemKey[] =>
  fixture.items('F#').filter(({ pk, sk }) => sk === 'PAGE' && pk.includes(`#${jobType}#`));

describe('Scanner, a job that was renamed', () => {
  it('skips records that are in flight under an alias, and sends them under the new name afterwards', async () => {
    const before = new Fixture({ records: someRecords(4) });
    await before.invoke();
    const after = deployed(before, 6);
    expect((await after.invoke(laterTick)).counts).toMatchObject({ eligible: 6, skipped: 4, enqueued: 2 });
    expect(after.queue.envelopes().map(({ job }) => job)).toEqual(['job', 'job', 'job', 'job', 'new', 'new']);
    await after.settleAll();
    expect((await after.invoke(tick('third'))).counts).toMatchObject({ skipped: 0, enqueued: 6 });
  });

  it('goes on with a run under the name that it was begun under: nothing is sent twice, and the books hold all of it', async () => {
    const before = new Fixture({ records: someRecords(25) });
    await expect(before.invoke(tick(), queueDyingAt(before, 1))).rejects.toThrow('the queue is away');
    const after = deployed(before, 25);
    await after.clock.advance(61_000);
    expect(await after.invoke()).toMatchObject({ outcome: 'scanned' });
    expect(new Set(after.queue.keys()).size).toBe(25);
    expect(after.queue.messages).toHaveLength(25);
    expect(new Set(after.queue.envelopes().map(({ job }) => job))).toEqual(new Set(['job']));
    expect([pagesOf(after, 'job').length, pagesOf(after, 'new').length]).toEqual([3, 0]);
    await after.settleAll();
    await after.invoke({ kind: 'watchdog' });
    expect(await after.runItem()).toMatchObject({ state: 'completed', totals: { eligible: 25, succeeded: 25 } });
  });

  it('begins a run under the new name', async () => {
    const after = deployed(new Fixture(), 3);
    await after.invoke();
    expect(after.queue.envelopes().map(({ job }) => job)).toEqual(['new', 'new', 'new']);
  });

  it('writes the version of the payload into every message', async () => {
    const fixture = new Fixture({ jobs: [jobOver(() => someRecords(2), { payloadVersion: 3 })] });
    await fixture.invoke();
    expect(fixture.queue.envelopes().map(({ payloadVersion }) => payloadVersion)).toEqual([3, 3]);
  });
});
