import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { Cleanup } from '../../bin/dev/cleanup';
import { deploy } from '../../bin/dev/deployment';
import type { EmbeddedServices } from '../../bin/dev/embedded-services';
import { makeScratch, startServices } from '../../bin/dev/embedded-services';
import type { LocalResources } from '../../bin/dev/resources';
import type { SqsEvent } from '../../lambda/simulation/sqs';

/** Answers what the body of its first message asks for; what it does shows in the queues. */
const CONSUMER = `
export const handler = async ({ Records }) => {
  const ids = (bodies) => ({ batchItemFailures: Records.filter((r) => bodies.includes(r.body)).map((r) => ({ itemIdentifier: r.messageId })) });
  const [{ body }] = Records;
  if (body.startsWith('answer ')) return JSON.parse(body.slice(7));
  if (body === 'slow') await new Promise((resolve) => setTimeout(resolve, 300));
  return ids(['bad']);
};
`;
const HOUR = 3_600_000;
const ARN = 'arn:aws:sqs:us-east-1:000000000000:';

describe('a local queue, its mapping and a function process', () => {
  const code = mkdtempSync(join(tmpdir(), 'local-mapping-'));
  writeFileSync(join(code, 'index.mjs'), CONSUMER);
  afterAll(() => {
    rmSync(code, { recursive: true });
  });
  const resources: LocalResources = {
    tables: [],
    schedules: [],
    queues: [
      {
        logicalId: 'Work',
        name: 'work.fifo',
        arn: `${ARN}work.fifo`,
        attributes: {
          FifoQueue: 'true',
          VisibilityTimeout: '30',
          RedrivePolicy: JSON.stringify({ deadLetterTargetArn: `${ARN}dead.fifo`, maxReceiveCount: 2 }),
        },
      },
      { logicalId: 'Dead', name: 'dead.fifo', arn: `${ARN}dead.fifo`, attributes: { FifoQueue: 'true' } },
    ],
    functions: [
      {
        name: 'consume',
        arn: 'arn:aws:lambda:us-east-1:000000000000:function:consume',
        directory: code,
        handler: 'index.handler',
        environment: {},
        timeoutSeconds: 5,
        memoryMebibytes: 128,
        fanoutId: 'demo',
        asynchronous: { retries: 2, maximumAgeSeconds: 21_600 },
      },
    ],
    mappings: [
      {
        functionName: 'consume',
        queueArn: `${ARN}work.fifo`,
        batchSize: 10,
        maximumConcurrency: 2,
        reportBatchItemFailures: true,
      },
    ],
  };

  let cleanup: Cleanup;
  let services: EmbeddedServices;
  let events: SqsEvent[];
  let exits: number[];
  let sent = 0;
  beforeEach(async () => {
    cleanup = new Cleanup();
    events = [];
    exits = [];
    services = await startServices(makeScratch(cleanup), { region: 'us-east-1', onLine: () => undefined }, cleanup);
    await deploy(
      resources,
      services,
      {
        onSignal: () => undefined,
        onExit: (_name, id) => exits.push(id),
        onLine: () => undefined,
        onInitFailure: () => undefined,
      },
      cleanup,
    );
    services.engine.observe((event) => events.push(event));
  });
  afterEach(() => cleanup.run());

  const send = async (...bodies: string[]): Promise<void> => {
    for (const body of bodies) {
      const QueueUrl = services.queueUrl('work.fifo');
      await services.sqs.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: body,
          MessageGroupId: `g${++sent}`,
          MessageDeduplicationId: `d${sent}`,
        }),
      );
    }
  };
  const seen = (type: SqsEvent['type']): string[] =>
    events.flatMap((event) => (event.type === type && 'message' in event ? [event.message.body] : []));
  const until = (type: SqsEvent['type'], count: number): Promise<void> =>
    services.clock.runAhead(async () => seen(type).length >= count, services.clock.now() + HOUR);

  it('B64: the good message goes at once, the bad one is seen twice and then lies in the dead-letter queue', async () => {
    await send('good', 'bad');
    await until('deadLettered', 1);
    expect(seen('deleted')).toEqual(['good']);
    expect(seen('received').filter((body) => body === 'good')).toHaveLength(1);
    expect(seen('received').filter((body) => body === 'bad')).toHaveLength(2);
    expect(services.engine.queue('dead.fifo').counts()).toMatchObject({ visible: 1 });
    expect(services.engine.queue('work.fifo').counts()).toEqual({ visible: 0, delayed: 0, inFlight: 0 });
  });

  it.each([
    ['an id that is not in the batch', { batchItemFailures: [{ itemIdentifier: 'nobody' }] }],
    ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['an id of null', { batchItemFailures: [{ itemIdentifier: null }] }],
  ])('B64: a response with %s makes the whole batch return', async (_name, answer) => {
    await send(`answer ${JSON.stringify(answer)}`);
    await until('deadLettered', 1);
    expect(seen('deleted')).toEqual([]);
    expect(seen('received')).toHaveLength(2);
  });

  it('B64: nothing is deleted for a batch that failed as a whole', async () => {
    await send('bad');
    await until('deadLettered', 1);
    expect(seen('deleted')).toEqual([]);
  });

  it('B67: a stop while a 300 ms handler runs waits for it and its deletion, receives nothing more, and leaves no process or port', async () => {
    await send('slow', 'good');
    const received = seen('received').length;
    expect(received).toBeGreaterThan(0);
    const stopped = cleanup.run();
    await Promise.all([stopped, cleanup.run()]);
    expect(seen('deleted')).toHaveLength(seen('received').length);
    expect(exits.length).toBeGreaterThan(0);
    for (const id of exits) {
      expect(() => process.kill(id, 0)).toThrow(/ESRCH/);
    }
    const { clock } = services;
    const late = events.length;
    clock.setTimer(0, () => undefined);
    expect(events).toHaveLength(late);
    await expect(send('late')).rejects.toThrow();
  });
});
