import { EngineMessageQueue, receive, send } from '../../../../lambda/simulation/sqs';
import { bodies, codeOf, fifoQueue, fixture, sendAll, withDeadLetters } from './fixtures';

describe('SqsEngine', () => {
  it('names the known actions when one is not served', async () => {
    const { engine } = fixture();
    await expect(engine.call('AddPermission', {})).rejects.toThrow(
      /AddPermission is not served; known actions: .*SendMessageBatch/,
    );
  });

  it('refuses a request that is no object, and fields of the wrong type', async () => {
    const { engine } = fixture();
    fifoQueue(engine);
    for (const input of [null, 'text', [], { QueueUrl: 7 }, { QueueUrl: '/0/work.fifo', MaxNumberOfMessages: '3' }]) {
      await expect(engine.call('ReceiveMessage', input)).rejects.toMatchObject({ code: 'SerializationException' });
    }
    await expect(engine.call('ReceiveMessage', {})).rejects.toMatchObject({ code: 'MissingParameter' });
  });

  it('finds a queue by the path of its URL, whatever the host', async () => {
    const { engine } = fixture();
    sendAll(fifoQueue(engine), ['a']);
    const QueueUrl = 'https://sqs.eu-central-1.amazonaws.com/123456789012/work.fifo';
    await expect(engine.call('ReceiveMessage', { QueueUrl })).resolves.toMatchObject({ Messages: [{ Body: 'a' }] });
  });

  it('throttles calls above a quota, a batch counting as one, until time has passed', async () => {
    const { engine, clock } = fixture({ callsPerSecond: { SendMessage: 2 } });
    fifoQueue(engine);
    const QueueUrl = '/0/work.fifo';
    const Entries = ['a', 'b'].map((Id) => ({ Id, MessageBody: Id, MessageGroupId: 'g', MessageDeduplicationId: Id }));
    const call = (): Promise<object> => engine.call('SendMessageBatch', { QueueUrl, Entries });
    await call();
    await call();
    await expect(call()).rejects.toMatchObject({ code: 'RequestThrottled', status: 403, senderFault: false });
    await clock.advance(500);
    await call();
    await expect(call()).rejects.toMatchObject({ code: 'RequestThrottled' });
    await expect(engine.call('ReceiveMessage', { QueueUrl })).resolves.toHaveProperty('Messages');
  });

  it('gives messages distinct ids of the usual form, the same for the same seed', () => {
    const ids = [fixture(), fixture()].map(({ engine }) => {
      const queue = fifoQueue(engine);
      return ['a', 'b'].map(
        (body) => send(queue, { body, attributes: {}, groupId: 'g', deduplicationId: body }).messageId,
      );
    });
    expect(ids[0]).toEqual(ids[1]);
    expect(new Set(ids[0]).size).toBe(2);
    expect(ids[0]?.[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('reports a redrive policy in one form, and takes the same policy for the same', () => {
    const { engine } = fixture();
    const { queue, deadLetters } = withDeadLetters(engine, 3);
    const attributes = (maxReceiveCount: unknown): Record<string, string> => ({
      FifoQueue: 'true',
      RedrivePolicy: JSON.stringify({ maxReceiveCount, deadLetterTargetArn: deadLetters.arn }),
    });
    expect(engine.createQueue('work.fifo', attributes('3'))).toBe(queue);
    expect(codeOf(() => engine.createQueue('work.fifo', attributes(4)))).toBe('QueueNameExists');
    expect(queue.attributes.entries().get('RedrivePolicy')).toBe(
      `{"deadLetterTargetArn":"${deadLetters.arn}","maxReceiveCount":3}`,
    );
  });

  it('refuses policies that are not JSON objects, and a queue as its own dead-letter queue', () => {
    const { engine } = fixture();
    const own = JSON.stringify({ deadLetterTargetArn: engine.arnOf('work.fifo'), maxReceiveCount: 1 });
    fifoQueue(engine);
    for (const RedrivePolicy of ['no json', '[]', '{}', own]) {
      expect(() => fifoQueue(engine, { RedrivePolicy }, 'other.fifo')).not.toThrow(TypeError);
    }
    for (const RedrivePolicy of ['no json', '[]', '{}']) {
      expect(() => fifoQueue(engine, { RedrivePolicy }, 'third.fifo')).toThrow(/RedrivePolicy is invalid/);
    }
  });

  it('keeps one kind of encryption', () => {
    const { engine } = fixture();
    const attributes = fifoQueue(engine, { KmsMasterKeyId: 'alias/own' }).attributes.entries();
    expect([attributes.get('KmsMasterKeyId'), attributes.get('SqsManagedSseEnabled')]).toEqual(['alias/own', 'false']);
  });

  it('refuses FIFO attributes on a standard queue, FifoQueue false included', () => {
    const { engine } = fixture();
    for (const attributes of [{ FifoQueue: 'false' }, { ContentBasedDeduplication: 'true' }]) {
      expect(codeOf(() => engine.createQueue('failures', attributes))).toBe('InvalidAttributeName');
    }
  });

  it('tells observers until they are removed', () => {
    const { engine } = fixture();
    const queue = fifoQueue(engine);
    const seen: string[] = [];
    const stop = engine.observe(({ type }) => void seen.push(type));
    sendAll(queue, ['a']);
    stop();
    sendAll(queue, ['b']);
    expect(seen).toEqual(['sent']);
  });
});

describe('a move task', () => {
  it('fails at a message that came from no queue, unless it has a destination', async () => {
    const { engine, clock } = fixture();
    const { queue, deadLetters } = withDeadLetters(engine, 1);
    sendAll(deadLetters, ['sent directly']);
    await engine.call('StartMessageMoveTask', { SourceArn: deadLetters.arn });
    await clock.advance(0);
    await expect(engine.call('ListMessageMoveTasks', { SourceArn: deadLetters.arn })).resolves.toMatchObject({
      Results: [
        { Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource', ApproximateNumberOfMessagesMoved: 0 },
      ],
    });
    await engine.call('StartMessageMoveTask', { SourceArn: deadLetters.arn, DestinationArn: queue.arn });
    await clock.advance(0);
    expect(bodies(queue)).toEqual(['sent directly']);
  });

  it('keeps the deduplication id and group of a message, and counts its receives anew', async () => {
    const { engine, clock, events } = fixture();
    const { queue, deadLetters } = withDeadLetters(engine, 1, { VisibilityTimeout: '1' });
    const { messageId } = send(queue, { body: 'x', attributes: {}, groupId: 'g', deduplicationId: 'original' });
    bodies(queue);
    await clock.advance(1000);
    bodies(queue);
    await engine.call('StartMessageMoveTask', { SourceArn: deadLetters.arn });
    await clock.advance(0);
    const [moved] = receive(queue, { limit: 1 });
    expect(moved).toMatchObject({ deduplicationId: messageId, groupId: 'g', receiveCount: 1 });
    expect(moved!.messageId).not.toBe(messageId);
    expect(events.map(({ type }) => type)).toContain('moved');
  });

  it('is remembered with the nine before it', async () => {
    const { engine, clock } = fixture();
    const { deadLetters } = withDeadLetters(engine, 1);
    for (let task = 0; task < 12; task++) {
      await engine.call('StartMessageMoveTask', { SourceArn: deadLetters.arn });
      await clock.advance(10);
    }
    const listed = await engine.call('ListMessageMoveTasks', { SourceArn: deadLetters.arn, MaxResults: 10 });
    const { Results } = listed as { Results: { StartedTimestamp: number }[] };
    expect(Results.map(({ StartedTimestamp }) => clock.now() - StartedTimestamp)).toEqual([
      10, 20, 30, 40, 50, 60, 70, 80, 90, 100,
    ]);
  });

  it('moves at its rate, and leaves no timer behind when the engine is closed', async () => {
    const { engine, clock } = fixture();
    const { queue, deadLetters } = withDeadLetters(engine, 1);
    sendAll(deadLetters, ['a', 'b', 'c', 'd', 'e']);
    const request = { SourceArn: deadLetters.arn, DestinationArn: queue.arn, MaxNumberOfMessagesPerSecond: 2 };
    await engine.call('StartMessageMoveTask', request);
    await clock.advance(999);
    expect(queue.counts().visible).toBe(2);
    await clock.advance(1);
    expect(queue.counts().visible).toBe(4);
    engine.close();
    expect(clock.nextTimer()).toBeUndefined();
  });
});

describe('EngineMessageQueue', () => {
  const entry = (id: string, body = id): { id: string; body: string; groupId: string; deduplicationId: string } => ({
    id,
    body,
    groupId: 'g',
    deduplicationId: id,
  });

  it('answers which entries were accepted and which failed alone', async () => {
    const { engine } = fixture();
    const port = new EngineMessageQueue(fifoQueue(engine));
    const result = await port.sendBatch([entry('a'), entry('b', 'bad \u0000'), entry('c')]);
    expect(result.accepted).toEqual(['a', 'c']);
    expect(result.failed).toEqual([
      expect.objectContaining({ id: 'b', code: 'InvalidMessageContents', senderFault: true }),
    ]);
  });

  it('rejects a call that fails as a whole', async () => {
    const { engine } = fixture({ callsPerSecond: { SendMessage: 1 } });
    const port = new EngineMessageQueue(fifoQueue(engine));
    await expect(port.sendBatch([])).rejects.toMatchObject({ code: 'EmptyBatchRequest' });
    await expect(port.sendBatch([entry('a'), entry('a')])).rejects.toMatchObject({ code: 'BatchEntryIdsNotDistinct' });
    const half = 'x'.repeat(600_000);
    await expect(port.sendBatch([entry('a', half), entry('b', half)])).rejects.toMatchObject({
      code: 'BatchRequestTooLong',
    });
    await expect(port.sendBatch([entry('a')], AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
    await port.sendBatch([entry('a')]);
    await expect(port.sendBatch([entry('b')])).rejects.toMatchObject({ code: 'RequestThrottled' });
  });

  it('changes visibility in calls of ten, and counts those of a call that is throttled', async () => {
    const { engine } = fixture({ callsPerSecond: { ChangeMessageVisibility: 1 } });
    const queue = fifoQueue(engine);
    for (let group = 0; group < 12; group++) {
      sendAll(queue, ['a'], `g${group}`);
    }
    const messages = [...receive(queue, { limit: 10 }), ...receive(queue, { limit: 10 })];
    const changes = messages.map(({ receiptHandle }) => ({ receiptHandle: receiptHandle!, seconds: 0 }));
    await expect(new EngineMessageQueue(queue).changeVisibility(changes)).resolves.toBe(2);
    expect(queue.counts()).toEqual({ visible: 10, delayed: 0, inFlight: 2 });
  });

  it('changes visibility and counts what it could not change', async () => {
    const { engine, clock } = fixture();
    const queue = fifoQueue(engine);
    const port = new EngineMessageQueue(queue);
    await port.sendBatch([entry('a'), entry('b')]);
    const [a, b] = receive(queue, { limit: 2 });
    const changes = [a, b].map((message) => ({ receiptHandle: message!.receiptHandle!, seconds: 5 }));
    await expect(port.changeVisibility([...changes, { receiptHandle: 'none', seconds: 5 }])).resolves.toBe(1);
    await clock.advance(5000);
    expect(bodies(queue)).toEqual(['a', 'b']);
  });
});
