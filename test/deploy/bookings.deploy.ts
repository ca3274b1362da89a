import {
  GetFunctionCommand,
  GetFunctionEventInvokeConfigCommand,
  GetFunctionRecursionConfigCommand,
  ListEventSourceMappingsCommand,
} from '@aws-sdk/client-lambda';
import { DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeTableCommand, DescribeTimeToLiveCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
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
    const urls = {
      Queue: fanout.queueUrl,
      DeadLetterQueue: fanout.deadLetterQueueUrl,
      FailureQueue: fanout.failureQueueUrl,
    };
    for (const [part, QueueUrl] of Object.entries(urls)) {
      const { Attributes = {} } = await clients.sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
      );
      const { RedrivePolicy, ...asked } = stack.resource(`${FANOUT}/${part}`).Properties ?? {};
      expect(Attributes).toMatchObject(mapValues(asked, String));
      expect(Attributes.FifoQueue).toBe(part === 'FailureQueue' ? undefined : 'true');
      expect(Attributes.Policy).toContain('aws:SecureTransport');
      expect(Attributes.RedrivePolicy === undefined).toBe(part !== 'Queue');
      if (RedrivePolicy !== undefined) {
        const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(Attributes.RedrivePolicy ?? '') as RedriveText;
        expect(deadLetterTargetArn).toContain(nameOf(fanout.deadLetterQueueUrl));
        expect(maxReceiveCount).toBe((RedrivePolicy as RedriveText).maxReceiveCount);
      }
    }
  });

  it('has the tables that were asked for', async () => {
    for (const part of [`${FANOUT}/StateTable`, 'Bookings']) {
      const { Table } = await clients.dynamoDb.send(new DescribeTableCommand({ TableName: stack.id(part) }));
      const { KeySchema, BillingMode, GlobalSecondaryIndexes } = stack.resource(part).Properties ?? {};
      expect(Table).toMatchObject({
        TableStatus: 'ACTIVE',
        KeySchema,
        BillingModeSummary: { BillingMode },
        ...(GlobalSecondaryIndexes === undefined ? {} : { GlobalSecondaryIndexes }),
      });
    }
  });

  it('has the functions that were asked for', async () => {
    for (const part of ['Scanner', 'Consumer']) {
      const { Configuration } = await clients.lambda.send(new GetFunctionCommand({ FunctionName: fanout.id(part) }));
      const { Runtime, Handler, Timeout, MemorySize } = stack.resource(`${FANOUT}/${part}`).Properties ?? {};
      expect(Configuration).toMatchObject({ Runtime, Handler, Timeout, MemorySize, State: 'Active' });
      expect(Configuration?.Role).toContain(fanout.id(`${part}Role`));
      expect(Configuration?.Environment?.Variables).toMatchObject({
        CRON_FANOUT_ID: fanout.fanoutId,
        CRON_FANOUT_QUEUE_URL: fanout.queueUrl,
        CRON_FANOUT_STATE_TABLE: fanout.id('StateTable'),
        BOOKINGS_TABLE: stack.id('Bookings'),
      });
    }
  });

  it('has the mapping and the failure destination that were asked for', async () => {
    const { lambda } = clients;
    const mappings = await lambda.send(new ListEventSourceMappingsCommand({ FunctionName: fanout.id('Consumer') }));
    const { BatchSize, ScalingConfig, FunctionResponseTypes } = stack.resource(`${FANOUT}/Mapping`).Properties ?? {};
    expect(ScalingConfig).toBeDefined();
    expect(FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
    expect(mappings.EventSourceMappings).toMatchObject([
      { State: 'Enabled', BatchSize, ScalingConfig, FunctionResponseTypes },
    ]);
    expect(mappings.EventSourceMappings?.[0]?.EventSourceArn).toContain(nameOf(fanout.queueUrl));
    const asynchronous = await lambda.send(
      new GetFunctionEventInvokeConfigCommand({ FunctionName: fanout.id('Scanner'), Qualifier: '$LATEST' }),
    );
    const { MaximumRetryAttempts, MaximumEventAgeInSeconds } =
      stack.resource(`${FANOUT}/Scanner/EventInvokeConfig`).Properties ?? {};
    expect(asynchronous).toMatchObject({ MaximumRetryAttempts, MaximumEventAgeInSeconds });
    expect(asynchronous.DestinationConfig?.OnFailure?.Destination).toContain(nameOf(fanout.failureQueueUrl));
  });

  it('has the schedule that was asked for', async () => {
    const schedule = await clients.scheduler.send(
      new GetScheduleCommand({ Name: fanout.id('Schedule'), GroupName: fanout.id('ScheduleGroup') }),
    );
    const { ScheduleExpression, State, FlexibleTimeWindow, Target } =
      stack.resource(`${FANOUT}/Schedule`).Properties ?? {};
    const { RetryPolicy, Input } = Target as { RetryPolicy: object; Input: string };
    expect(schedule).toMatchObject({ ScheduleExpression, State, FlexibleTimeWindow, Target: { RetryPolicy, Input } });
    expect(schedule.Target?.Arn).toContain(`:function:${fanout.id('Scanner')}`);
    expect(schedule.Target?.RoleArn).toContain(fanout.id('ScheduleRole'));
    expect(schedule.Target?.DeadLetterConfig?.Arn).toContain(nameOf(fanout.failureQueueUrl));
    expect(JSON.parse(Input)).toMatchObject({ kind: 'tick', scheduledTime: SCHEDULED_TIME });
  });

  it('has roles that name no resource but its own, except for traces, which have none, and logs that end', async () => {
    for (const part of ['ScannerRole', 'ConsumerRole', 'ScheduleRole']) {
      const { PolicyDocument = '' } = await clients.iam.send(
        new GetRolePolicyCommand({ RoleName: fanout.id(part), PolicyName: 'Fanout' }),
      );
      const { Statement } = JSON.parse(decodeURIComponent(PolicyDocument)) as {
        Statement: { Action: string | string[]; Resource: string | string[] }[];
      };
      const named = Statement.filter(({ Action }) => ![Action].flat().every((action) => action.startsWith('xray:')));
      expect(named.length).toBeGreaterThan(0);
      expect(named.flatMap(({ Resource }) => Resource).filter((resource) => !resource.includes(STACK))).toEqual([]);
    }
    for (const part of ['ScannerLogs', 'ConsumerLogs']) {
      const { logGroups } = await clients.logs.send(
        new DescribeLogGroupsCommand({ logGroupNamePrefix: fanout.id(part) }),
      );
      const { RetentionInDays } = stack.resource(`${FANOUT}/${part}`).Properties ?? {};
      expect(RetentionInDays).toBeDefined();
      expect(logGroups).toMatchObject([{ logGroupName: fanout.id(part), retentionInDays: RetentionInDays }]);
    }
  });

  it('still differs from AWS where docs/emulator-differences.md says so', async () => {
    const { Properties: table } = stack.resource(`${FANOUT}/StateTable`);
    expect(table).toMatchObject({ TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } });
    const { TimeToLiveDescription } = await clients.dynamoDb.send(
      new DescribeTimeToLiveCommand({ TableName: fanout.id('StateTable') }),
    );
    expect(TimeToLiveDescription?.TimeToLiveStatus).toBe('DISABLED');
    const { Properties: scanner } = stack.resource(`${FANOUT}/Scanner`);
    expect(scanner).toMatchObject({ RecursiveLoop: 'Allow' });
    const { RecursiveLoop } = await clients.lambda.send(
      new GetFunctionRecursionConfigCommand({ FunctionName: fanout.id('Scanner') }),
    );
    expect(RecursiveLoop).toBe('Terminate');
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
    await fanout.depthBecomes(0);
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

/** Part of a redrive policy. */
interface RedriveText {
  readonly deadLetterTargetArn: string;
  readonly maxReceiveCount: number;
}

/** Name of a queue: the end of its URL, and of its ARN. */
function nameOf(queueUrl: string): string {
  return queueUrl.split('/').at(-1) ?? '';
}

function mapValues<T>(values: Readonly<Record<string, unknown>>, map: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
