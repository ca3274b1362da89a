import type { DeadEnvelope } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { PermanentError } from '../../../lambda/job';
import { FANOUT, failures, Harness, job, message } from './harness';
import type { MessageOptions } from './harness';

type Outcome = 'succeed' | 'fail' | 'refuse';

/** A consumer whose record 0 has died once; `later` says what the handler does from then on. */
async function died(later: readonly Outcome[]) {
  const outcomes: Outcome[] = ['refuse', ...later];
  const contexts: { readonly attempt: number; readonly idempotencyKey: string }[] = [];
  const harness = await new Harness([
    job((_, { attempt, idempotencyKey }) => {
      contexts.push({ attempt, idempotencyKey });
      const outcome = outcomes.shift();
      if (outcome === 'refuse') {
        throw new PermanentError('refused');
      }
      if (outcome === 'fail') {
        throw new Error('failed');
      }
    }),
  ]).seed([2]);
  expect(failures(await harness.deliver([message()]))).toEqual([]);
  const [first] = harness.deadLetterQueue.dead();
  await harness.clock.advance(60_000);
  return { harness, first: first!, contexts };
}

/** The message of a death as SQS moves it back: in the group of the death, with the body that was sent. */
function redriven(dead: DeadEnvelope, more: MessageOptions = {}) {
  return message({ envelope: dead, sqsGroup: dead.deathId, ...more });
}

describe('PROTOCOL 4.6: redrive', () => {
  test('a redrive runs the handler once more, records its outcome in the DEAD item, and leaves the page alone', async () => {
    const { harness, first, contexts } = await died(['succeed']);
    const page = await harness.page();
    expect(failures(await harness.deliver([redriven(first)]))).toEqual([]);
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(contexts[1]!.idempotencyKey).toBe(contexts[0]!.idempotencyKey);
    expect(harness.dead()).toMatchObject([{ state: 'succeeded', deathId: first.deathId }]);
    expect(harness.dead()[0]!.claim).toBeUndefined();
    expect(await harness.page()).toEqual(page);
  });

  test('a native redrive is marked at its first receive, and its life is renewed', async () => {
    const { harness, first } = await died(['fail']);
    const before = harness.dead()[0]!;
    expect(before.state).toBe('dead');
    expect(failures(await harness.deliver([redriven(first)]))).toHaveLength(1);
    const [after] = harness.dead();
    expect(after).toMatchObject({ state: 'redriven', claim: { a: 1, e: 'Error: failed' } });
    expect(after!.expiresAt).toBe(before.expiresAt + 60);
  });

  test('a native redrive is noted in the index, where scans look for what is in flight', async () => {
    const { harness, first } = await died(['fail']);
    await harness.deliver([redriven(first)]);
    const { deathId, diedAt } = harness.dead()[0]!;
    expect(await harness.store.get(ITEM_KEYS.openRedrive(FANOUT, deathId))).toMatchObject({ deathId, diedAt });
  });

  test('its failures are retried by the policy, and counted anew', async () => {
    const { harness, first, contexts } = await died(['fail', 'fail', 'succeed']);
    for (const receiveCount of [1, 2, 3]) {
      await harness.deliver([redriven(first, { receiveCount })]);
    }
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 3]);
    expect(harness.dead()).toMatchObject([{ state: 'succeeded' }]);
  });

  test('a redrive that dies is another death, under the next deathId', async () => {
    const { harness, first } = await died(['refuse']);
    expect(failures(await harness.deliver([redriven(first)]))).toEqual([]);
    const [, second] = harness.deadLetterQueue.dead();
    expect(second!.deathId).not.toBe(first.deathId);
    expect(harness.dead().map(({ state, deathId }) => [state, deathId])).toEqual([
      ['deadAgain', first.deathId],
      ['dead', second!.deathId],
    ]);
    // And that one can be redriven in turn.
    expect(failures(await harness.deliver([redriven(second!)]))).toEqual([]);
    expect(harness.dead().map(({ state }) => state)).toEqual(['deadAgain', 'succeeded']);
  });

  test.each([
    ['succeeded', ['succeed']],
    ['died again', ['refuse']],
  ] as const)('B44: a second copy of a redrive that %s is acknowledged without a call', async (_, later) => {
    const { harness, first, contexts } = await died(later);
    await harness.deliver([redriven(first)]);
    expect(failures(await harness.deliver([redriven(first)]))).toEqual([]);
    expect(failures(await harness.deliver([redriven(first, { receiveCount: 3 })]))).toEqual([]);
    expect(contexts).toHaveLength(2);
  });

  test('B44: two redrives of one record have dead messages of different deduplication ids', async () => {
    const { harness, first } = await died(['refuse']);
    await harness.deliver([redriven(first)]);
    expect(new Set(harness.deadLetterQueue.sent.map((entry) => entry.deduplicationId)).size).toBe(2);
  });

  test('a message that names its death without a time is found by its deathId', async () => {
    const { harness, first } = await died(['succeed']);
    const { death, ...envelope } = first;
    expect(death.cause).toBe('PermanentError');
    expect(failures(await harness.deliver([message({ envelope })]))).toEqual([]);
    expect(harness.dead()).toMatchObject([{ state: 'succeeded' }]);
  });

  test('a redrive whose DEAD item is gone comes back without a call', async () => {
    const { harness, first, contexts } = await died(['succeed']);
    const [item] = harness.dead();
    await harness.store.delete(item!);
    expect(failures(await harness.deliver([redriven(first)]))).toHaveLength(1);
    expect(contexts).toHaveLength(1);
  });

  test('a purged record is not handled when its message turns up', async () => {
    const { harness, first, contexts } = await died(['succeed']);
    const [item] = harness.dead();
    await harness.store.put({ ...item!, state: 'purged' } as never);
    expect(failures(await harness.deliver([redriven(first)]))).toEqual([]);
    expect(contexts).toHaveLength(1);
  });

  test('a redriven record and the others of its group are one lane of a batch', async () => {
    const { harness, first } = await died(['fail']);
    const batch = [redriven(first), message({ ordinal: 1, group: first.group })];
    expect(failures(await harness.deliver(batch))).toHaveLength(2);
  });

  test('cancelling or expiring a run does not touch what is redriven on purpose', async () => {
    const { harness, first } = await died(['succeed']);
    await harness.store.put({ ...(await harness.run()), state: 'cancelled' } as never);
    expect(failures(await harness.deliver([redriven(first)]))).toEqual([]);
    expect(harness.dead()).toMatchObject([{ state: 'succeeded' }]);
  });
});
