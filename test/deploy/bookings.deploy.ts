import {
  GetFunctionCommand,
  GetFunctionEventInvokeConfigCommand,
  ListEventSourceMappingsCommand,
} from '@aws-sdk/client-lambda';
import { DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { GetRolePolicyCommand } from '@aws-sdk/client-iam';
import { GetScheduleCommand, ListSchedulesCommand, UpdateScheduleCommand } from '@aws-sdk/client-scheduler';
import { GetQueueAttributesCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { paginateScan, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Booking } from '../../examples/bookings/booking';
import { load, makeBookings } from '../../examples/bookings/load';
import type { DeadEnvelope, RunItem } from '../../lambda/contract';
import { fanoutId } from '../../lib/fanout-id';
import { eventually } from '../setup/eventually';
import { startMiniStack, type MiniStack } from '../setup/ministack';
import { CdkCli } from './cdk-cli';
import { createClients, type Clients } from './clients';
import { DeployedFanout } from './deployed-fanout';
import { DeployedStack, stackStatus } from './deployed-stack';

const STACK = 'CronFanoutBookings';
const FANOUT = 'BookingJobs';
const RECORDS = 2000;
const SEED = 1;
const TICK = '2026-01-01T00:00:00Z';
/** What EventBridge Scheduler puts the scheduled time in the place of; MiniStack leaves it as it is. */
const SCHEDULED_TIME = '<aws.scheduler.scheduled-time>';

/** The app of cdk.json as it is, on what is not ours: one deployment, that the tests look at and use in turn. */
describe('the example app, deployed by the CDK CLI', () => {
  let cloud: MiniStack;
  let clients: Clients;
  let cli: CdkCli;
  let stack: DeployedStack;
  let fanout: DeployedFanout;

  beforeAll(async () => {
    cloud = await startMiniStack();
    clients = createClients(cloud);
    cli = new CdkCli(cloud, 'tsx bin/app.ts');
    await cli.bootstrap();
    await cli.deploy();
    stack = await DeployedStack.read(clients, cli, STACK);
    fanout = new DeployedFanout(clients, stack, FANOUT, fanoutId(STACK, [FANOUT]));
  });

  afterAll(async () => {
    clients.close();
    await cloud.stop();
  });

  /** Bookings by id. */
  async function bookings(): Promise<Map<string, Booking>> {
    const found = new Map<string, Booking>();
    const TableName = stack.id('Bookings');
    for await (const { Items = [] } of paginateScan(
      { client: clients.documents },
      { TableName, ConsistentRead: true },
    )) {
      for (const booking of Items as Booking[]) {
        found.set(booking.bookingId, booking);
      }
    }
    return found;
  }

  async function changeSchedule(input: (asDeployed: string) => string): Promise<void> {
    const name = { Name: fanout.id('Schedule'), GroupName: fanout.id('ScheduleGroup') };
    const { ScheduleExpressionTimezone, State, Target, FlexibleTimeWindow } = await clients.scheduler.send(
      new GetScheduleCommand(name),
    );
    await clients.scheduler.send(
      new UpdateScheduleCommand({
        ...name,
        ScheduleExpression: 'rate(1 minute)',
        ScheduleExpressionTimezone,
        State,
        FlexibleTimeWindow,
        Target: { ...Target!, Input: input(Target?.Input ?? '') },
      }),
    );
  }

  it('has every resource of the template', () => {
    const { resources, template } = stack;
    const expected = Object.entries(template.Resources)
      .filter(([, { Type }]) => Type !== 'AWS::CDK::Metadata')
      .map(([logicalId, { Type }]) => `${logicalId} ${Type} CREATE_COMPLETE`);
    expect(resources.map(({ logicalId, type, status }) => `${logicalId} ${type} ${status}`).sort()).toEqual(
      expected.sort(),
    );
    expect(resources.every(({ physicalId }) => physicalId !== '')).toBe(true);
  });

  it('has the queues that were asked for', async () => {
    const attributes = async (url: string): Promise<Record<string, string>> => {
      const { Attributes = {} } = await clients.sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
      );
      return Attributes;
    };
    const dead = await attributes(fanout.deadLetterQueueUrl);
    const fifo = {
      FifoQueue: 'true',
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
      SqsManagedSseEnabled: 'true',
      Policy: expect.stringContaining('aws:SecureTransport') as string,
    };
    expect(dead).toMatchObject({ ...fifo, MessageRetentionPeriod: '1209600' });
    const work = await attributes(fanout.queueUrl);
    expect(work).toMatchObject({ ...fifo, MessageRetentionPeriod: '345600', VisibilityTimeout: '360' });
    expect(JSON.parse(work.RedrivePolicy ?? '')).toEqual({ deadLetterTargetArn: dead.QueueArn, maxReceiveCount: 540 });
    const failures = await attributes(fanout.failureQueueUrl);
    expect(failures).toMatchObject({ MessageRetentionPeriod: '1209600', SqsManagedSseEnabled: 'true' });
    expect(failures.FifoQueue).toBeUndefined();
  });

  it('has the table that was asked for', async () => {
    const { Table } = await clients.dynamoDb.send(new DescribeTableCommand({ TableName: fanout.id('StateTable') }));
    expect(Table).toMatchObject({
      TableStatus: 'ACTIVE',
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
  });

  it('has the functions that were asked for, with their mapping and their failure queue', async () => {
    const { lambda } = clients;
    const configuration = async (part: string) =>
      (await lambda.send(new GetFunctionCommand({ FunctionName: fanout.id(part) }))).Configuration;
    const shared = { Runtime: 'nodejs24.x', Handler: 'index.handler', MemorySize: 512, State: 'Active' };
    expect(await configuration('Scanner')).toMatchObject({ ...shared, Timeout: 900 });
    expect(await configuration('Consumer')).toMatchObject({
      ...shared,
      Timeout: 60,
      Environment: {
        Variables: {
          CRON_FANOUT_ID: fanout.fanoutId,
          CRON_FANOUT_QUEUE_URL: fanout.queueUrl,
          CRON_FANOUT_DEAD_LETTER_QUEUE_URL: fanout.deadLetterQueueUrl,
          CRON_FANOUT_STATE_TABLE: fanout.id('StateTable'),
          BOOKINGS_TABLE: stack.id('Bookings'),
        },
      },
    });
    const mappings = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName: fanout.id('Consumer') }));
    expect(mappings.EventSourceMappings).toMatchObject([
      {
        BatchSize: 10,
        State: 'Enabled',
        ScalingConfig: { MaximumConcurrency: 4 },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    ]);
    const asynchronous = await lambda.send(
      new GetFunctionEventInvokeConfigCommand({ FunctionName: fanout.id('Scanner'), Qualifier: '$LATEST' }),
    );
    expect(asynchronous).toMatchObject({ MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 300 });
    expect(asynchronous.DestinationConfig?.OnFailure?.Destination).toContain(fanout.failureQueueUrl.split('/').at(-1));
  });

  it('has the schedule that was asked for', async () => {
    const schedule = await clients.scheduler.send(
      new GetScheduleCommand({ Name: fanout.id('Schedule'), GroupName: fanout.id('ScheduleGroup') }),
    );
    expect(schedule).toMatchObject({
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { RetryPolicy: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 3 } },
    });
    expect(schedule.Target?.Arn).toContain(`:function:${fanout.id('Scanner')}`);
    expect(schedule.Target?.RoleArn).toContain(fanout.id('ScheduleRole'));
    expect(schedule.Target?.DeadLetterConfig?.Arn).toContain(fanout.failureQueueUrl.split('/').at(-1));
    expect(JSON.parse(schedule.Target?.Input ?? '')).toMatchObject({ kind: 'tick', scheduledTime: SCHEDULED_TIME });
  });

  it('has roles that name no resource but its own, and logs that end', async () => {
    for (const part of ['ScannerRole', 'ConsumerRole', 'ScheduleRole']) {
      const { PolicyDocument = '' } = await clients.iam.send(
        new GetRolePolicyCommand({ RoleName: fanout.id(part), PolicyName: 'Fanout' }),
      );
      const { Statement } = JSON.parse(decodeURIComponent(PolicyDocument)) as {
        Statement: { Resource: string | string[] }[];
      };
      expect(Statement.length).toBeGreaterThan(0);
      for (const resource of Statement.flatMap(({ Resource }) => Resource)) {
        expect(resource).toContain(STACK);
      }
    }
    for (const part of ['ScannerLogs', 'ConsumerLogs']) {
      const { logGroups } = await clients.logs.send(
        new DescribeLogGroupsCommand({ logGroupNamePrefix: fanout.id(part) }),
      );
      expect(logGroups).toMatchObject([{ logGroupName: fanout.id(part), retentionInDays: 30 }]);
    }
  });

  it(`takes ${RECORDS} records of a tick through to their handlers, and the books balance`, async () => {
    const tables = { Bookings: stack.id('Bookings') };
    await load({ tables, dynamodb: clients.documents, records: RECORDS, seed: SEED });
    // The schedule fires meanwhile, with an input that only the real Scheduler would fill in.
    await changeSchedule((asDeployed) => asDeployed);

    const answer = await fanout.tick(TICK);
    expect(answer).toMatchObject({ outcome: 'scanned', runId: TICK, counts: { eligible: RECORDS, enqueued: RECORDS } });
    const run = await fanout.completed(TICK);

    const dead = deadOf(makeBookings(RECORDS, SEED));
    expect(run.totals).toEqual({
      eligible: RECORDS,
      enqueued: RECORDS,
      rejected: 0,
      skipped: 0,
      duplicate: 0,
      succeeded: RECORDS - dead.size,
      dead: dead.size,
      cancelled: 0,
      expired: 0,
      obsolete: 0,
      withdrawn: 0,
    });
    const undone = [...(await bookings()).values()].filter(({ task }) => task !== undefined);
    expect(undone.map(({ bookingId }) => bookingId).sort()).toEqual([...dead.keys()].sort());
    expect(await fanout.depth()).toBe(0);
  });

  it('changes nothing by the same tick again', async () => {
    const before = [await fanout.run(TICK), await bookings(), await fanout.depth(fanout.deadLetterQueueUrl)];
    expect(await fanout.tick(TICK)).toMatchObject({ outcome: 'duplicate', runId: TICK });
    expect(await fanout.depth()).toBe(0);
    expect([await fanout.run(TICK), await bookings(), await fanout.depth(fanout.deadLetterQueueUrl)]).toEqual(before);
  });

  it('answers a tick whose time the Scheduler has not filled in with a clear error', async () => {
    const { error, answer } = await fanout.invokeScanner({ kind: 'tick', scheduledTime: SCHEDULED_TIME });
    expect(error).toBeDefined();
    expect(answer).toMatchObject({ errorMessage: expect.stringContaining('[UnsubstitutedTick]') as string });
    // The call before, and one of the schedule itself.
    await eventually(
      'the schedule called the scanner with the input as it was deployed',
      () => fanout.logged('Scanner', '[UnsubstitutedTick]'),
      (lines) => lines.length >= 2,
    );
  });

  it('takes a tick of its schedule through to the handler, and skips what died', async () => {
    const tick = '2026-01-01T00:05:00Z';
    const [reachable] = makeBookings(1, SEED);
    const booking = { ...reachable!, bookingId: 'B-by-schedule', mailbox: 'reachable', dueAt: TICK };
    await clients.documents.send(new PutCommand({ TableName: stack.id('Bookings'), Item: booking }));
    await changeSchedule((asDeployed) => asDeployed.replace(SCHEDULED_TIME, tick));
    const run: RunItem = await fanout.completed(tick);
    const dead = deadOf(makeBookings(RECORDS, SEED));
    expect(run.totals).toMatchObject({ eligible: 1 + dead.size, succeeded: 1, skipped: dead.size });
    expect((await bookings()).get(booking.bookingId)?.task).toBeUndefined();
  });

  it('keeps what failed for good in the dead-letter queue, each with its cause', async () => {
    const expected = deadOf(makeBookings(RECORDS, SEED));
    const messages = await fanout.drain(fanout.deadLetterQueueUrl, expected.size);
    const bodies = messages.map(({ Body = '' }) => JSON.parse(Body) as DeadEnvelope);
    expect(bodies.map(({ key }) => key).sort()).toEqual([...expected.keys()].sort());
    for (const { key, death } of bodies) {
      expect({ key, ...death }).toMatchObject(
        expected.get(key)?.mailbox === 'unknown'
          ? { key, cause: 'PermanentError', attempts: 1, errorMessage: '550 no such mailbox' }
          : { key, cause: 'AttemptsExhausted', attempts: 4, errorMessage: '452 mailbox full' },
      );
    }
  });

  it('sends a call of the scanner that fails again and again to the failure queue', async () => {
    await fanout.invokeScannerAsynchronously({ kind: 'tick', scheduledTime: SCHEDULED_TIME });
    const [failure] = await fanout.drain(fanout.failureQueueUrl, 1);
    expect(JSON.parse(failure?.Body ?? '')).toMatchObject({
      requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 3 },
      requestPayload: { kind: 'tick', scheduledTime: SCHEDULED_TIME },
    });
  });

  it('is gone without a trace after cdk destroy', async () => {
    await cli.destroy();
    expect(await stackStatus(clients, STACK)).toBeUndefined();
    const { QueueUrls = [] } = await clients.sqs.send(new ListQueuesCommand({}));
    const { TableNames = [] } = await clients.dynamoDb.send(new ListTablesCommand({}));
    const { Schedules = [] } = await clients.scheduler.send(new ListSchedulesCommand({}));
    const { logGroups = [] } = await clients.logs.send(
      new DescribeLogGroupsCommand({ logGroupNamePrefix: `/aws/cloudformation/${STACK}` }),
    );
    expect([...QueueUrls, ...TableNames, ...Schedules, ...logGroups]).toEqual([]);
  });
});

/** Bookings whose mailbox takes no mail, by id. */
function deadOf(made: readonly Booking[]): Map<string, Booking> {
  const dead = made.filter(({ mailbox }) => mailbox === 'unknown' || mailbox === 'full');
  return new Map(dead.map((booking) => [booking.bookingId, booking]));
}
