import type { Claim, ItemKey } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { PermanentError } from '../../../lambda/job';
import { MemoryStateStore } from '../../../lambda/simulation/memory-state-store';
import { failures, FANOUT, Harness, job, message, pageId, START } from './harness';

/** The claim of a last attempt whose environment stands still; its lease lapsed long ago. */
const FROZEN: Claim = { t: 'frozen', a: 3, u: START - 60_000, f: START - 120_000, e: 'Error: the second' };
const { f } = FROZEN;

type Stored = ItemKey & { readonly claims?: Readonly<Record<string, Claim>> };

/** What a late environment does to its claim, just before the next write to that item. */
function beforeNextWrite({ store }: Harness, { pk, sk }: ItemKey, change: (item: Stored) => object): void {
  let isDone = false;
  store.before = (call, key) => {
    if (call === 'update' && key.pk === pk && key.sk === sk && !isDone) {
      isDone = true;
      const item = store.items().find((one) => one.pk === pk && one.sk === sk) as Stored;
      // The memory writes before it returns its promise.
      void MemoryStateStore.prototype.put.call(store, { ...item, ...change(item) });
    }
  };
}

/** A consumer that finds the last attempt of record 0 lapsed, with `late` in the place of its claim by the time that it writes. */
async function late(claim: Claim) {
  const attempts: number[] = [];
  const harness = await new Harness([job((_, { attempt }) => attempts.push(attempt))]).seed([1]);
  await harness.setClaim(0, FROZEN);
  beforeNextWrite(harness, ITEM_KEYS.page(pageId()), () => ({ claims: { 0: claim } }));
  const failed = failures(await harness.deliver([message({ receiveCount: 4 })]));
  return { harness, attempts, failed };
}

describe('a record whose last attempt lapsed, while the environment that made it is late rather than gone', () => {
  test('has the attempt that is given back as not called, and does not die', async () => {
    const { harness, attempts, failed } = await late({ a: 2, f, e: 'TimeBudget: over' });
    expect(failed).toEqual([]);
    expect(attempts).toEqual([3]);
    expect(harness.dead()).toEqual([]);
    expect((await harness.page()).succeeded).toEqual(new Set([0]));
  });

  test('dies of the error that the attempt ended with after all', async () => {
    const { harness, attempts, failed } = await late({ a: 3, f, e: 'VendorError: the third' });
    expect(failed).toEqual([]);
    expect(attempts).toEqual([]);
    expect(harness.dead()).toMatchObject([
      { cause: 'AttemptsExhausted', attempts: 3, errorName: 'VendorError', errorMessage: 'the third' },
    ]);
  });

  test('dies of the error before, where the attempt is heard of no more', async () => {
    const { harness, attempts } = await late(FROZEN);
    expect(attempts).toEqual([]);
    expect(harness.dead()).toMatchObject([{ attempts: 3, errorName: 'Error', errorMessage: 'the second' }]);
  });

  test('waits for whoever has claimed the attempt that was given back', async () => {
    const other: Claim = { t: 'other', a: 3, u: START + 60_000, f };
    const { harness, attempts, failed } = await late(other);
    expect(failed).toHaveLength(1);
    expect(attempts).toEqual([]);
    expect(harness.dead()).toEqual([]);
    expect(await harness.claim(0)).toEqual(other);
  });

  test('has that attempt in its redrive too', async () => {
    const attempts: number[] = [];
    const harness = await new Harness([
      job((_, { attempt }) => {
        attempts.push(attempt);
        if (attempts.length === 1) {
          throw new PermanentError('refused');
        }
      }),
    ]).seed([1]);
    await harness.deliver([message()]);
    const [first] = harness.dead();
    await harness.store.put({ ...first!, state: 'redriven', claim: { ...FROZEN } } as never);
    beforeNextWrite(harness, first!, () => ({ claim: { a: 2, f, e: 'TimeBudget: over' } }));
    const [envelope] = harness.deadLetterQueue.dead();
    const again = message({ envelope: envelope!, sqsGroup: first!.deathId, receiveCount: 4 });
    expect(failures(await harness.deliver([again]))).toEqual([]);
    expect(attempts).toEqual([1, 3]);
    expect(harness.dead()).toMatchObject([{ state: 'succeeded', deathId: first!.deathId }]);
    expect(await harness.store.query(ITEM_KEYS.deadPartition(FANOUT))).toHaveLength(1);
  });
});
