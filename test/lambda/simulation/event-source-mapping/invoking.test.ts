import { sendAll } from '../sqs/fixtures';
import { failing, harness, held, throttled } from './harness';

describe('an event source mapping', () => {
  it('invokes as often at once as groups have messages, up to the maximum', async () => {
    const { invoke, running } = held();
    const { mapping, queue, clock } = harness(invoke, { batchSize: 1, maximumConcurrency: 3 });
    for (const group of ['a', 'b', 'c', 'd', 'e']) {
      sendAll(queue, [`${group}1`, `${group}2`], group);
    }
    mapping.start();
    await clock.advance(0);
    expect(running.map(({ event }) => event.Records[0]?.body)).toEqual(['a1', 'b1', 'c1']);
    expect(mapping.invocations).toBe(3);
    running[1]!.end();
    await clock.advance(0);
    expect(running.map(({ event }) => event.Records[0]?.body)).toEqual(['a1', 'b1', 'c1', 'd1']);
  });

  it('invokes once at a time for a single group', async () => {
    const { invoke, running } = held();
    const { mapping, queue, clock } = harness(invoke, { batchSize: 1 });
    sendAll(queue, ['a', 'b']);
    mapping.start();
    await clock.advance(0);
    expect(running).toHaveLength(1);
    running[0]!.end();
    await clock.advance(0);
    expect(running).toHaveLength(2);
  });

  it('keeps the payload of an invocation within 6 MB', async () => {
    const sizes: number[] = [];
    const { mapping, queue } = harness((event) => {
      sizes.push(Buffer.byteLength(JSON.stringify(event)));
      return Promise.resolve({});
    });
    for (let message = 0; message < 10; message++) {
      sendAll(queue, [`${'"'.repeat(100_000)}${'x'.repeat(1024 * 1024 - 100_000)}`], `g${message}`);
    }
    mapping.start();
    await mapping.whenIdle();
    expect(sizes).toHaveLength(2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(6 * 1024 * 1024);
    expect(queue.list()).toEqual([]);
  });

  it('hands over a message that is larger than the payload limit alone', async () => {
    const { mapping, queue, batches } = harness(failing(), { payloadBytes: 1500 });
    sendAll(queue, ['x'.repeat(2000), 'y', 'z']);
    mapping.start();
    await mapping.whenIdle();
    expect(batches.map((batch) => batch.length)).toEqual([1, 1, 1]);
  });

  it('tries a throttled invocation again, at no receive', async () => {
    let refusals = 3;
    const { mapping, queue, clock, events } = harness(() =>
      refusals-- > 0 ? Promise.reject(throttled()) : Promise.resolve({}),
    );
    sendAll(queue, ['a']);
    mapping.start();
    await clock.advance(100 + 200 + 400 - 1);
    expect(queue.counts().inFlight).toBe(1);
    await clock.advance(1);
    expect(events.at(-1)).toMatchObject({ type: 'settled', returned: [] });
    expect(queue.list()).toEqual([]);
  });

  it('drops a batch that stays throttled until its visibility timeout is over, so that receives are used up', async () => {
    const { mapping, queue, deadLetters, clock, events } = harness(() => Promise.reject(throttled()), { receives: 2 });
    sendAll(queue, ['a']);
    mapping.start();
    await clock.advance(60_000);
    expect(events.filter(({ type }) => type === 'settled')).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ cause: 'throttled' });
    expect(deadLetters.list()).toHaveLength(1);
  });

  it('ends an invocation at the timeout of the function, and returns its messages', async () => {
    let aborted = false;
    const { mapping, queue, clock, events } = harness(
      (_, { signal, deadlineAt }) =>
        new Promise(() => {
          expect(deadlineAt).toBe(clock.now() + 5000);
          signal.addEventListener('abort', () => (aborted = true));
        }),
      { functionTimeoutSeconds: 5 },
    );
    sendAll(queue, ['a']);
    mapping.start();
    await clock.advance(4999);
    expect(mapping.invocations).toBe(1);
    await clock.advance(1);
    expect([mapping.invocations, aborted]).toEqual([0, true]);
    expect(events.at(-1)).toMatchObject({ cause: 'timeout', error: new Error('Task timed out after 5 seconds') });
    expect(queue.counts().inFlight).toBe(1);
  });

  it('drops the timer of an invocation that ends in time', async () => {
    const { mapping, queue, clock } = harness(failing(), { functionTimeoutSeconds: 5 });
    sendAll(queue, ['a']);
    mapping.start();
    await mapping.whenIdle();
    expect(clock.nextTimer()).toBeUndefined();
  });
});
