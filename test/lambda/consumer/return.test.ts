import { ITEM_KEYS } from '../../../lambda/contract';
import { RetryLater } from '../../../lambda/job';
import { CONFIGURATION, failures, Harness, job, message, pageId, REMAINING, START } from './harness';

function failing(message = 'fails'): () => never {
  return () => {
    throw new Error(message);
  };
}

describe('PROTOCOL 4.7: a failure that is not the last', () => {
  test('the claim keeps its attempts, loses its lease, and 100 bytes of the error', async () => {
    const harness = await new Harness([job(failing('ü'.repeat(200)))]).seed();
    await harness.deliver([message()]);
    const claim = await harness.claim(0);
    expect(claim).toEqual({ a: 1, f: START, e: `Error: ${'ü'.repeat(46)}` });
    expect(Buffer.byteLength(claim!.e!)).toBeLessThanOrEqual(100);
  });

  test('the message and its followers become visible after the back-off', async () => {
    const harness = await new Harness([job(failing())]).seed();
    const batch = [0, 1, 2].map((ordinal) => message({ ordinal, group: 'A' }));
    await harness.deliver(batch);
    expect(batch.map((record) => harness.queue.visibility.get(record.receiptHandle))).toEqual([10, 10, 10]);
    const again = [0, 1, 2].map((ordinal) => message({ ordinal, group: 'A', receiveCount: 2 }));
    await harness.clock.advance(10_000);
    await harness.deliver(again);
    expect(again.map((record) => harness.queue.visibility.get(record.receiptHandle))).toEqual([20, 20, 20]);
  });

  test('a back-off ends twelve hours after the receive at the latest', async () => {
    const harness: Harness = await new Harness([
      job(async () => {
        await new Promise<void>((resolve) => harness.clock.setTimer(30_000, resolve));
        throw new RetryLater({ after: 1e9 });
      }),
    ]).seed();
    const failed = message();
    await harness.deliver([failed]);
    expect(harness.queue.visibility.get(failed.receiptHandle)).toBe(43_200 - 60 - 30);
  });

  test('visibility that cannot be changed changes nothing else', async () => {
    const harness = await new Harness([job(failing())]).seed();
    harness.queue.failVisibility = true;
    expect(failures(await harness.deliver([message()]))).toHaveLength(1);
    expect(await harness.claim(0)).toMatchObject({ a: 1 });
  });
});

describe('lanes of maxConcurrency 1', () => {
  const single = { ...CONFIGURATION, lanes: 'single' } as const;
  const batchOf = () => [0, 1].map((ordinal) => message({ ordinal, sqsGroup: 'single', key: `k${ordinal}` }));

  test('all messages are one lane, and a failing head holds them back', async () => {
    const harness = await new Harness([job(failing())], { configuration: single }).seed([2], { lanes: 'single' });
    expect(failures(await harness.deliver(batchOf()))).toHaveLength(2);
    expect((await harness.page()).claims).toEqual({ 0: { a: 1, f: START, e: 'Error: fails' } });
  });

  test('with deadLetterAndContinue a failing head goes to the dead-letter queue and the others go on', async () => {
    const harness = await new Harness(
      [
        job((record, { maxAttempts }) => {
          expect(maxAttempts).toBe(1);
          if (record.id === 'k0') {
            throw new Error('fails');
          }
        }),
      ],
      { configuration: { ...single, serialFailure: 'deadLetterAndContinue' } },
    ).seed([2], { lanes: 'single' });
    expect(failures(await harness.deliver(batchOf()))).toEqual([]);
    expect(await harness.run()).toMatchObject({ totals: { dead: 1, succeeded: 1 } });
  });
});

describe('a ledger that does not answer', () => {
  test('when the table cannot be reached, every message comes back and no handler is called', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed();
    harness.store.before = () => {
      throw new Error('the table is gone');
    };
    const batch = [0, 1, 2].map((ordinal) => message({ ordinal }));
    expect(failures(await harness.deliver(batch))).toHaveLength(3);
    expect(handled).toEqual([]);
  });

  test('a table that hangs does not keep the consumer from answering before its deadline', async () => {
    const harness = await new Harness([job(() => undefined)]).seed();
    harness.store.get = () => new Promise(() => undefined);
    expect(failures(await harness.deliver([message()]))).toHaveLength(1);
    expect(harness.clock.now()).toBeLessThan(START + REMAINING);
  });

  test('a message whose page the ledger does not have comes back and is left to the redrive policy', async () => {
    const harness = await new Harness([job(() => undefined)]).seed([1]);
    const batch = [message({ page: 7 }), message({ envelope: { run: 'unknown-run' }, key: 'x' })];
    expect(failures(await harness.deliver(batch))).toHaveLength(2);
    expect(await harness.store.get(ITEM_KEYS.page(pageId(7)))).toBeUndefined();
  });

  test('a setup that fails uses no attempt; the messages come back', async () => {
    let tries = 0;
    const harness = await new Harness([job(() => undefined)], {
      setup: {
        dependenciesOf: () => {
          tries += 1;
          return tries === 1 ? Promise.reject(new Error('no database')) : Promise.resolve({});
        },
      },
    }).seed();
    expect(failures(await harness.deliver([message()]))).toHaveLength(1);
    expect((await harness.page()).claims).toEqual({});
    expect(failures(await harness.deliver([message({ receiveCount: 2 })]))).toEqual([]);
  });
});
