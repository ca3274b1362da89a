import { z } from 'zod';
import { CLOCK_SKEW_BOUND_MS } from '../../../lambda/ledger';
import { PermanentError } from '../../../lambda/job';
import { deathId } from '../../../lambda/ledger/identity';
import { CONFIGURATION, failures, Harness, job, message, pageId, RUN, START } from './harness';

function failing(message = 'fails'): () => never {
  return () => {
    throw new Error(message);
  };
}

describe('PROTOCOL 4.5: death', () => {
  test('a record dies after its last attempt: DEAD item, dead message, settled, in this order', async () => {
    const harness = await new Harness([job(failing('the vendor is down'))]).seed([1]);
    const order: string[] = [];
    harness.deadLetterQueue.beforeSend = () => order.push('send');
    harness.store.after = (call, key) => {
      if (call === 'put') {
        order.push('DEAD');
      } else if (call === 'update' && key.sk === 'PAGE') {
        order.push('PAGE');
      }
    };
    for (const receiveCount of [1, 2, 3]) {
      await harness.deliver([message({ receiveCount, group: 'acme' })]);
      await harness.clock.advance(60_000);
    }
    expect(harness.dead()).toMatchObject([
      {
        deathId: deathId(pageId(), 0),
        runId: RUN,
        ordinal: 0,
        key: 'record-0-0',
        group: 'acme',
        cause: 'AttemptsExhausted',
        attempts: 3,
        errorMessage: 'the vendor is down',
        state: 'dead',
      },
    ]);
    expect(harness.deadLetterQueue.dead()).toMatchObject([
      { payload: { id: 'record-0-0' }, death: { cause: 'AttemptsExhausted', attempts: 3 } },
    ]);
    expect(order).toEqual([...Array<string>(6).fill('PAGE'), 'DEAD', 'send', 'PAGE', 'PAGE']);
    expect(await harness.run()).toMatchObject({ state: 'completed', totals: { dead: 1 } });
  });

  test('whoever receives a dying record goes on with its death and never calls the handler', async () => {
    let calls = 0;
    const harness = await new Harness([
      job(() => {
        calls += 1;
        throw new PermanentError('no such address');
      }),
    ]).seed([1]);
    harness.deadLetterQueue.beforeSend = () => {
      throw new Error('the queue is gone');
    };
    expect(failures(await harness.deliver([message()]))).toHaveLength(1);
    expect(await harness.claim(0)).toMatchObject({ a: 1, d: { cause: 'PermanentError' } });
    harness.deadLetterQueue.beforeSend = () => undefined;
    await harness.clock.advance(10_000);
    expect(failures(await harness.deliver([message({ receiveCount: 2 })]))).toEqual([]);
    expect(calls).toBe(1);
    expect(harness.dead()).toHaveLength(1);
    expect(harness.deadLetterQueue.dead()).toMatchObject([
      { death: { cause: 'PermanentError', errorName: 'PermanentError', errorMessage: 'no such address' } },
    ]);
    expect(harness.dead()[0]!.diedAt).toBe(START);
  });

  test('a death that was begun for one cause is not carried out with the error of another', async () => {
    const schema = z.object({ id: z.number() });
    const harness = await new Harness([job(() => undefined, { schema: schema as never })]).seed([1]);
    const dying = { at: START, cause: 'PermanentError', deathId: deathId(pageId(), 0) };
    await harness.setClaim(0, { a: 1, f: START, e: 'VendorError: gone', d: dying });
    expect(failures(await harness.deliver([message({ receiveCount: 2 })]))).toEqual([]);
    expect(harness.deadLetterQueue.dead()).toMatchObject([
      { death: { cause: 'PermanentError', attempts: 1, errorName: 'VendorError', errorMessage: 'gone' } },
    ]);
  });

  test('a dead-letter queue that refuses an entry is not taken for one that accepted it', async () => {
    const harness = await new Harness([
      job(() => {
        throw new PermanentError('no');
      }),
    ]).seed([1]);
    harness.deadLetterQueue.sendBatch = () =>
      Promise.resolve({
        accepted: [],
        failed: [{ id: '0', code: 'InternalError', message: 'try again', senderFault: false }],
      });
    expect(failures(await harness.deliver([message()]))).toHaveLength(1);
    expect((await harness.page()).dead).toBeUndefined();
    expect(await harness.claim(0)).toMatchObject({ d: { cause: 'PermanentError' } });
  });

  test('a claim of the last attempt whose lease lapsed dies, with the cause', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed([1]);
    await harness.setClaim(0, { t: 'crashed', a: 3, u: START, f: START });
    await harness.clock.advance(CLOCK_SKEW_BOUND_MS + 1);
    expect(failures(await harness.deliver([message({ receiveCount: 4 })]))).toEqual([]);
    expect(handled).toEqual([]);
    expect(harness.deadLetterQueue.dead()).toMatchObject([
      { death: { cause: 'AttemptsExhausted', attempts: 3, errorName: 'EnvironmentEnded' } },
    ]);
  });

  test('the dead message fits into one MiB, however long the error and however full the payload', async () => {
    const payload = { id: 'r', text: 'x'.repeat(1024 * 1024 - 16 * 1024 - 400) };
    const harness = await new Harness([job(failing('\u0000'.repeat(100_000)))], {
      configuration: {
        ...CONFIGURATION,
        defaults: { ...CONFIGURATION.defaults, retry: { ...CONFIGURATION.defaults.retry, maxAttempts: 1 } },
      },
    }).seed([1]);
    expect(failures(await harness.deliver([message({ payload })]))).toEqual([]);
    const [entry] = harness.deadLetterQueue.sent;
    expect(Buffer.byteLength(entry!.body)).toBeLessThanOrEqual(1024 * 1024);
    expect(harness.deadLetterQueue.dead()).toMatchObject([{ payload, death: { cause: 'AttemptsExhausted' } }]);
  });

  test('name, message and stack of the last error are bounded, in the message and in the ledger', async () => {
    const error = Object.assign(new PermanentError('m'.repeat(50_000)), { name: 'N'.repeat(50_000) });
    error.stack = `${error.name}\n${'    at somewhere\n'.repeat(10_000)}`;
    const harness = await new Harness([
      job(() => {
        throw error;
      }),
    ]).seed([1]);
    await harness.deliver([message()]);
    const { errorName, errorMessage, errorStack = '' } = harness.deadLetterQueue.dead()[0]!.death;
    expect([errorName, errorMessage, errorStack].map((text) => text.length)).toEqual([2_048, 2_048, 8_192]);
    const [dead] = harness.dead();
    expect([dead!.errorName, dead!.errorMessage, dead!.errorStack!].map((text) => text.length)).toEqual([
      1_024, 1_024, 2_048,
    ]);
  });

  test('at the last receive the consumer settles what would come back: the failed head and what is behind it', async () => {
    const handled: string[] = [];
    const harness = await new Harness([
      job((record) => {
        handled.push(record.id);
        throw new Error('fails');
      }),
    ]).seed([2]);
    const batch = [0, 1].map((ordinal) =>
      message({ ordinal, group: 'A', receiveCount: CONFIGURATION.maxReceiveCount }),
    );
    expect(failures(await harness.deliver(batch))).toEqual([]);
    // The first dies by its attempt; the second is then at the head and has its attempt too.
    expect(handled).toEqual(['record-0-0', 'record-0-1']);
    expect(harness.deadLetterQueue.dead().map(({ death }) => death.cause)).toEqual(['Backstop', 'Backstop']);
  });

  test('at the last receive a record that could not start dies by the backstop', async () => {
    const harness = await new Harness([job(() => undefined)], {
      setup: { dependenciesOf: () => Promise.reject(new Error('no database')) },
    }).seed([2]);
    const batch = [
      message({ ordinal: 0, group: 'A', receiveCount: 2 }),
      message({ ordinal: 1, group: 'A', receiveCount: 50 }),
    ];
    expect(failures(await harness.deliver(batch))).toEqual([batch[0]!.messageId]);
    expect(harness.deadLetterQueue.dead()).toMatchObject([
      { ordinal: 1, death: { cause: 'Backstop', attempts: 0, errorMessage: 'no database' } },
    ]);
  });
});
