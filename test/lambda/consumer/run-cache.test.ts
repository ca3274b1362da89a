import type { FanoutConfiguration, RunItem } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { RunCache } from '../../../lambda/consumer/run-cache';
import { MemoryStateStore } from '../../../lambda/simulation/memory-state-store';
import { CONFIGURATION, failures, FANOUT, Harness, job, message, RUN } from './harness';

class CountedStore extends MemoryStateStore {
  reads = 0;
  override get<T>(key: Parameters<MemoryStateStore['get']>[0]): Promise<T | undefined> {
    this.reads += 1;
    return super.get(key) as Promise<T | undefined>;
  }
}

/** A cache over a table with a run, and the reads of the table. */
async function cacheWith(state: RunItem['state'] | undefined, more: Partial<FanoutConfiguration> = {}) {
  const store = new CountedStore();
  if (state !== undefined) {
    await store.put({ ...ITEM_KEYS.run(FANOUT, RUN), runId: RUN, state } as never);
  }
  return { store, cache: new RunCache({ store, fanoutId: FANOUT, configuration: { ...CONFIGURATION, ...more } }) };
}

describe('the runs that an execution environment remembers', () => {
  test.each<[string, Partial<FanoutConfiguration>]>([
    ['completed', {}],
    ['cancelled', {}],
    ['scanned', {}],
    ['scanned', { overlap: 'cancelRunning' }],
    ['scanned', { overlap: 'queueOne', overlapUntil: 'completed' }],
  ])('hold one that is %s, with %j, after its first read', async (state, more) => {
    const { store, cache } = await cacheWith(state as RunItem['state'], more);
    expect(await cache.read(RUN)).toMatchObject({ state });
    expect(await cache.read(RUN)).toMatchObject({ state });
    expect(store.reads).toBe(1);
  });

  test.each<[string | undefined, Partial<FanoutConfiguration>]>([
    ['scanning', {}],
    ['failed', {}],
    [undefined, {}],
    ['scanned', { overlap: 'cancelRunning', overlapUntil: 'completed' }],
  ])('do not hold one that is %s, with %j: it may change', async (state, more) => {
    const { store, cache } = await cacheWith(state as RunItem['state'] | undefined, more);
    await cache.read(RUN);
    await cache.read(RUN);
    expect(store.reads).toBe(2);
  });

  test('are few: the oldest ones are forgotten', async () => {
    const { store, cache } = await cacheWith('completed');
    for (let n = 0; n < 25; n++) {
      await store.put({ ...ITEM_KEYS.run(FANOUT, `run-${n}`), runId: `run-${n}`, state: 'completed' } as never);
      await cache.read(`run-${n}`);
    }
    await cache.read('run-24');
    expect(store.reads).toBe(25);
    await cache.read('run-0');
    expect(store.reads).toBe(26);
  });

  test('a run that is cancelled between two invocations of one environment is seen', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed([2], { state: 'scanning' });
    expect(failures(await harness.deliver([message({ ordinal: 0 })]))).toEqual([]);
    await harness.store.put({ ...(await harness.run()), state: 'cancelled', rest: {} } as never);
    expect(failures(await harness.deliver([message({ ordinal: 1 })]))).toEqual([]);
    expect(handled).toEqual(['record-0-0']);
    expect(await harness.page()).toMatchObject({ cancelled: new Set([1]) });
  });
});
