import type { KeysItem, LockItem, PageItem, RunItem } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { DynamoDbStateStore } from '../../../lambda/adapters/dynamodb-state-store';
import { systemClock } from '../../../lambda/adapters/system-clock';
import { systemRandomness } from '../../../lambda/adapters/system-randomness';
import type { Dynalite } from '../../setup/dynalite';
import { startDynalite } from '../../setup/dynalite';
import type { AnyJob } from '../../../lambda/job/job';
import { Fixture, JOB, TICK, gatedStore, jobOver, laterTick, someRecords, tick } from './fixture';

const PAGE = { fanoutId: 'F', runId: TICK, jobType: JOB, segment: 0, page: 0 };

let dynalite: Dynalite;
let tables = 0;

beforeAll(async () => {
  dynalite = await startDynalite();
});

afterAll(async () => {
  await dynalite.close();
});

/** A scanner whose state is in a table of its own. */
async function onDynamoDb(jobs: readonly AnyJob[]) {
  const fixture = new Fixture({ jobs, configuration: { pageSize: 40 } });
  const tableName = `state${tables++}`;
  await dynalite.createTable(tableName);
  const store = new DynamoDbStateStore({
    client: dynalite.documents,
    tableName,
    clock: systemClock,
    randomness: systemRandomness,
  });
  const parts = { store, clock: systemClock };
  return { fixture, store, invoke: (event: unknown, more = {}) => fixture.start(event, { ...parts, ...more }) };
}

/** The process ends when everything is sent and nothing is sealed; its lease lapses. */
async function crashBeforeSeal({ fixture, store, invoke }: Awaited<ReturnType<typeof onDynamoDb>>): Promise<void> {
  const dying = gatedStore(store, (name, call) =>
    name === 'update' && fixture.queue.messages.length > 0 ? Promise.reject(new Error('ended')) : call(),
  );
  await expect(invoke(tick(), { store: dying })).rejects.toThrow('ended');
  await store.update(ITEM_KEYS.lock('F'), { set: [[['leaseUntil'], 0]] });
}

describe('Scanner on DynamoDB', () => {
  it('scans a run, and leaves a repeated tick alone', async () => {
    const { fixture, store, invoke } = await onDynamoDb([jobOver(() => someRecords(100))]);
    expect(await invoke(tick())).toMatchObject({ outcome: 'scanned', counts: { pages: 3, enqueued: 100 } });
    expect(fixture.queue.messages).toHaveLength(100);
    expect(await invoke(tick())).toMatchObject({ outcome: 'duplicate' });
    expect((await invoke(laterTick)).counts).toMatchObject({ enqueued: 0, skipped: 100 });
    const run = await store.get<RunItem>(ITEM_KEYS.run('F', TICK));
    expect(run).toMatchObject({ state: 'scanned', pages: { 'job#0': 3 } });
    expect((await store.get<LockItem>(ITEM_KEYS.lock('F')))?.token).toBeUndefined();
  });

  it('takes over an unsealed page: withdraws more ordinals than one write holds, and completes', async () => {
    const records: unknown[] = someRecords(60);
    const scanner = await onDynamoDb([jobOver(() => records)]);
    const { store, invoke } = scanner;
    await crashBeforeSeal(scanner);
    const open = { set: [[['claims', '3'], { a: 1, f: 0 }]] } as const;
    await store.update(ITEM_KEYS.page(PAGE), open);
    records.splice(0, 35);
    expect(await invoke(tick())).toMatchObject({ outcome: 'scanned' });
    const page = await store.get<PageItem>(ITEM_KEYS.page(PAGE));
    expect(page?.withdrawn).toEqual(new Set([...Array(35).keys()].filter((ordinal) => ordinal !== 3)));
    // The page takes what is left of it and twenty that were behind it.
    expect(page?.sealed).toBe(60);
    const settled = new Set([...Array(60).keys()]);
    await store.update(ITEM_KEYS.page(PAGE), {
      add: [
        [['settled'], settled],
        [['succeeded'], new Set([3])],
      ],
    });
    await invoke({ kind: 'watchdog' });
    const run = await store.get<RunItem>(ITEM_KEYS.run('F', TICK));
    expect(run).toMatchObject({ state: 'completed', totals: { eligible: 60, withdrawn: 34, succeeded: 1 } });
  });

  it('brings a run that fails to rest', async () => {
    let isBroken = false;
    const job = jobOver(() => [], {
      async *source() {
        yield isBroken ? 'no item' : { record: { id: 'a' }, cursor: 1 };
      },
    });
    const scanner = await onDynamoDb([job]);
    const { store, invoke } = scanner;
    await crashBeforeSeal(scanner);
    isBroken = true;
    await expect(invoke(tick())).rejects.toMatchObject({ code: 'InvalidSourceItem' });
    expect(await store.get<PageItem>(ITEM_KEYS.page(PAGE))).toMatchObject({ sealed: 1, withdrawn: new Set([0]) });
    expect(await store.get<RunItem>(ITEM_KEYS.run('F', TICK))).toMatchObject({ state: 'failed' });
    expect(await store.get<KeysItem>(ITEM_KEYS.keys(PAGE))).toMatchObject({ rejectedCount: 0, rejected: [] });
  });
});
