import { PermanentError } from '../../../lambda/job';
import { sweepPage } from '../../../lambda/ledger';
import { CONFIGURATION, failures, FANOUT, Harness, job, message, pageId, START } from './harness';

const DEADLINE_MS = (CONFIGURATION.queueRetention + 12 * 3600) * 1000;

/** A consumer whose two records were given up: no message of them came until the deadline of their page. */
async function swept(handler: () => void, run: object = {}) {
  const keys: string[] = [];
  const harness = await new Harness([
    job((_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      handler();
    }),
  ]).seed([2], run);
  await harness.store.put({ ...(await harness.page()), sealedAt: START } as never);
  await harness.clock.advance(DEADLINE_MS + 1);
  await sweep(harness);
  return { harness, keys };
}

async function sweep(harness: Harness): Promise<void> {
  const { store, clock } = harness;
  const options = { queueRetention: CONFIGURATION.queueRetention, ledgerRetention: 1_641_600, limit: 100 };
  await sweepPage({ store, clock, fanoutId: FANOUT }, pageId(), await harness.page(), options);
  store.calls.length = 0;
}

describe('PROTOCOL 3: a message that comes after its record was given up as lost', () => {
  test('is the redrive of that death: its handler is called once, and the page keeps its books', async () => {
    const { harness, keys } = await swept(() => undefined);
    const page = await harness.page();
    expect(page.dead).toEqual(new Set([0, 1]));
    expect(failures(await harness.deliver([message({ ordinal: 0 })]))).toEqual([]);
    expect(failures(await harness.deliver([message({ ordinal: 0, receiveCount: 2 })]))).toEqual([]);
    expect(keys).toHaveLength(1);
    expect(
      harness
        .dead()
        .map(({ ordinal, state }) => [ordinal, state])
        .sort(),
    ).toEqual([
      [0, 'succeeded'],
      [1, 'dead'],
    ]);
    expect(await harness.page()).toEqual(page);
  });

  test('is retried by the policy, and dies under the next deathId, with its record in the dead-letter queue', async () => {
    const { harness } = await swept(() => {
      throw new PermanentError('still no');
    });
    const [lost] = harness.dead().filter(({ ordinal }) => ordinal === 1);
    expect(failures(await harness.deliver([message({ ordinal: 1 })]))).toEqual([]);
    expect(harness.dead().find(({ deathId }) => deathId === lost!.deathId)).toMatchObject({ state: 'deadAgain' });
    const [dead] = harness.deadLetterQueue.dead();
    expect(dead).toMatchObject({ key: 'record-0-1', death: { cause: 'PermanentError', attempts: 1 } });
    expect(dead!.deathId).not.toBe(lost!.deathId);
  });

  test('is handled also where its run was cancelled, or its records expire', async () => {
    const { harness, keys } = await swept(() => undefined, { state: 'cancelled' });
    // A cancelled run settles before anything else; the death came first.
    expect(failures(await harness.deliver([message({ ordinal: 0 })]))).toEqual([]);
    expect(keys).toHaveLength(1);
  });

  test('comes back where the ledger cannot say how its record died', async () => {
    const { harness, keys } = await swept(() => undefined);
    let reads = 0;
    harness.store.before = (call) => {
      reads += call === 'get' ? 1 : 0;
      if (call === 'get' && reads > 2) {
        throw new Error('the table is away');
      }
    };
    const late = message({ ordinal: 0 });
    expect(failures(await harness.deliver([late]))).toEqual([late.messageId]);
    expect(keys).toEqual([]);
  });

  test('between the steps of the sweep goes on with the death, and its record reaches the dead-letter queue', async () => {
    const harness = await new Harness([job(() => undefined)]).seed([1]);
    await harness.store.put({ ...(await harness.page()), sealedAt: START } as never);
    await harness.clock.advance(DEADLINE_MS + 1);
    harness.store.before = (call) => {
      if (call === 'put') {
        throw new Error('the sweep ends here');
      }
    };
    await expect(sweep(harness)).rejects.toThrow('ends here');
    harness.store.before = () => undefined;
    expect(failures(await harness.deliver([message()]))).toEqual([]);
    expect(harness.deadLetterQueue.dead()).toMatchObject([
      { key: 'record-0-0', death: { cause: 'Lost', attempts: 0 } },
    ]);
    expect(harness.dead()).toMatchObject([{ state: 'dead', cause: 'Lost' }]);
    expect(await harness.run()).toMatchObject({ state: 'completed', totals: { dead: 1 } });
  });

  test.each([
    ['its DEAD item was written', 'put'],
    ['its message was in the dead-letter queue', 'send'],
  ])('is the redrive of a death that a consumer had begun, and that ended before %s', async (_, step) => {
    const calls: number[] = [];
    const harness = await new Harness([
      job((_record, { attempt }) => {
        calls.push(attempt);
        if (calls.length === 1) {
          throw new PermanentError('no');
        }
      }),
    ]).seed([2]);
    await harness.store.put({ ...(await harness.page()), sealedAt: START } as never);
    const endAt = (call: string): void => {
      if (call === step) {
        throw new Error('the process ends here');
      }
    };
    harness.store.before = endAt;
    harness.deadLetterQueue.beforeSend = () => {
      endAt('send');
    };
    const first = message();
    expect(failures(await harness.deliver([first]))).toEqual([first.messageId]);
    harness.store.before = () => undefined;
    harness.deadLetterQueue.beforeSend = () => undefined;
    expect((await harness.page()).claims['0']).toMatchObject({ d: { cause: 'PermanentError' } });
    await harness.clock.advance(DEADLINE_MS + 1);
    await sweep(harness);
    expect(await harness.page()).toMatchObject({ dead: new Set([0, 1]) });
    // SQS had moved the message to the dead-letter queue by itself, and the console moves it back.
    expect(failures(await harness.deliver([message({ receiveCount: 2 })]))).toEqual([]);
    expect(failures(await harness.deliver([message({ receiveCount: 3 })]))).toEqual([]);
    expect(calls).toEqual([1, 1]);
    expect(harness.dead().find(({ ordinal }) => ordinal === 0)).toMatchObject({
      cause: 'PermanentError',
      state: 'succeeded',
    });
  });

  test('a second copy of a record that died by its handler stays without a call', async () => {
    const harness = await new Harness([
      job(() => {
        throw new PermanentError('no');
      }),
    ]).seed([2]);
    await harness.deliver([message()]);
    expect(failures(await harness.deliver([message({ receiveCount: 2 })]))).toEqual([]);
    expect(harness.deadLetterQueue.sent).toHaveLength(1);
  });
});
