import { GetFunctionCommand, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DescribeStackEventsCommand } from '@aws-sdk/client-cloudformation';
import { GetScheduleCommand, ListSchedulesCommand } from '@aws-sdk/client-scheduler';
import { ListQueuesCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { RemovalPolicy } from 'aws-cdk-lib';
import type { Envelope } from '../../lambda/contract';
import { fanoutId } from '../../lib/fanout-id';
import { eventually } from '../setup/eventually';
import { startMiniStack, type MiniStack } from '../setup/ministack';
import type { RecordStackOptions } from './app/record-stack';
import { CdkCli, type CdkResult } from './cdk-cli';
import { createClients, type Clients } from './clients';
import { DeployedFanout } from './deployed-fanout';
import { DeployedStack, stackStatus } from './deployed-stack';
import { RecordTable } from './record-table';

const STACK = 'Round';
const OWN_QUEUES = { work: 'OwnQueue', dead: 'OwnDeadLetters' };
const GROUPS = 4;

const FIRST: RecordStackOptions = {
  fanout: 'Jobs',
  version: 1,
  maxConcurrency: 20,
  scheduleMinutes: 5,
  removalPolicy: RemovalPolicy.RETAIN,
  bringsQueue: false,
};
const SECOND: RecordStackOptions = { ...FIRST, version: 2, maxConcurrency: 40, scheduleMinutes: 10 };

/** One stack, from its first deployment to its end; every step finds what the one before has left. */
describe('a deployed fanout with messages in flight', () => {
  let cloud: MiniStack;
  let clients: Clients;
  let cli: CdkCli;
  let stack: DeployedStack;
  let fanout: DeployedFanout;
  let records: RecordTable;

  beforeAll(async () => {
    cloud = await startMiniStack();
    clients = createClients(cloud);
    cli = new CdkCli(cloud, 'tsx test/deploy/app/main.ts');
    await cli.bootstrap();
    await deploy(FIRST);
  });

  afterAll(async () => {
    clients.close();
    await cloud.stop();
  });

  const settings = (options: RecordStackOptions): Record<string, string> => ({
    DEPLOY_TEST_STACK: JSON.stringify(options),
    CDK_VALIDATION: 'false',
  });

  async function deploy(options: RecordStackOptions): Promise<void> {
    await cli.deploy(settings(options));
    await read(options);
  }

  async function read({ fanout: id, bringsQueue }: RecordStackOptions): Promise<void> {
    stack = await DeployedStack.read(clients, cli, STACK);
    fanout = new DeployedFanout(clients, stack, id, fanoutId(STACK, [id]), bringsQueue ? OWN_QUEUES : undefined);
    records = new RecordTable(clients, stack);
  }

  /** Records that wait at a gate, in a run that is scanned. */
  async function inFlight(ids: readonly string[], gate: string, scheduledTime: string): Promise<void> {
    await records.put(ids.map((id, place) => ({ id, task: 'handle', group: `g${place % GROUPS}`, gate })));
    expect(await fanout.tick(scheduledTime)).toMatchObject({ outcome: 'scanned', counts: { enqueued: ids.length } });
    expect(await fanout.depth()).toBeGreaterThanOrEqual(ids.length);
  }

  async function codeOf(part: 'Scanner' | 'Consumer'): Promise<string | undefined> {
    return (await clients.lambda.send(new GetFunctionCommand({ FunctionName: fanout.id(part) }))).Configuration
      ?.CodeSha256;
  }

  async function mapping() {
    const request = new ListEventSourceMappingsCommand({ FunctionName: fanout.id('Consumer') });
    return (await clients.lambda.send(request)).EventSourceMappings ?? [];
  }

  async function queueUrls(): Promise<string[]> {
    return (await clients.sqs.send(new ListQueuesCommand({}))).QueueUrls ?? [];
  }

  /** Puts a message on the work queue that no code here has sent. */
  async function sendForeign(body: object, id: string): Promise<void> {
    await clients.sqs.send(
      new SendMessageCommand({
        QueueUrl: fanout.queueUrl,
        MessageBody: JSON.stringify(body),
        MessageGroupId: id,
        MessageDeduplicationId: id,
      }),
    );
  }

  const WAITING = names('waiting', 12);

  it('is updated: concurrency, schedule, code and a further job type, and loses nothing', async () => {
    await inFlight(WAITING, 'gate-1', 'tick-1');
    const before = {
      queue: fanout.queueUrl,
      table: fanout.id('StateTable'),
      scanner: await codeOf('Scanner'),
      consumer: await codeOf('Consumer'),
      mappings: await mapping(),
    };
    await deploy(SECOND);

    expect(fanout.queueUrl).toBe(before.queue);
    expect(fanout.id('StateTable')).toBe(before.table);
    expect(await codeOf('Scanner')).not.toBe(before.scanner);
    expect(await codeOf('Consumer')).not.toBe(before.consumer);
    expect(before.mappings).toMatchObject([{ BatchSize: 10, ScalingConfig: { MaximumConcurrency: 2 } }]);
    expect(await mapping()).toMatchObject([
      { UUID: before.mappings[0]?.UUID, BatchSize: 10, ScalingConfig: { MaximumConcurrency: 4 } },
    ]);
    const name = { Name: fanout.id('Schedule'), GroupName: fanout.id('ScheduleGroup') };
    expect(await clients.scheduler.send(new GetScheduleCommand(name))).toMatchObject({
      ScheduleExpression: 'rate(10 minutes)',
    });
    await fanout.depthBecomes(WAITING.length);
  });

  it('handles what the old code has enqueued by the new code, each record once', async () => {
    await records.open('gate-1');
    expect((await fanout.completed('tick-1')).totals).toMatchObject({
      eligible: WAITING.length,
      succeeded: WAITING.length,
    });
    for (const id of WAITING) {
      expect(await records.effects(id)).toMatchObject([{ version: 2, runId: 'tick-1' }]);
    }
  });

  it('scans and handles the job type that was added', async () => {
    await records.put([{ id: 'added', task: 'extra', group: 'g0' }]);
    await fanout.tick('tick-2');
    expect((await fanout.completed('tick-2')).totals).toMatchObject({ eligible: 1, succeeded: 1 });
    expect(await records.effects('added')).toMatchObject([{ version: 2, runId: 'tick-2' }]);
  });

  const NEWER = names('newer', 3);
  const KNOWN = names('known', 3);
  let rolledBack: CdkResult;

  it('goes back to the old code when an update fails, with messages of the newer code in the queue', async () => {
    // What is deployed when the update begins is version 1 again.
    await deploy(FIRST);
    const before = [await codeOf('Scanner'), await codeOf('Consumer')];
    await records.put([
      ...NEWER.map((id) => ({ id, task: 'extra', group: id, gate: 'gate-3' })),
      ...KNOWN.map((id) => ({ id, task: 'handle', group: id, gate: 'gate-3' })),
    ]);
    rolledBack = await cli.tryDeploy(settings({ ...SECOND, failsAfterTick: 'tick-3' }));

    expect(rolledBack.exitCode).not.toBe(0);
    expect(rolledBack.output).toContain('smoke test of the new scanner');
    expect(await stackStatus(clients, STACK)).toBe('UPDATE_ROLLBACK_COMPLETE');
    const { StackEvents = [] } = await clients.cloudFormation.send(
      new DescribeStackEventsCommand({ StackName: STACK }),
    );
    expect(StackEvents.map(({ ResourceStatusReason = '' }) => ResourceStatusReason).join('\n')).toContain(
      `"enqueued": ${NEWER.length + KNOWN.length}`,
    );
    await read(FIRST);
    expect([await codeOf('Scanner'), await codeOf('Consumer')]).toEqual(before);
    expect(await mapping()).toMatchObject([{ ScalingConfig: { MaximumConcurrency: 2 } }]);
    await fanout.depthBecomes(NEWER.length + KNOWN.length);
  });

  it('goes on with the old code as far as it knows the jobs, and keeps the other messages', async () => {
    const newer: Partial<Envelope> = { v: 2, fanout: fanout.fanoutId, run: 'tick-3', key: 'of a version to come' };
    await sendForeign(newer, 'version-2');
    await records.open('gate-3');
    for (const id of KNOWN) {
      const effects = await eventually(
        `${id} is handled`,
        () => records.effects(id),
        (found) => found.length > 0,
      );
      expect(effects).toMatchObject([{ version: 1, runId: 'tick-3' }]);
    }
    await eventually(
      'the old consumer says which job type it does not know',
      () => fanout.logged('Consumer', 'record.extra'),
      (lines) => lines.some((line) => line.includes('UnknownJobType')),
    );
    await eventually(
      'the old consumer says which version it does not know',
      () => fanout.logged('Consumer', 'version 2'),
      (lines) => lines.length > 0,
    );
    // The message of version 2 is one more.
    await fanout.depthBecomes(NEWER.length + 1);
    expect((await fanout.run('tick-3'))?.state).toBe('scanned');
    expect(await fanout.depth(fanout.deadLetterQueueUrl)).toBe(0);
  });

  it('handles those messages once the newer code is there', async () => {
    await deploy(SECOND);
    expect((await fanout.completed('tick-3')).totals).toMatchObject({
      eligible: NEWER.length + KNOWN.length,
      succeeded: NEWER.length + KNOWN.length,
    });
    for (const id of NEWER) {
      expect(await records.effects(id)).toMatchObject([{ version: 2, runId: 'tick-3' }]);
    }
    await fanout.depthBecomes(1);
  });

  const STRANDED = names('stranded', 5);

  it('leaves messages behind when its queue is changed, and takes them up when they are brought over', async () => {
    await inFlight(STRANDED, 'gate-4', 'tick-4');
    const oldQueue = fanout.queueUrl;
    await deploy({ ...SECOND, bringsQueue: true });
    expect(fanout.queueUrl).not.toBe(oldQueue);
    expect(await queueUrls()).toContain(oldQueue);
    expect((await mapping()).map(({ EventSourceArn = '' }) => EventSourceArn.split(':').at(-1))).toEqual([
      fanout.queueUrl.split('/').at(-1),
    ]);
    await records.open('gate-4');
    // Their messages count as in flight, so that the next tick does not enqueue them a second time.
    expect(await fanout.tick('tick-5')).toMatchObject({
      counts: { eligible: STRANDED.length, skipped: STRANDED.length },
    });

    expect(await bringOver(oldQueue)).toBe(STRANDED.length);
    expect((await fanout.completed('tick-4')).totals).toMatchObject({ succeeded: STRANDED.length });
    for (const id of STRANDED) {
      expect(await records.effects(id)).toMatchObject([{ version: 2, runId: 'tick-4' }]);
    }
  });

  /** Sends what a queue still holds to the queue of now, as docs/updating.md has it; messages of a version to come stay. */
  async function bringOver(queueUrl: string): Promise<number> {
    const brought = new Set<string>();
    await eventually(
      'all messages are brought over',
      async () => {
        const { Messages = [] } = await clients.sqs.send(
          new ReceiveMessageCommand({
            QueueUrl: queueUrl,
            MaxNumberOfMessages: 10,
            MessageSystemAttributeNames: ['All'],
          }),
        );
        for (const { Body = '', Attributes = {} } of Messages) {
          const { key, v } = JSON.parse(Body) as Envelope;
          if (v === 1) {
            brought.add(key);
            await clients.sqs.send(
              new SendMessageCommand({
                QueueUrl: fanout.queueUrl,
                MessageBody: Body,
                MessageGroupId: Attributes.MessageGroupId,
                MessageDeduplicationId: Attributes.MessageDeduplicationId,
              }),
            );
          }
        }
        return brought.size;
      },
      (count) => count >= STRANDED.length,
    );
    return brought.size;
  }

  it('begins anew under another construct id, and leaves the state of the old one', async () => {
    await inFlight(['orphan'], 'gate-6', 'tick-6');
    const old = { id: fanout.fanoutId, table: fanout.id('StateTable') };
    await deploy({ ...SECOND, fanout: 'Renamed' });
    expect(fanout.fanoutId).not.toBe(old.id);
    const { TableNames } = await clients.dynamoDb.send(new ListTablesCommand({}));
    expect(TableNames).toEqual(expect.arrayContaining([old.table, fanout.id('StateTable')]));

    // The new ledger knows nothing of the message that the old one has in flight.
    await records.open('gate-6');
    expect(await fanout.tick('tick-6')).toMatchObject({ outcome: 'scanned', counts: { eligible: 1, enqueued: 1 } });
    await fanout.completed('tick-6');
    expect(await records.effects('orphan')).toHaveLength(1);
  });

  it('leaves state, queues and logs behind when it is destroyed, since it was told to', async () => {
    const kept = [fanout.queueUrl, fanout.deadLetterQueueUrl, fanout.failureQueueUrl];
    const table = fanout.id('StateTable');
    await cli.destroy(settings({ ...SECOND, fanout: 'Renamed' }));
    expect(await stackStatus(clients, STACK)).toBeUndefined();
    expect(await queueUrls()).toEqual(expect.arrayContaining(kept));
    const { TableNames = [] } = await clients.dynamoDb.send(new ListTablesCommand({}));
    expect(TableNames).toContain(table);
    const { Schedules = [] } = await clients.scheduler.send(new ListSchedulesCommand({}));
    expect(Schedules).toEqual([]);
  });
});

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, place) => `${prefix}-${place}`);
}
