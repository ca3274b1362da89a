import { changeVisibility, deleteReceived, receive, send, setAttributes } from '../../../../lambda/simulation/sqs';
import { bodies, codeOf, fifoQueue, fixture, sendAll, withDeadLetters } from './fixtures';

describe('a FIFO queue', () => {
  it('hands out the visible messages of a group up to a limit, then the next group', () => {
    const { engine } = fixture();
    const queue = fifoQueue(engine);
    sendAll(queue, ['a1', 'a2', 'a3'], 'a');
    sendAll(queue, ['b1', 'b2'], 'b');
    expect(bodies(queue, { limit: 4 })).toEqual(['a1', 'a2', 'a3', 'b1']);
    expect(bodies(queue)).toEqual([]);
  });

  it('lets groups take turns', () => {
    const { engine } = fixture();
    const queue = fifoQueue(engine);
    sendAll(queue, ['a1', 'a2'], 'a');
    sendAll(queue, ['b1'], 'b');
    const [first] = receive(queue, { limit: 1 });
    deleteReceived(queue, first!.receiptHandle!);
    expect(bodies(queue, { limit: 1 })).toEqual(['b1']);
    expect(bodies(queue, { limit: 1 })).toEqual(['a2']);
  });

  it('hands out a message again whose visibility timeout is over, and counts it', async () => {
    const { engine, clock } = fixture();
    const queue = fifoQueue(engine, { VisibilityTimeout: '10' });
    sendAll(queue, ['a']);
    expect(bodies(queue)).toEqual(['a']);
    await clock.advance(9999);
    expect(bodies(queue)).toEqual([]);
    await clock.advance(1);
    expect(receive(queue, { limit: 10 }).map(({ receiveCount }) => receiveCount)).toEqual([2]);
  });

  it('hands out nothing above the limit of messages in flight, without an error', () => {
    const { engine } = fixture({ inFlightLimit: 3 });
    const queue = fifoQueue(engine);
    sendAll(queue, ['a', 'b'], 'a');
    sendAll(queue, ['c', 'd'], 'b');
    expect(bodies(queue)).toEqual(['a', 'b', 'c']);
    sendAll(queue, ['e'], 'c');
    expect(queue.isReceivable()).toBe(false);
    expect(bodies(queue)).toEqual([]);
  });

  it('has 120,000 messages in flight at most, unless told otherwise', () => {
    expect(fixture().engine.inFlightLimit).toBe(120_000);
  });

  it('loses messages that are too old, and frees the group of one that was in flight', async () => {
    const { engine, clock, events } = fixture();
    const queue = fifoQueue(engine, { MessageRetentionPeriod: '60', VisibilityTimeout: '600' });
    sendAll(queue, ['old']);
    bodies(queue);
    await clock.advance(59_999);
    sendAll(queue, ['new']);
    expect(bodies(queue)).toEqual([]);
    await clock.advance(1);
    expect(bodies(queue)).toEqual(['new']);
    expect(events.filter(({ type }) => type === 'expired')).toHaveLength(1);
  });

  it('applies a change of its delay to messages that were never received', async () => {
    const { engine, clock } = fixture();
    const queue = fifoQueue(engine, { DelaySeconds: '100' });
    sendAll(queue, ['a', 'b']);
    expect(queue.counts()).toEqual({ visible: 0, delayed: 2, inFlight: 0 });
    setAttributes(queue, { DelaySeconds: '10' });
    await clock.advance(10_000);
    expect(bodies(queue, { limit: 1, visibilitySeconds: 5 })).toEqual(['a']);
    setAttributes(queue, { DelaySeconds: '60' });
    await clock.advance(5000);
    expect(bodies(queue)).toEqual(['a']);
    expect(queue.counts()).toEqual({ visible: 0, delayed: 1, inFlight: 1 });
    setAttributes(queue, { DelaySeconds: '0' });
    expect(queue.counts()).toEqual({ visible: 1, delayed: 0, inFlight: 1 });
  });

  it('hands out a message again at once that is received with a visibility timeout of 0', () => {
    const { engine } = fixture();
    const queue = fifoQueue(engine);
    sendAll(queue, ['a']);
    expect(bodies(queue, { visibilitySeconds: 0 })).toEqual(['a']);
    expect(bodies(queue, { visibilitySeconds: 0 })).toEqual(['a']);
  });

  it('takes a delete of a message that is gone for done', () => {
    const { engine } = fixture();
    const queue = fifoQueue(engine);
    sendAll(queue, ['a']);
    const [message] = receive(queue, { limit: 1 });
    deleteReceived(queue, message!.receiptHandle!);
    deleteReceived(queue, message!.receiptHandle!);
    expect(() => {
      changeVisibility(queue, message!.receiptHandle!, 0);
    }).toThrow(/does not exist or is not available/);
  });

  it('refuses the handle of another queue', () => {
    const { engine } = fixture();
    const [queue, other] = [fifoQueue(engine), fifoQueue(engine, {}, 'other.fifo')];
    sendAll(queue, ['a']);
    sendAll(other, ['b']);
    const [message] = receive(queue, { limit: 1 });
    expect(() => {
      deleteReceived(other, message!.receiptHandle!);
    }).toThrow(/is not a valid receipt handle/);
  });

  it('B65: keeps a message whose handle has expired when it is deleted, and says so', async () => {
    const { engine, clock } = fixture();
    const queue = fifoQueue(engine, { VisibilityTimeout: '1' });
    sendAll(queue, ['a']);
    const [message] = receive(queue, { limit: 1 });
    await clock.advance(1000);
    expect(() => {
      deleteReceived(queue, message!.receiptHandle!);
    }).toThrow(/The receipt handle has expired/);
    expect(bodies(queue)).toEqual(['a']);
  });

  it('B65: remembers deduplication ids after a delete, by scope', () => {
    const { engine } = fixture();
    const queue = fifoQueue(engine, { DeduplicationScope: 'messageGroup' });
    const content = { body: 'x', attributes: {}, groupId: 'a', deduplicationId: 'same' };
    const first = send(queue, content);
    deleteReceived(queue, receive(queue, { limit: 1 })[0]!.receiptHandle!);
    expect(send(queue, content).messageId).toBe(first.messageId);
    expect(send(queue, { ...content, groupId: 'b' }).messageId).not.toBe(first.messageId);
    expect(bodies(queue)).toEqual(['x']);
  });

  it('B65: frees the group of a message that goes to the dead-letter queue', async () => {
    const { engine, clock } = fixture();
    const { queue, deadLetters } = withDeadLetters(engine, 1, { VisibilityTimeout: '1' });
    sendAll(queue, ['a', 'b']);
    bodies(queue, { limit: 1 });
    await clock.advance(1000);
    expect(bodies(queue)).toEqual(['b']);
    expect(deadLetters.list().map(({ body }) => body)).toEqual(['a']);
  });

  it('counts receives of followers that are handed out with a failing head, and dead-letters them with it', async () => {
    const { engine, clock } = fixture();
    const { queue, deadLetters } = withDeadLetters(engine, 2, { VisibilityTimeout: '1' });
    sendAll(queue, ['head', 'follower']);
    for (let receives = 0; receives < 3; receives++) {
      bodies(queue);
      await clock.advance(1000);
    }
    expect(deadLetters.list().map(({ body }) => body)).toEqual(['head', 'follower']);
  });

  it('keeps a message whose dead-letter queue is gone', async () => {
    const { engine, clock } = fixture();
    const { queue, deadLetters } = withDeadLetters(engine, 1, { VisibilityTimeout: '1' });
    sendAll(queue, ['a']);
    bodies(queue);
    engine.deleteQueue(deadLetters.name);
    await clock.advance(1000);
    expect(bodies(queue)).toEqual(['a']);
  });

  it('tells what becomes due next', () => {
    const { engine, clock } = fixture();
    const queue = fifoQueue(engine, { VisibilityTimeout: '30' });
    expect(queue.nextDueAt()).toBeUndefined();
    sendAll(queue, ['a']);
    const [message] = receive(queue, { limit: 1 });
    expect(queue.nextDueAt()).toBe(clock.now() + 30_000);
    changeVisibility(queue, message!.receiptHandle!, 5);
    expect(queue.nextDueAt()).toBe(clock.now() + 5000);
    deleteReceived(queue, message!.receiptHandle!);
    expect(queue.nextDueAt()).toBeUndefined();
  });

  it('tells observers of everything that happens, in order', async () => {
    const { engine, clock, events } = fixture();
    const { queue } = withDeadLetters(engine, 1, { VisibilityTimeout: '1' });
    const content = { body: 'x', attributes: {}, groupId: 'g', deduplicationId: 'same' };
    send(queue, content);
    send(queue, content);
    const [message] = receive(queue, { limit: 1 });
    changeVisibility(queue, message!.receiptHandle!, 2);
    await clock.advance(2000);
    bodies(queue);
    sendAll(queue, ['y']);
    deleteReceived(queue, receive(queue, { limit: 1 })[0]!.receiptHandle!);
    expect(events.map(({ type }) => type)).toEqual([
      'sent',
      'deduplicated',
      'received',
      'visibilityChanged',
      'deadLettered',
      'sent',
      'received',
      'deleted',
    ]);
  });
});

describe('a standard queue', () => {
  it('hands out messages in an order that is not theirs, the same for the same seed', () => {
    const order = (): string[] => {
      const { engine } = fixture();
      const queue = engine.createQueue('failures');
      sendAll(queue, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
      return bodies(queue);
    };
    expect(order()).not.toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    expect([...order()].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    expect(order()).toEqual(order());
  });

  it('answers an error above the limit of messages in flight', () => {
    const { engine } = fixture({ inFlightLimit: 1 });
    const queue = engine.createQueue('failures');
    sendAll(queue, ['a', 'b']);
    expect(bodies(queue)).toHaveLength(1);
    expect(codeOf(() => bodies(queue))).toBe('OverLimit');
  });

  it('lets a message be deleted whose visibility timeout is over, while nobody has received it again', async () => {
    const { engine, clock } = fixture();
    const queue = engine.createQueue('failures', { VisibilityTimeout: '1' });
    sendAll(queue, ['a']);
    const [first] = receive(queue, { limit: 1 });
    const handle = first!.receiptHandle!;
    await clock.advance(1000);
    expect(
      codeOf(() => {
        changeVisibility(queue, handle, 0);
      }),
    ).toBe('MessageNotInflight');
    bodies(queue);
    deleteReceived(queue, handle);
    expect(queue.counts().inFlight).toBe(1);
    await clock.advance(1000);
    deleteReceived(queue, queue.list()[0]!.receiptHandle!);
    expect(queue.list()).toEqual([]);
  });

  it('keeps the time at which a message was sent on the way to its dead-letter queue', async () => {
    const { engine, clock } = fixture();
    const dead = engine.createQueue('dead');
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 1 });
    const queue = engine.createQueue('failures', { VisibilityTimeout: '1', RedrivePolicy });
    const sentAt = clock.now();
    sendAll(queue, ['a']);
    bodies(queue);
    await clock.advance(1000);
    bodies(queue);
    expect(dead.list().map((message) => message.sentAt)).toEqual([sentAt]);
  });
});
