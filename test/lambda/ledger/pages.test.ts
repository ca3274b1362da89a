import type { KeysItem, PageItem, RunItem } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import type { Ledger } from '../../../lambda/ledger';
import { closeIfComplete, completeRunIfDue } from '../../../lambda/ledger';
import { MemoryStateStore } from '../../../lambda/simulation/memory-state-store';
import { VirtualClock } from '../../../lambda/simulation/virtual-clock';

const lane = { fanoutId: 'F', runId: 'tick-1', jobType: 'a', segment: 0 };
const pageId = (page: number) => ({ ...lane, page });

let store: MemoryStateStore;
let ledger: Ledger;

beforeEach(() => {
  store = new MemoryStateStore();
  ledger = { store, clock: new VirtualClock(1_000), fanoutId: 'F' };
});

async function putPage(page: number, content: Partial<PageItem>, count: number): Promise<PageItem> {
  const keys: Partial<KeysItem> = { count, rejectedCount: 1, skippedCount: 2, duplicateCount: 3, rejected: [] };
  await store.put({ ...ITEM_KEYS.keys(pageId(page)), ...keys });
  await store.put({ ...ITEM_KEYS.openPage(pageId(page)), runId: 'tick-1', jobType: 'a', segment: 0, page } as never);
  const item = { ...ITEM_KEYS.page(pageId(page)), claims: {}, ...content } as PageItem;
  await store.put(item);
  return item;
}

async function putRun(state: RunItem['state'], pages: number): Promise<void> {
  await store.put({ ...ITEM_KEYS.run('F', 'tick-1'), runId: 'tick-1', state, pages: { 'a#0': pages } } as never);
  await store.put({ ...ITEM_KEYS.openRun('F', 'tick-1'), runId: 'tick-1' } as never);
}

const run = () => store.get<RunItem>(ITEM_KEYS.run('F', 'tick-1'));
const openRows = () => store.query(ITEM_KEYS.openPartition('F'));

describe('closeIfComplete', () => {
  it('leaves a page open that is not sealed, or has an ordinal that is not settled', async () => {
    await putRun('scanned', 1);
    const unsealed = await putPage(0, { settled: new Set([0]), succeeded: new Set([0]) }, 1);
    expect(await closeIfComplete(ledger, pageId(0), unsealed)).toBe(false);
    expect(await closeIfComplete(ledger, pageId(0), { ...unsealed, sealed: 2 })).toBe(false);
    expect(await openRows()).toHaveLength(2);
  });

  it('closes the last page of a scanned run, which completes it with its books', async () => {
    await putRun('scanned', 2);
    await putPage(0, { sealed: 2, settled: new Set([0, 1]), succeeded: new Set([0]), dead: new Set([1]) }, 2);
    const last = await putPage(
      1,
      { sealed: 2, settled: new Set([0, 1]), withdrawn: new Set([0]), rejected: new Set([1]) },
      2,
    );
    expect(await closeIfComplete(ledger, pageId(1), last)).toBe(true);
    expect(await run()).toMatchObject({
      state: 'completed',
      completedAt: 1_000,
      totals: { eligible: 16, enqueued: 3, rejected: 3, skipped: 4, duplicate: 6, succeeded: 1, dead: 1, withdrawn: 1 },
    });
    expect(await openRows()).toEqual([]);
  });

  it('closes a page without completing a run that has another one open', async () => {
    await putRun('scanned', 2);
    const first = await putPage(0, { sealed: 0 }, 0);
    await putPage(1, { sealed: 1 }, 1);
    await closeIfComplete(ledger, pageId(0), first);
    expect((await run())?.state).toBe('scanned');
    expect((await openRows()).map((row) => row.sk)).toEqual(['tick-1', 'tick-1#a#000#000001']);
  });
});

describe('completeRunIfDue', () => {
  it('does nothing while the run is scanned still', async () => {
    await putRun('scanning', 0);
    expect(await completeRunIfDue(ledger, 'tick-1')).toBe(false);
  });

  it('does nothing for a run that it does not know', async () => {
    expect(await completeRunIfDue(ledger, 'tick-2')).toBe(false);
  });

  it('completes a run without records', async () => {
    await putRun('scanned', 0);
    expect(await completeRunIfDue(ledger, 'tick-1')).toBe(true);
    expect((await run())?.totals).toMatchObject({ eligible: 0, succeeded: 0 });
  });

  it('repeats what a crash left undone of a completed run', async () => {
    await putRun('completed', 0);
    expect(await completeRunIfDue(ledger, 'tick-1')).toBe(true);
    expect(await openRows()).toEqual([]);
  });

  it('keeps the totals of the first completion', async () => {
    await putRun('scanned', 0);
    await completeRunIfDue(ledger, 'tick-1');
    await putPage(0, { sealed: 1, settled: new Set([0]), succeeded: new Set([0]) }, 1);
    await completeRunIfDue(ledger, 'tick-1');
    expect((await run())?.totals?.succeeded).toBe(0);
  });
});
