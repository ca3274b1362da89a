import { ITEM_KEYS } from '../../../lambda/contract';
import { Fixture, JOB, TICK, gatedStore, jobOver, laterTick, placesOf, someRecords, tick } from './fixture';

const WATCHDOG = { kind: 'watchdog' };
const LEASE_MS = 60_000;
const ids = (count: number): string[] => someRecords(count).map(({ id }) => id);

describe('Scanner, an unsealed page that is read again', () => {
  /** Runs until the first page is written down and sent, but not sealed. */
  async function crashBeforeSeal(records: unknown[]): Promise<Fixture> {
    const fixture = new Fixture({ jobs: [jobOver(() => records)] });
    const store = gatedStore(fixture.memory, (name, call) =>
      fixture.queue.messages.length > 0 && name === 'update' ? Promise.reject(new Error('ended')) : call(),
    );
    await fixture.invoke(tick(), { store }).catch(() => undefined);
    await fixture.clock.advance(LEASE_MS);
    return fixture;
  }
  const page = { fanoutId: 'F', runId: TICK, jobType: JOB, segment: 0, page: 0 };

  it('keeps the ordinals of known keys and appends new ones', async () => {
    const records: unknown[] = someRecords(3);
    const fixture = await crashBeforeSeal(records);
    records.unshift({ id: 'new' });
    await fixture.invoke();
    expect(placesOf(fixture, ['r0', 'r1', 'r2', 'new'])).toEqual(
      new Map([
        ['r0', ['0/0']],
        ['r1', ['0/1']],
        ['r2', ['0/2']],
        ['new', ['0/3']],
      ]),
    );
    expect(fixture.queue.keys()).toEqual(['r0', 'r1', 'r2', 'new']);
  });

  it('withdraws what did not come again and was never claimed, before anything is sent', async () => {
    const records: unknown[] = someRecords(3);
    const fixture = await crashBeforeSeal(records);
    records.splice(1, 1);
    let withdrawnAtSend: unknown;
    const queue = {
      changeVisibility: () => Promise.resolve(0),
      sendBatch: async (entries: Parameters<typeof fixture.queue.sendBatch>[0]) => {
        withdrawnAtSend = (await fixture.pageItem(0))?.withdrawn;
        return fixture.queue.sendBatch(entries);
      },
    };
    await fixture.invoke(tick(), { queue });
    expect(withdrawnAtSend).toEqual(new Set([1]));
    await fixture.settleAll();
    await fixture.invoke(WATCHDOG);
    expect((await fixture.runItem())?.totals).toMatchObject({ eligible: 3, enqueued: 3, withdrawn: 1, succeeded: 2 });
  });

  it('does not withdraw an ordinal that was claimed, be it that its attempt failed', async () => {
    const records: unknown[] = someRecords(3);
    const fixture = await crashBeforeSeal(records);
    await fixture.memory.update(ITEM_KEYS.page(page), { set: [[['claims', '1'], { a: 1, f: 0 }]] });
    records.splice(0, 2);
    await fixture.invoke();
    expect((await fixture.pageItem(0))?.withdrawn).toEqual(new Set([0]));
  });

  it('withdraws one by one where an ordinal is claimed in the very moment', async () => {
    const records: unknown[] = someRecords(3);
    const fixture = await crashBeforeSeal(records);
    records.splice(0, 3);
    let isClaimed = false;
    const store = gatedStore(fixture.memory, async (name, call) => {
      const keys = await fixture.keysItem(0);
      if (name === 'update' && keys?.count === 3 && keys.fence === 2 && !isClaimed && keys.after === undefined) {
        isClaimed = true;
        await fixture.memory.update(ITEM_KEYS.page(page), { set: [[['claims', '1'], { a: 1, f: 0, t: 'x' }]] });
      }
      return call();
    });
    await fixture.invoke(tick(), { store });
    expect(isClaimed).toBe(true);
    expect((await fixture.pageItem(0))?.withdrawn).toEqual(new Set([0, 2]));
  });

  it('does not send what is settled already', async () => {
    const fixture = await crashBeforeSeal(someRecords(3));
    const settled = new Set([1]);
    await fixture.memory.update(ITEM_KEYS.page(page), {
      add: [
        [['settled'], settled],
        [['succeeded'], settled],
      ],
    });
    fixture.queue.calls.length = 0;
    await fixture.invoke();
    expect(fixture.queue.calls.flat()).toHaveLength(2);
  });

  it('sends a key that was withdrawn and comes again in the next page, where SQS does not take it for the old one', async () => {
    const records: unknown[] = someRecords(3);
    const fixture = await crashBeforeSeal(records);
    const [gone] = records.splice(1, 1);
    const dying = gatedStore(fixture.memory, async (_, call) => {
      if (((await fixture.pageItem(0))?.withdrawn?.size ?? 0) > 0) {
        throw new Error('ended');
      }
      return call();
    });
    await fixture.invoke(tick(), { store: dying }).catch(() => undefined);
    await fixture.clock.advance(LEASE_MS);
    records.splice(1, 0, gone);
    await fixture.invoke();
    expect(placesOf(fixture, ids(3))).toEqual(
      new Map([
        ['r0', ['0/0']],
        ['r1', ['1/0']],
        ['r2', ['1/1']],
      ]),
    );
    // r2 stands behind r1, so its place in the first page was withdrawn as well.
    expect(fixture.queue.envelopes().map(({ key, page: number, ordinal }) => `${key} ${number}/${ordinal}`)).toEqual([
      'r0 0/0',
      'r1 0/1',
      'r2 0/2',
      'r1 1/0',
      'r2 1/1',
    ]);
  });

  it('forgets keys that were withdrawn from an earlier, sealed page when a third holder takes over', async () => {
    const records: unknown[] = someRecords(12);
    const fixture = await crashBeforeSeal(records);
    records.unshift({ id: 'new' });
    // The second holder reads `new` and r0 to r8, so it withdraws r9; it ends before it writes the next page down.
    const dying = gatedStore(fixture.memory, async (_, call) => {
      if ((await fixture.pageItem(0))?.sealed !== undefined) {
        throw new Error('ended');
      }
      return call();
    });
    await fixture.invoke(tick(), { store: dying }).catch(() => undefined);
    await fixture.clock.advance(LEASE_MS);
    await fixture.invoke();
    const places = placesOf(fixture, [...ids(12), 'new']);
    expect(places.get('r9')).toEqual(['1/0']);
    expect([...places.values()].every(({ length }) => length === 1)).toBe(true);
  });

  it('the watchdog closes pages and completes runs that a crash left behind', async () => {
    const fixture = new Fixture({ records: someRecords(15) });
    await fixture.invoke();
    await fixture.settleAll();
    expect(await fixture.runItem()).toMatchObject({ state: 'scanned' });
    await fixture.invoke(WATCHDOG);
    expect(await fixture.runItem()).toMatchObject({ state: 'completed', totals: { eligible: 15, succeeded: 15 } });
    expect(fixture.items('F#OPEN')).toEqual([]);
  });

  it('a refused tick does the due work too', async () => {
    const fixture = new Fixture({ records: someRecords(5) });
    await fixture.invoke();
    await fixture.settleAll();
    await fixture.memory.update(ITEM_KEYS.lock('F'), {
      set: [
        [['token'], 'other'],
        [['leaseUntil'], fixture.clock.now() + 1000],
        [['runId'], 'other'],
      ],
    });
    expect(await fixture.invoke(laterTick)).toMatchObject({ outcome: 'skipped' });
    expect(await fixture.runItem()).toMatchObject({ state: 'completed' });
  });
});
