import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { startSqsServer, type SqsServer } from '../../../../bin/dev/sqs-http';
import { md5 } from '../../../../lambda/simulation/sqs';
import { bodies, fifoQueue, fixture, sendAll, type Fixture } from '../../../lambda/simulation/sqs/fixtures';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
  readonly reusedSocket: boolean;
}

describe('the SQS server', () => {
  let world: Fixture;
  let server: SqsServer;
  let agent: Agent;
  let internalErrors: unknown[];

  beforeEach(async () => {
    world = fixture();
    internalErrors = [];
    server = await startSqsServer({ engine: world.engine, onInternalError: (error) => internalErrors.push(error) });
    agent = new Agent({ keepAlive: true, maxSockets: 4 });
  });

  afterEach(async () => {
    agent.destroy();
    await server.close();
  });

  /** Posts a request as an SDK does; `signal` gives it up. */
  function post(target: string | undefined, body: unknown, signal?: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/x-amz-json-1.0',
        ...(target === undefined ? {} : { 'x-amz-target': target }),
      };
      const call = request(server.endpoint, { method: 'POST', agent, headers, signal }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const answer = JSON.parse(text) as Record<string, unknown>;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: answer,
            reusedSocket: call.reusedSocket,
          });
        });
      });
      call.on('error', reject);
      call.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }

  it('answers in the JSON protocol, with URLs of its own and the digests that SDKs check', async () => {
    const Attributes = { FifoQueue: 'true' };
    const created = await post('AmazonSQS.CreateQueue', { QueueName: 'work.fifo', Attributes });
    expect(created.body).toEqual({ QueueUrl: `${server.endpoint}/000000000000/work.fifo` });
    expect(created.headers).toMatchObject({ 'content-type': 'application/x-amz-json-1.0' });
    const sent = await post('AmazonSQS.SendMessage', {
      QueueUrl: created.body.QueueUrl,
      MessageBody: 'a \u{1F389}',
      MessageGroupId: 'g',
      MessageDeduplicationId: 'd',
    });
    expect(sent.body).toMatchObject({ MD5OfMessageBody: md5('a \u{1F389}') });
    const received = await post('AmazonSQS.ReceiveMessage', { QueueUrl: 'https://elsewhere/123456789012/work.fifo' });
    expect(received.body).toMatchObject({ Messages: [{ Body: 'a \u{1F389}', MD5OfBody: md5('a \u{1F389}') }] });
  });

  it('B41: delivers emoji and characters of four bytes unchanged, however the sender escapes them', async () => {
    fifoQueue(world.engine, { ContentBasedDeduplication: 'true' });
    const send = { QueueUrl: '/0/work.fifo', MessageGroupId: 'g', MessageBody: '\u{1F389} \u{20BB7}\u91CE\u5BB6' };
    await post('AmazonSQS.SendMessage', send);
    const escaped = JSON.stringify(send).replace(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
    expect(Buffer.byteLength(escaped)).toBe(escaped.length);
    await post(
      'AmazonSQS.SendMessage',
      escaped.replace('"g"', '"other"').replace(/(?="MessageBody)/, '"MessageDeduplicationId":"d",'),
    );
    const { body } = await post('AmazonSQS.ReceiveMessage', { QueueUrl: '/0/work.fifo', MaxNumberOfMessages: 10 });
    const texts = (body.Messages as { Body: string }[]).map(({ Body }) => Body);
    expect(texts).toEqual([send.MessageBody, send.MessageBody]);
  });

  it('answers errors of the service with their name, their older code and their status', async () => {
    const answer = await post('AmazonSQS.SendMessage', { QueueUrl: '/0/none', MessageBody: 'a' });
    expect(answer).toMatchObject({
      status: 400,
      headers: { 'x-amzn-query-error': 'AWS.SimpleQueueService.NonExistentQueue;Sender' },
      body: { __type: 'com.amazonaws.sqs#QueueDoesNotExist', message: 'The specified queue does not exist.' },
    });
    fifoQueue(world.engine);
    const handle = await post('AmazonSQS.DeleteMessage', { QueueUrl: '/0/work.fifo', ReceiptHandle: 'x' });
    expect(handle).toMatchObject({ status: 404, headers: { 'x-amzn-query-error': 'ReceiptHandleIsInvalid;Sender' } });
  });

  it('names the known actions when one is unknown, and the expected header when it is missing', async () => {
    const unknown = await post('AmazonSQS.AddPermission', {});
    expect(unknown.status).toBe(400);
    expect(unknown.body.message).toMatch(/AddPermission is not served; known actions: .*ReceiveMessage/);
    for (const target of [undefined, 'DynamoDB_20120810.GetItem']) {
      expect((await post(target, {})).body.message).toMatch(/X-Amz-Target: AmazonSQS\.<action>/);
    }
  });

  it('refuses what is not JSON', async () => {
    const answer = await post('AmazonSQS.ListQueues', '{oops');
    expect(answer).toMatchObject({ status: 400, body: { __type: 'com.amazonaws.sqs#SerializationException' } });
  });

  it('refuses a request that no batch could need', async () => {
    const answer = await post('AmazonSQS.ListQueues', 'x'.repeat(16 * 1024 * 1024 + 1)).catch(
      (error: unknown) => error,
    );
    expect(answer).toMatchObject({ body: { __type: 'com.amazonaws.sqs#BatchRequestTooLong' } });
  });

  it('answers a mistake of its own as an internal failure, and reports it', async () => {
    const mistake = new TypeError('a mistake');
    world.engine.observe(() => {
      throw mistake;
    });
    fifoQueue(world.engine);
    const message = { QueueUrl: '/0/work.fifo', MessageBody: 'a', MessageGroupId: 'g', MessageDeduplicationId: 'd' };
    const answer = await post('AmazonSQS.SendMessage', message);
    expect(answer).toMatchObject({ status: 500, headers: { 'x-amzn-query-error': 'InternalFailure;Receiver' } });
    expect(internalErrors).toEqual([mistake]);
  });

  it('keeps connections open between calls', async () => {
    await post('AmazonSQS.ListQueues', {});
    expect((await post('AmazonSQS.ListQueues', {})).reusedSocket).toBe(true);
    expect((await post('AmazonSQS.None', {})).reusedSocket).toBe(true);
    expect((await post('AmazonSQS.ListQueues', {})).reusedSocket).toBe(true);
  });

  it('sends head and body of an answer in one piece', async () => {
    const pieces = await new Promise<string[]>((resolve, reject) => {
      const received: string[] = [];
      const socket = connect(Number(new URL(server.endpoint).port), '127.0.0.1', () => {
        const head = [
          'POST / HTTP/1.1',
          'Host: x',
          'X-Amz-Target: AmazonSQS.ListQueues',
          'Content-Length: 2',
          'Connection: close',
        ];
        socket.write(`${head.join('\r\n')}\r\n\r\n{}`);
      });
      socket.setEncoding('utf8');
      socket.on('data', (piece: Buffer | string) => received.push(String(piece)));
      socket.on('end', () => {
        resolve(received);
      });
      socket.on('error', reject);
    });
    expect(pieces).toHaveLength(1);
    expect(pieces[0]).toMatch(/^HTTP\/1\.1 200[^]*\r\n\r\n\{\}$/);
  });

  it('does not give a message to a receive whose caller has gone', async () => {
    const queue = fifoQueue(world.engine);
    const caller = new AbortController();
    const waits = waiting(1);
    const given = post('AmazonSQS.ReceiveMessage', { QueueUrl: '/0/work.fifo', WaitTimeSeconds: 20 }, caller.signal);
    await waits;
    const ended = waiting(0);
    caller.abort();
    await expect(given).rejects.toThrow();
    await ended;
    sendAll(queue, ['a']);
    await world.clock.advance(0);
    expect(bodies(queue)).toEqual(['a']);
  });

  it('B67: ends waiting receives and all connections when it is closed, is closed twice, and frees its port', async () => {
    fifoQueue(world.engine);
    const waits = waiting(1);
    const given = post('AmazonSQS.ReceiveMessage', { QueueUrl: '/0/work.fifo', WaitTimeSeconds: 20 });
    const failure = given.catch((error: unknown) => error);
    await waits;
    await server.close();
    await server.close();
    expect(await failure).toMatchObject({ code: 'ECONNRESET' });
    const port = Number(new URL(server.endpoint).port);
    const next = await startSqsServer({ engine: world.engine, port });
    expect(next.endpoint).toBe(server.endpoint);
    await next.close();
  });

  it('fails to start on a port that is taken', async () => {
    const port = Number(new URL(server.endpoint).port);
    await expect(startSqsServer({ engine: world.engine, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  /** Resolves once `count` timers wait on the clock: a waiting receive has one. */
  function waiting(count: 0 | 1): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if ((world.clock.nextTimer() === undefined) === (count === 0)) {
          resolve();
        } else {
          setImmediate(look);
        }
      };
      look();
    });
  }
});
