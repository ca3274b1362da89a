import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CronFanout, CronFanoutDashboard } from '../../lib';
import type { CronFanoutAttributes, ICronFanout } from '../../lib';
import { statements, synthesized, testStack, thrownBy } from './fanout-stack';

const arn = (service: string, resource: string): string => `arn:aws:${service}:eu-central-1:111122223333:${resource}`;
const ALL = {
  fanoutId: 'Bookings-Reminders-12345678',
  owner: 'team-a',
  service: 'bookings',
  scannerArn: arn('lambda', 'function:scanner'),
  consumerArn: arn('lambda', 'function:consumer'),
  queueArn: arn('sqs', 'work.fifo'),
  deadLetterQueueArn: arn('sqs', 'dead.fifo'),
  failureQueueArn: arn('sqs', 'failures'),
  stateTableArn: arn('dynamodb', 'table/state'),
  scheduleGroupName: 'bookings',
  scannerLogs: 'scanner-logs',
  consumerLogs: 'consumer-logs',
} as const satisfies CronFanoutAttributes;

const ENV = { env: { account: '111122223333', region: 'eu-central-1' } };
const imported = (stack: Stack, attributes: CronFanoutAttributes = ALL): ICronFanout =>
  CronFanout.fromCronFanoutAttributes(stack, 'Imported', attributes);
const roleIn = (stack: Stack): IRole =>
  new Role(stack, 'Operator', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });

describe('a fanout that is imported by its attributes', () => {
  it('has the same parts and metrics as one that is made', () => {
    const stack = testStack(ENV);
    const { scanner, consumer, queue, deadLetterQueue, failureQueue, stateTable, scheduleGroup, ...other } = partsOf(
      imported(stack),
    );
    expect([scanner.functionArn, consumer.functionArn]).toEqual([ALL.scannerArn, ALL.consumerArn]);
    expect([queue.queueArn, deadLetterQueue.queueArn, failureQueue.queueArn]).toEqual([
      ALL.queueArn,
      ALL.deadLetterQueueArn,
      ALL.failureQueueArn,
    ]);
    expect([queue.fifo, deadLetterQueue.fifo, failureQueue.fifo]).toEqual([true, true, false]);
    expect([stateTable.tableName, scheduleGroup.scheduleGroupName]).toEqual(['state', 'bookings']);
    expect(other).toEqual({ scannerLogs: 'scanner-logs', consumerLogs: 'consumer-logs' });
    expect(Template.fromStack(stack).toJSON().Resources).toBeUndefined();
  });

  it('gives metrics with its own dimensions', () => {
    const made = synthesized({ owner: 'team-a', service: 'bookings' }).fanout;
    const known = imported(testStack(ENV), { fanoutId: made.fanoutId, owner: 'team-a', service: 'bookings' });
    for (const name of ['metricDead', 'metricRunsCompleted', 'metricInFlight'] as const) {
      expect(known[name]().toMetricConfig().metricStat).toEqual({
        ...made[name]().toMetricConfig().metricStat,
        account: '111122223333',
        region: 'eu-central-1',
      });
    }
  });

  it('can be granted, with the key of its queues and its table', () => {
    const stack = testStack(ENV);
    const key = Key.fromKeyArn(stack, 'Key', arn('kms', 'key/1'));
    const fanout = imported(stack, { ...ALL, encryptionKey: key });
    const role = roleIn(stack);
    fanout.scanner.grantInvoke(role);
    fanout.deadLetterQueue.grantConsumeMessages(role);
    fanout.stateTable.grantReadData(role);
    const granted = statements(Template.fromStack(stack), 'Operator');
    const resources = granted.flatMap((statement) => statement.resources);
    expect(resources).toEqual(
      expect.arrayContaining([ALL.scannerArn, ALL.deadLetterQueueArn, ALL.stateTableArn, arn('kms', 'key/1')]),
    );
  });

  it('can grant to its functions, where their roles are known', () => {
    const stack = testStack(ENV);
    const role = Role.fromRoleArn(stack, 'Role', 'arn:aws:iam::111122223333:role/consumer');
    const fanout = imported(stack, { ...ALL, consumerRole: role });
    fanout.failureQueue.grantSendMessages(fanout.consumer);
    Template.fromStack(stack).hasResourceProperties('AWS::IAM::Policy', { Roles: ['consumer'] });
  });

  it('can be on a dashboard', () => {
    const stack = testStack(ENV);
    new CronFanoutDashboard(stack, 'Dashboard', { fanouts: [imported(stack)] });
    expect(JSON.stringify(Template.fromStack(stack).findResources('AWS::CloudWatch::Dashboard'))).toContain(
      ALL.fanoutId,
    );
  });

  it.each([
    ['scanner', 'scannerArn'],
    ['consumer', 'consumerArn'],
    ['queue', 'queueArn'],
    ['deadLetterQueue', 'deadLetterQueueArn'],
    ['failureQueue', 'failureQueueArn'],
    ['stateTable', 'stateTableArn'],
    ['scheduleGroup', 'scheduleGroupName'],
    ['scannerLogs', 'scannerLogs'],
    ['consumerLogs', 'consumerLogs'],
  ] as const)('without the attribute of %s fails only when that is used, and names %s', (part, attribute) => {
    const others = Object.fromEntries(Object.entries(ALL).filter(([name]) => name !== attribute));
    const fanout = imported(testStack(ENV), { fanoutId: ALL.fanoutId, ...others });
    expect(fanout.metricDead().metricName).toBe('Dead');
    const error = thrownBy(() => fanout[part]);
    expect(error.code).toBe('AttributeMissing');
    expect(error.message).toMatch(
      new RegExp(`^${part} of Bookings/Imported, an imported fanout: received no ${attribute};`),
    );
    const rest = Object.keys(ALL).filter((name) => name.endsWith('Arn') && name !== attribute);
    expect(rest.every((name) => error.message.includes(name))).toBe(true);
  });

  it('fails for metrics of what was not given, and gives all others', () => {
    const fanout = imported(testStack(ENV), { fanoutId: ALL.fanoutId });
    expect(thrownBy(() => fanout.metricOldestMessage()).code).toBe('AttributeMissing');
    expect(fanout.metricSucceeded().dimensions).toEqual({ fanout: ALL.fanoutId });
  });

  it('refuses a label that no metric can have', () => {
    expect(thrownBy(() => imported(testStack(), { ...ALL, owner: 'ü' })).code).toBe('InvalidLabel');
  });

  it('control: a fanout that is made fits the same interface', () => {
    const made: ICronFanout = synthesized().fanout;
    expect(made.fanoutId).toMatch(/^Bookings-Reminders-/);
  });
});

const partsOf = ({
  scanner,
  consumer,
  queue,
  deadLetterQueue,
  failureQueue,
  stateTable,
  scheduleGroup,
  scannerLogs,
  consumerLogs,
}: ICronFanout) => ({
  scanner,
  consumer,
  queue,
  deadLetterQueue,
  failureQueue,
  stateTable,
  scheduleGroup,
  scannerLogs,
  consumerLogs,
});
