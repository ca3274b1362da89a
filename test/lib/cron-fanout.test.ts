import { readFileSync } from 'node:fs';
import type { App, CfnResource } from 'aws-cdk-lib';
import { Aspects, NestedStack, Stack, Stage } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { CronFanout } from '../../lib';
import { MINIMAL, synthesized, testApp, testStack, warnings } from './fanout-stack';

const RECOMMENDED_FLAGS = JSON.parse(
  readFileSync(require.resolve('aws-cdk-lib/recommended-feature-flags.json'), 'utf8'),
) as Readonly<Record<string, unknown>>;

/** Logical ids of a fanout with ticks and watchdog. Each is in somebody's stack: one that changes replaces the resource, queues and table with their data. */
const LOGICAL_IDS = {
  RemindersStateTable9FA4DF23: 'AWS::DynamoDB::GlobalTable',
  RemindersQueue98A213A1: 'AWS::SQS::Queue',
  RemindersQueuePolicy28CA3568: 'AWS::SQS::QueuePolicy',
  RemindersDeadLetterQueueD681C47D: 'AWS::SQS::Queue',
  RemindersDeadLetterQueuePolicyB0000BA0: 'AWS::SQS::QueuePolicy',
  RemindersFailureQueue99643AE5: 'AWS::SQS::Queue',
  RemindersFailureQueuePolicyA411BC9D: 'AWS::SQS::QueuePolicy',
  RemindersConsumerA463ADC8: 'AWS::Lambda::Function',
  RemindersConsumerLogs6FB66B49: 'AWS::Logs::LogGroup',
  RemindersConsumerRoleEFFB6328: 'AWS::IAM::Role',
  RemindersMapping92A78E16: 'AWS::Lambda::EventSourceMapping',
  RemindersScanner53F1FEC7: 'AWS::Lambda::Function',
  RemindersScannerEventInvokeConfig64D4086C: 'AWS::Lambda::EventInvokeConfig',
  RemindersScannerLogs192617B7: 'AWS::Logs::LogGroup',
  RemindersScannerRole9E5DA290: 'AWS::IAM::Role',
  RemindersScannerContinuation706D1848: 'AWS::IAM::Policy',
  RemindersScheduleGroupED37E61D: 'AWS::Scheduler::ScheduleGroup',
  RemindersScheduleRole0BE94D26: 'AWS::IAM::Role',
  RemindersScheduleF0332331: 'AWS::Scheduler::Schedule',
  RemindersWatchdogA1C4987B: 'AWS::Scheduler::Schedule',
  RemindersDeadRecordsAlarmFEA79FF6: 'AWS::CloudWatch::Alarm',
  RemindersOldestMessageAlarmCC742FA5: 'AWS::CloudWatch::Alarm',
  RemindersScannerErrorsAlarm5C01521C: 'AWS::CloudWatch::Alarm',
  RemindersRunStalledAlarmE6A7753D: 'AWS::CloudWatch::Alarm',
  RemindersRunUnbalancedAlarm0F4EFDB3: 'AWS::CloudWatch::Alarm',
  RemindersFailureQueueAlarm6282FCE2: 'AWS::CloudWatch::Alarm',
  RemindersInFlightLimitAlarmB0924AEC: 'AWS::CloudWatch::Alarm',
};

const resourcesOf = (template: Template): Readonly<Record<string, { readonly Type: string }>> =>
  template.toJSON().Resources as Readonly<Record<string, { readonly Type: string }>>;
const typesOf = (template: Template): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(resourcesOf(template)).map(([id, { Type }]) => [id, Type]));

describe('the template of a fanout', () => {
  const { template, stack, fanout } = synthesized({ end: new Date('2030-01-01T00:00:00Z') });

  it('snapshot: ticks every five minutes until they end', () => {
    expect(template.toJSON()).toMatchSnapshot();
  });

  it('B07: keeps its logical ids', () => {
    expect(typesOf(template)).toEqual(LOGICAL_IDS);
  });

  it('has nothing to warn of', () => {
    expect(warnings(stack)).toEqual([]);
    expect(Annotations.fromStack(stack).findError('*', Match.anyValue())).toEqual([]);
  });

  it('hands out its children under the names that are documented', () => {
    const ids = ['scanner', 'consumer', 'queue', 'deadLetterQueue', 'failureQueue', 'stateTable', 'schedule'] as const;
    for (const id of ids) {
      const child = fanout[id];
      expect(stack.getLogicalId(child.node.defaultChild as CfnResource)).toMatch(new RegExp(`^Reminders${id}`, 'i'));
    }
    expect(fanout.fanoutId).toMatch(/^Bookings-Reminders-[0-9a-f]{8}$/);
  });
});

describe('the validation of CloudFormation that the CDK has built in', () => {
  it('finds nothing in our resources', () => {
    const app = testApp({ builtinCloudFormationValidation: true, context: RECOMMENDED_FLAGS });
    const stack = testStack({ env: { account: '111122223333', region: 'eu-central-1' } }, app);
    new CronFanout(stack, 'Reminders', { ...MINIMAL, maxConcurrency: 1 });
    new CronFanout(stack, 'Reviews', MINIMAL);
    expect(() => app.synth()).not.toThrow();
    const report = readFileSync(`${app.outdir}/validation-report.json`, 'utf8');
    expect(JSON.parse(report)).toMatchObject({ pluginReports: [] });
  });

  it('control: finds a visibility timeout that SQS does not have', () => {
    const app = testApp({ builtinCloudFormationValidation: true, context: RECOMMENDED_FLAGS });
    const stack = testStack({}, app);
    const { queue } = new CronFanout(stack, 'Reminders', MINIMAL);
    (queue.node.defaultChild as CfnQueue).addPropertyOverride('VisibilityTimeout', 50_000);
    expect(() => app.synth()).toThrow(/VisibilityTimeout|validation/i);
  });
});

describe('where a fanout stands', () => {
  const two = (app: App, id: string, props = {}): Stack => {
    const stack = new Stack(app, id, props);
    new CronFanout(stack, 'Reminders', MINIMAL);
    new CronFanout(stack, 'Reviews', MINIMAL);
    return stack;
  };

  it('can be beside another one, in a stack that is deployed twice, each with an id of its own', () => {
    const app = testApp();
    const stacks = [two(app, 'Test'), two(app, 'Live')];
    const ids = stacks.flatMap((stack) => stack.node.findAll().filter((child) => CronFanout.isCronFanout(child)));
    expect(new Set(ids.map(({ fanoutId }) => fanoutId)).size).toBe(4);
    for (const stack of stacks) {
      expect(Object.keys(typesOf(Template.fromStack(stack)))).toHaveLength(27 + 27);
    }
  });

  it('B06: can be a nested stack below a long name, and is named after the outermost stack', () => {
    const stack = testStack({ stackName: `Bookings${'x'.repeat(100)}` });
    const nested = new NestedStack(stack, 'Jobs');
    const first = new CronFanout(nested, `Reminders${'y'.repeat(100)}1`, MINIMAL);
    const second = new CronFanout(nested, `Reminders${'y'.repeat(100)}2`, MINIMAL);
    const template = Template.fromStack(nested);
    template.allResourcesProperties('AWS::SQS::Queue', { QueueName: Match.absent() });
    expect(first.fanoutId).toMatch(/^Bookingsx+-[0-9a-f]{8}$/);
    expect(first.fanoutId).not.toBe(second.fanoutId);
    expect(first.fanoutId).toHaveLength(64);
  });

  it('can be a stage', () => {
    const stage = new Stage(testApp(), 'Live');
    const fanout = new CronFanout(new Stack(stage, 'Bookings'), 'Reminders', MINIMAL);
    expect(fanout.fanoutId).toMatch(/^Live-Bookings-Reminders-/);
  });

  it('keeps its id when the construct tree above the stack changes', () => {
    const one = new Stack(testApp(), 'One', { stackName: 'Bookings' });
    const other = new Stack(new Construct(testApp(), 'Team'), 'Other', { stackName: 'Bookings' });
    const ids = [one, other].map((stack) => new CronFanout(stack, 'Reminders', MINIMAL).fanoutId);
    expect(ids[0]).toBe(ids[1]);
  });

  it.each([
    ['no environment', {}],
    ['China', { env: { account: '111122223333', region: 'cn-north-1' } }],
    ['GovCloud', { env: { account: '111122223333', region: 'us-gov-west-1' } }],
  ])('B19: can be %s, without a literal partition', (_, props) => {
    const text = JSON.stringify(Template.fromStack(two(testApp(), 'Bookings', props)).toJSON());
    expect(text).not.toContain('arn:aws');
    expect(text).not.toContain('amazonaws.com.cn');
  });

  it.each([
    ['recommended', RECOMMENDED_FLAGS],
    ['off', Object.fromEntries(Object.entries(RECOMMENDED_FLAGS).map(([flag]) => [flag, false]))],
  ])('B18: makes the same resources with all feature flags %s', (_, context) => {
    const { template } = synthesized({ end: new Date('2030-01-01T00:00:00Z') }, testStack({}, testApp({ context })));
    expect(typesOf(template)).toEqual(LOGICAL_IDS);
  });
});

describe('CronFanout.isCronFanout', () => {
  it('knows a fanout of whichever copy of the package', () => {
    expect(CronFanout.isCronFanout(synthesized().fanout)).toBe(true);
    expect(CronFanout.isCronFanout({ [Symbol.for('cron-fanout.CronFanout')]: true })).toBe(true);
  });

  it.each([undefined, null, {}, 'CronFanout', new Construct(undefined as never, '')])('says no to %p', (value) => {
    expect(CronFanout.isCronFanout(value)).toBe(false);
  });
});

describe('what users do to the children', () => {
  it('takes effect: an aspect can change every queue', () => {
    const stack = testStack();
    new CronFanout(stack, 'Reminders', MINIMAL);
    Aspects.of(stack).add({
      visit: (node) => {
        if (node instanceof CfnQueue) {
          node.messageRetentionPeriod = 600;
        }
      },
    });
    Template.fromStack(stack).allResourcesProperties('AWS::SQS::Queue', { MessageRetentionPeriod: 600 });
  });
});
