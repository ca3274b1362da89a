import { EngineMessageQueue } from '../../../../lambda/simulation/sqs';
import type { InvokeFunction } from '../../../../lambda/simulation/event-source-mapping';
import { sendAll } from '../sqs/fixtures';
import { failing, harness, held } from './harness';

describe('an event source mapping', () => {
  it('deletes what succeeded and hands the function whole batches', async () => {
    const { mapping, queue, batches, clock } = harness(failing());
    sendAll(queue, ['a', 'b', 'c']);
    mapping.start();
    await mapping.whenIdle();
    expect(batches).toEqual([['a', 'b', 'c']]);
    expect(queue.list()).toEqual([]);
    expect(clock.nextTimer()).toBeUndefined();
  });

  it('B64: deletes the good message at once, returns the bad one twice, then dead-letters it', async () => {
    const { mapping, queue, deadLetters, batches, clock } = harness(failing('bad'), { receives: 2 });
    sendAll(queue, ['bad'], 'a');
    sendAll(queue, ['good'], 'b');
    mapping.start();
    await mapping.whenIdle();
    expect(queue.list().map(({ body }) => body)).toEqual(['bad']);
    await clock.advance(30_000);
    expect(batches).toEqual([['bad', 'good'], ['bad']]);
    await clock.advance(30_000);
    expect(batches).toHaveLength(2);
    expect(deadLetters.list().map(({ body }) => body)).toEqual(['bad']);
    expect(queue.list()).toEqual([]);
    expect(clock.nextTimer()).toBeUndefined();
  });

  it.each([
    ['an unknown id', { batchItemFailures: [{ itemIdentifier: 'unknown' }] }],
    ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['no JSON object', 'done'],
  ])('B64: returns the whole batch when the response has %s', async (_, response) => {
    const { mapping, queue, events } = harness(() => Promise.resolve(response));
    sendAll(queue, ['a', 'b']);
    mapping.start();
    await mapping.whenIdle();
    expect(queue.counts().inFlight).toBe(2);
    expect(events.at(-1)).toMatchObject({ type: 'settled', deleted: [], cause: 'malformedResponse' });
  });

  it('B64: takes null for success of all', async () => {
    const { mapping, queue } = harness(() => Promise.resolve(null));
    sendAll(queue, ['a', 'b']);
    mapping.start();
    await mapping.whenIdle();
    expect(queue.list()).toEqual([]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('boom'))],
    [
      'throws at once',
      () => {
        throw new Error('boom');
      },
    ],
  ])('returns the whole batch when the function %s, in order', async (_, invoke: InvokeFunction) => {
    const { mapping, queue, clock, batches, events } = harness(invoke);
    sendAll(queue, ['a', 'b']);
    mapping.start();
    await mapping.whenIdle();
    expect(events.at(-1)).toMatchObject({ cause: 'error', error: new Error('boom') });
    await clock.advance(30_000);
    expect(batches).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('ignores the response unless told to report failures', async () => {
    const { mapping, queue } = harness(failing('a'), { reportBatchItemFailures: false });
    sendAll(queue, ['a']);
    mapping.start();
    await mapping.whenIdle();
    expect(queue.list()).toEqual([]);
  });

  it('leaves a failed message to the visibility that the function gave it', async () => {
    const { mapping, queue, clock, batches } = harness(async ({ Records }) => {
      const changes = Records.map(({ receiptHandle }) => ({ receiptHandle, seconds: 200 }));
      await new EngineMessageQueue(queue).changeVisibility(changes);
      return { batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    });
    sendAll(queue, ['a']);
    mapping.start();
    await clock.advance(199_999);
    expect(batches).toHaveLength(1);
    await clock.advance(1);
    expect(batches).toHaveLength(2);
  });

  it('B65: reports a message that succeeded after its visibility timeout as one that may run twice', async () => {
    const { invoke, running } = held();
    const { mapping, queue, clock, events } = harness(invoke);
    sendAll(queue, ['a']);
    mapping.start();
    await clock.advance(30_000);
    expect(running).toHaveLength(2);
    running[0]!.end();
    await clock.advance(0);
    const late = running[0]!.event.Records[0]!.messageId;
    expect(events.at(-1)).toMatchObject({ type: 'settled', deleted: [], returned: [], late: [late] });
    running[1]!.end();
    await mapping.whenIdle();
    expect(events.at(-1)).toMatchObject({ deleted: [late], late: [] });
    expect(queue.list()).toEqual([]);
  });
});
