import { deleteReceived, receive, receiveWaiting } from '../../../../lambda/simulation/sqs';
import { bodies, fifoQueue, fixture, sendAll } from './fixtures';

describe('receiveWaiting', () => {
  it('is answered when a message is sent, long before its time is over', async () => {
    const { engine, clock } = fixture();
    const queue = fifoQueue(engine);
    const waiting = receiveWaiting(queue, { limit: 10 }, 20_000);
    await clock.advance(3000);
    sendAll(queue, ['a', 'b']);
    await expect(waiting).resolves.toHaveLength(2);
    expect(clock.nextTimer()).toBeUndefined();
  });

  it('serves those who wait in the order in which they came', async () => {
    const { engine } = fixture();
    const queue = fifoQueue(engine);
    const waiting = [1, 2].map(() => receiveWaiting(queue, { limit: 1 }, 20_000));
    sendAll(queue, ['first'], 'a');
    sendAll(queue, ['second'], 'b');
    const received = await Promise.all(waiting);
    expect(received.map(([message]) => message?.body)).toEqual(['first', 'second']);
  });

  it('is answered when a visibility timeout is over or a group is free', async () => {
    const { engine, clock } = fixture();
    const queue = fifoQueue(engine, { VisibilityTimeout: '5' });
    sendAll(queue, ['a', 'b']);
    const [first] = receive(queue, { limit: 1 });
    const unlocked = receiveWaiting(queue, { limit: 1 }, 20_000);
    deleteReceived(queue, first!.receiptHandle!);
    expect((await unlocked).map(({ body }) => body)).toEqual(['b']);
    const again = receiveWaiting(queue, { limit: 1 }, 20_000);
    expect(clock.nextTimer()).toBe(clock.now() + 5000);
    await clock.advance(5000);
    expect((await again).map(({ body }) => body)).toEqual(['b']);
  });

  it('is answered when the number in flight falls below the limit', async () => {
    const { engine } = fixture({ inFlightLimit: 1 });
    const queue = fifoQueue(engine);
    sendAll(queue, ['a'], 'a');
    sendAll(queue, ['b'], 'b');
    const [first] = receive(queue, { limit: 10 });
    const waiting = receiveWaiting(queue, { limit: 1 }, 20_000);
    deleteReceived(queue, first!.receiptHandle!);
    expect((await waiting).map(({ body }) => body)).toEqual(['b']);
  });

  it('takes nothing once its caller is gone', async () => {
    const { engine, clock } = fixture();
    const queue = fifoQueue(engine);
    const caller = new AbortController();
    const waiting = receiveWaiting(queue, { limit: 10 }, 20_000, caller.signal);
    caller.abort();
    await expect(waiting).resolves.toEqual([]);
    sendAll(queue, ['a']);
    await clock.advance(0);
    expect(bodies(queue)).toEqual(['a']);
    expect(clock.nextTimer()).toBeUndefined();
  });

  it('sets no timer for a message that nobody waits for', () => {
    const { engine, clock } = fixture();
    const queue = fifoQueue(engine);
    sendAll(queue, ['a']);
    bodies(queue);
    expect(clock.nextTimer()).toBeUndefined();
  });

  it('drops the timer of a message that is deleted meanwhile', async () => {
    const { engine, clock } = fixture();
    const queue = fifoQueue(engine, { VisibilityTimeout: '5' });
    sendAll(queue, ['a']);
    const [message] = receive(queue, { limit: 1 });
    const waiting = receiveWaiting(queue, { limit: 1 }, 20_000);
    expect(clock.nextTimer()).toBe(clock.now() + 5000);
    deleteReceived(queue, message!.receiptHandle!);
    expect(clock.nextTimer()).toBe(clock.now() + 20_000);
    await clock.advance(20_000);
    await expect(waiting).resolves.toEqual([]);
  });

  it('fails when the queue refuses, and stops waiting', async () => {
    const { engine, clock } = fixture({ inFlightLimit: 1 });
    const queue = engine.createQueue('failures');
    const waiting = [1, 2].map(() => receiveWaiting(queue, { limit: 1 }, 20_000));
    sendAll(queue, ['a']);
    const results = await Promise.allSettled(waiting);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(clock.nextTimer()).toBeUndefined();
  });
});
