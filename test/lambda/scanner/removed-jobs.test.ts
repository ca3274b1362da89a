import type { PageItem } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import type { AnyJob } from '../../../lambda/job/job';
import type { StateStore } from '../../../lambda/ports';
import { FANOUT, Fixture, TICK, jobOver, laterTick, queueDyingAt, someRecords, tick } from './fixture';

const WATCHDOG = { kind: 'watchdog' };

const kept = jobOver(() => someRecords(5), { jobType: 'kept' });
const gone = jobOver(() => someRecords(25), { jobType: 'gone' });

/** A scanner of the next deployment: other jobs, the same table, queue and clock. */
function deployed(before: Fixture, ...jobs: AnyJob[]): Fixture {
  const after = new Fixture({ jobs });
  const { memory: store, clock, queue } = before;
  Object.assign(after, { clock, queue, memory: store, context: { ...after.context, store, clock, queue } });
  return after;
}

/** A run that is interrupted: the kept job is read to its end, one page of the other one is in the queue, and half of the next. */
async function interrupted(calls = 3): Promise<Fixture> {
  const before = new Fixture({ jobs: [kept, gone] });
  await expect(before.invoke(tick(), queueDyingAt(before, calls))).rejects.toThrow('the queue is away');
  return before;
}

const pageId = (page: number) => ({ fanoutId: FANOUT, runId: TICK, jobType: 'gone', segment: 0, page });
const pageOf = (fixture: Fixture, page: number): Promise<PageItem | undefined> =>
  fixture.memory.get<PageItem>(ITEM_KEYS.page(pageId(page)));

describe('Scanner, a job type that a deployment removed in the midst of a run', () => {
  it('is brought to rest: what nobody ever claimed of its open page is withdrawn, and the run goes on to its end', async () => {
    const before = await interrupted(2);
    expect(await pageOf(before, 1)).toMatchObject({ claims: {} });
    expect(await pageOf(before, 1)).not.toHaveProperty('sealed');
    await before.memory.update(ITEM_KEYS.page(pageId(1)), { set: [[['claims', '3'], { t: 'c', a: 1, f: 0 }]] });
    const after = deployed(before, kept);
    expect(await after.invoke(tick())).toMatchObject({ outcome: 'scanned' });
    const page = await pageOf(after, 1);
    expect(page).toMatchObject({ sealed: 10 });
    expect([...page!.withdrawn!].sort()).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9]);
    expect(await after.runItem()).toMatchObject({ state: 'scanned', pages: { 'kept#0': 1, 'gone#0': 2 } });
  });

  it('has its records in the books, which close when the last of them is settled', async () => {
    const after = deployed(await interrupted(2), kept);
    await after.invoke(tick());
    expect(await after.runItem()).toMatchObject({ state: 'scanned' });
    await after.settleAll();
    await after.invoke(WATCHDOG);
    expect(await after.runItem()).toMatchObject({
      state: 'completed',
      totals: { eligible: 25, enqueued: 25, succeeded: 15, withdrawn: 10 },
    });
    expect(after.items('F#OPEN')).toEqual([]);
  });

  it('that was not begun yet leaves nothing open, and no earlier holder can begin it', async () => {
    const before = new Fixture({ jobs: [kept, gone] });
    await expect(before.invoke(tick(), queueDyingAt(before, 0))).rejects.toThrow('the queue is away');
    const after = deployed(before, kept);
    await after.invoke(tick());
    await after.settleAll();
    await after.invoke(WATCHDOG);
    expect(await after.runItem()).toMatchObject({ state: 'completed', totals: { eligible: 5, succeeded: 5 } });
    expect(await pageOf(after, 0)).toMatchObject({ sealed: 0, closed: true });
  });

  it('says so in the log, with the job types that are known', async () => {
    const after = deployed(await interrupted(2), kept);
    await after.invoke(tick());
    expect(after.log.lines.map(({ message, fields }) => [message, fields])).toContainEqual([
      'a deployment removed a job type of the run, its pages are brought to rest',
      expect.objectContaining({ jobType: 'gone', runId: TICK, known: ['kept'] }),
    ]);
  });

  it('is brought to rest where the run fails, too', async () => {
    const failing = jobOver(() => [], {
      jobType: 'kept',
      source: () => {
        throw new Error('no such table');
      },
    });
    const before = new Fixture({ jobs: [gone, failing] });
    await expect(before.invoke(tick(), queueDyingAt(before, 1))).rejects.toThrow('the queue is away');
    const after = deployed(before, failing);
    await expect(after.invoke(tick())).rejects.toMatchObject({ code: 'SourceFailed' });
    await after.settleAll();
    await after.invoke(WATCHDOG);
    expect(await after.runItem()).toMatchObject({ state: 'failed', completedAt: expect.any(Number) as number });
    expect(after.items('F#OPEN')).toEqual([]);
  });

  it('finds its records again in the first run of a deployment that has it', async () => {
    const removed = deployed(await interrupted(2), kept);
    await removed.invoke(tick());
    await removed.settleAll();
    const back = deployed(removed, kept, gone);
    await back.invoke(laterTick);
    const { run } = back.queue.envelopes().at(-1)!;
    const keys = back.queue.envelopes().filter((envelope) => envelope.job === 'gone' && envelope.run === run);
    expect(keys).toHaveLength(25);
  });

  it('that became an alias, beside another one, of the same job: the first goes on, the second is brought to rest', async () => {
    const before = new Fixture({
      jobs: [jobOver(() => someRecords(15), { jobType: 'one' }), jobOver(() => someRecords(15), { jobType: 'two' })],
    });
    await expect(before.invoke(tick(), queueDyingAt(before, 1))).rejects.toThrow('the queue is away');
    const after = deployed(
      before,
      jobOver(() => someRecords(15), { jobType: 'both', aliases: ['one', 'two'] }),
    );
    await after.invoke(tick());
    await after.settleAll();
    await after.invoke(WATCHDOG);
    expect(await after.runItem()).toMatchObject({
      state: 'completed',
      jobs: ['one', 'two'],
      totals: { eligible: 15, succeeded: 15 },
    });
  });

  it('a job type that a deployment adds is read in the run that is on', async () => {
    const before = new Fixture({ jobs: [kept] });
    await expect(before.invoke(tick(), queueDyingAt(before, 0))).rejects.toThrow('the queue is away');
    const after = deployed(
      before,
      kept,
      jobOver(() => someRecords(3), { jobType: 'added' }),
    );
    await after.invoke(tick());
    expect(await after.runItem()).toMatchObject({ state: 'scanned', pages: { 'kept#0': 1, 'added#0': 1 } });
  });

  it('that the deployment before had added is brought to rest as one that the run was begun with', async () => {
    const before = new Fixture({ jobs: [kept] });
    await expect(before.invoke(tick(), queueDyingAt(before, 0))).rejects.toThrow('the queue is away');
    const added = deployed(before, kept, gone);
    // The kept job's page and one of the added job's are in the queue, the next one is written down and open.
    await expect(added.invoke(tick(), queueDyingAt(added, 2))).rejects.toThrow('the queue is away');
    const after = deployed(added, kept);
    await after.invoke(tick());
    expect(await pageOf(after, 1)).toMatchObject({ sealed: 10 });
    await after.settleAll();
    await after.invoke(WATCHDOG);
    expect(await after.runItem()).toMatchObject({
      state: 'completed',
      totals: { eligible: 25, enqueued: 25, succeeded: 15, withdrawn: 10 },
    });
    expect(after.items('F#OPEN')).toEqual([]);
  });

  it('a job type that a deployment adds is a job of the run before any of its records is read', async () => {
    const before = new Fixture({ jobs: [kept] });
    await expect(before.invoke(tick(), queueDyingAt(before, 0))).rejects.toThrow('the queue is away');
    const jobs: unknown[] = [];
    const after = deployed(
      before,
      kept,
      jobOver(() => [], {
        jobType: 'added',
        source: async function* () {
          jobs.push((await before.runItem())?.jobs);
          yield* [];
        },
      }),
    );
    await after.invoke(tick());
    expect(jobs).toEqual([['kept', 'added']]);
  });

  it('a run that is cancelled while a job type is added to it reads nothing of it', async () => {
    const before = new Fixture({ jobs: [kept] });
    await expect(before.invoke(tick(), queueDyingAt(before, 0))).rejects.toThrow('the queue is away');
    const after = deployed(before, kept, gone);
    const { store } = after.context;
    const update: StateStore['update'] = async (key, change, condition) => {
      if (change.set?.some(([path]) => path[0] === 'jobs') === true) {
        await store.update(key, { set: [[['state'], 'cancelled']] });
      }
      return store.update(key, change, condition);
    };
    const racing = Object.assign(Object.create(store) as StateStore, { update });
    expect(await after.invoke(tick(), { store: racing })).toMatchObject({ outcome: 'cancelled' });
    expect(after.queue.envelopes()).toEqual([]);
    expect(await after.runItem()).toMatchObject({ jobs: ['kept'], completedAt: expect.any(Number) as number });
  });
});
