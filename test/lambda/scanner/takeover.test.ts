import { ITEM_KEYS } from '../../../lambda/contract';
import { Fixture, TICK, dyingAt, gatedStore, jobOver, laterTick, queueDyingAt, someRecords, tick } from './fixture';

const WATCHDOG = { kind: 'watchdog' };
const LEASE_MS = 60_000;
const ids = (count: number): string[] => someRecords(count).map(({ id }) => id);

describe('Scanner, takeover', () => {
  it('a tick goes on with the run that an earlier holder left unfinished, and is skipped itself', async () => {
    const fixture = new Fixture({ records: someRecords(25) });
    await fixture.invoke(tick(), dyingAt(fixture, 9, true)).catch(() => undefined);
    await fixture.clock.advance(LEASE_MS);
    expect(await fixture.invoke(laterTick)).toMatchObject({ outcome: 'scanned', runId: TICK });
    expect(await fixture.runItem(laterTick.scheduledTime)).toMatchObject({ state: 'skipped' });
    expect(fixture.queue.keys()).toEqual(ids(25));
    expect((await fixture.runItem())?.takeovers).toBe(1);
  });

  it('a tick runs itself where the run in a lapsed lock is finished', async () => {
    const fixture = new Fixture({ records: someRecords(3), deduplication: 'perRun' });
    const store = gatedStore(fixture.memory, async (_, call) => {
      if ((await fixture.runItem())?.state === 'scanned') {
        throw new Error('the process has ended');
      }
      return call();
    });
    await fixture.invoke(tick(), { store }).catch(() => undefined);
    expect(await fixture.lock()).toMatchObject({ runId: TICK });
    await fixture.clock.advance(LEASE_MS);
    expect(await fixture.invoke(laterTick)).toMatchObject({ outcome: 'scanned', runId: laterTick.scheduledTime });
    expect(fixture.queue.messages).toHaveLength(6);
  });

  it('a tick runs itself where the run in a lapsed lock was never written down', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    await fixture.invoke(tick('never-begun'), dyingAt(fixture, 1, true)).catch(() => undefined);
    await fixture.clock.advance(LEASE_MS);
    expect(await fixture.invoke()).toMatchObject({ outcome: 'scanned', runId: TICK });
    expect((await fixture.lock())?.runId).toBeUndefined();
  });

  it('the watchdog finds a run whose write took effect only after the lock was given back', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    let land: () => Promise<unknown> = () => Promise.resolve();
    const late = gatedStore(fixture.memory, (_, call) => call());
    const put: typeof late.put = (item, condition) => {
      if (!item.sk.startsWith('RUN#')) {
        return late.put(item, condition);
      }
      land = () => fixture.memory.put(item, condition);
      return Promise.reject(new Error('the call timed out'));
    };
    await expect(fixture.invoke(tick(), { store: { ...late, put } })).rejects.toThrow('the call timed out');
    expect(await fixture.invoke(WATCHDOG)).toEqual({ outcome: 'idle' });
    expect((await fixture.lock())?.runId).toBeUndefined();
    await land();
    expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'scanned', runId: TICK });
    expect(fixture.queue.keys()).toEqual(ids(3));
  });

  it('the watchdog keeps the row of a run that is not written down until no write can take effect any more', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    await fixture.invoke(tick(), dyingAt(fixture, 2, true)).catch(() => undefined);
    await fixture.clock.advance(LEASE_MS);
    const row = ITEM_KEYS.openRun('F', TICK);
    await fixture.invoke(WATCHDOG);
    expect(await fixture.memory.get(row)).toBeDefined();
    await fixture.clock.advance(1_800_000);
    await fixture.invoke(WATCHDOG);
    expect(await fixture.memory.get(row)).toBeUndefined();
  });

  it('the watchdog takes over a stalled run, and is idle where there is none', async () => {
    const fixture = new Fixture({ records: someRecords(25) });
    expect(await fixture.invoke(WATCHDOG)).toEqual({ outcome: 'idle' });
    await fixture.invoke(tick(), dyingAt(fixture, 9, false)).catch(() => undefined);
    expect(await fixture.invoke(WATCHDOG)).toEqual({ outcome: 'idle' });
    await fixture.clock.advance(LEASE_MS);
    expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'scanned', runId: TICK });
    expect(fixture.queue.keys()).toEqual(ids(25));
    expect(await fixture.invoke(WATCHDOG)).toEqual({ outcome: 'idle' });
  });

  it('goes on at once after an outage of the queue, without a record lost or sent twice', async () => {
    const fixture = new Fixture({ records: someRecords(25) });
    await expect(fixture.invoke(tick(), queueDyingAt(fixture, 1))).rejects.toThrow('the queue is away');
    expect(fixture.queue.messages).toHaveLength(10);
    expect(await fixture.invoke()).toMatchObject({ outcome: 'scanned', runId: TICK });
    expect(fixture.queue.keys()).toEqual(ids(25));
  });

  it('fails a run that ends every invocation, and leaves nothing of it open', async () => {
    const fixture = new Fixture({ records: someRecords(15) });
    await fixture.invoke(tick(), dyingAt(fixture, 7, true)).catch(() => undefined);
    await fixture.clock.advance(LEASE_MS);
    await fixture.memory.update(ITEM_KEYS.run('F', TICK), { set: [[['takeovers'], 50]] });
    await expect(fixture.invoke()).rejects.toMatchObject({ code: 'RunKeepsStalling' });
    expect(await fixture.runItem()).toMatchObject({ state: 'failed' });
    expect(await fixture.pageItem(0)).toMatchObject({ closed: true, withdrawn: new Set([...Array(10).keys()]) });
    expect((await fixture.invoke(laterTick)).counts).toMatchObject({ enqueued: 15, skipped: 0 });
  });

  it('B50: sends nothing more when it wakes after its lease, and the next holder sends the rest', async () => {
    let standstill = 0;
    const job = jobOver(() => [], {
      async *source({ cursor = 0 }: { cursor?: number }) {
        for (let place = cursor; place < 30; place++) {
          // Between its second and third page the whole process stands still for ten minutes, its timers too.
          standstill = place >= 20 ? 600_000 : standstill;
          yield { record: { id: `r${place}` }, cursor: place + 1 };
        }
      },
    });
    const fixture = new Fixture({ jobs: [job] });
    const { clock } = fixture;
    const shifted = {
      now: () => clock.now() + standstill,
      setTimer: (milliseconds: number, callback: () => void) => clock.setTimer(milliseconds, callback),
    };
    expect(await fixture.invoke(tick(), { clock: shifted })).toEqual({ outcome: 'lost', runId: TICK });
    expect(fixture.queue.keys()).toEqual(ids(20));
    await clock.advance(600_000);
    standstill = 0;
    expect(await fixture.invoke(laterTick)).toMatchObject({ outcome: 'scanned', runId: TICK });
    expect(fixture.queue.keys()).toEqual(ids(30));
  });
});
