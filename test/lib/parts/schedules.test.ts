import { CfnElement, Duration, Stack, TimeZone } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleExpression, ScheduleGroup, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { CronFanout } from '../../../lib';
import type { CronFanoutProps } from '../../../lib';
import { readSettings } from '../../../lib/settings';
import {
  ENTRY,
  MINIMAL,
  resource,
  statements,
  synthesized,
  testApp,
  testStack,
  thrownBy,
  warnings,
} from '../fanout-stack';

const SCHEDULE = 'AWS::Scheduler::Schedule';
const rate = (duration: Duration): ScheduleExpression => ScheduleExpression.rate(duration);
const expression = (text: string, zone?: string): ScheduleExpression =>
  ScheduleExpression.expression(text, zone === undefined ? undefined : TimeZone.of(zone));

const settings = (props: Partial<CronFanoutProps>) => readSettings({ ...MINIMAL, ...props }).schedule;

describe('the schedule of the ticks', () => {
  const { template, fanout, stack } = synthesized({
    schedule: ScheduleExpression.cron({ minute: '0/5', timeZone: TimeZone.EUROPE_BERLIN }),
    timeWindow: TimeWindow.flexible(Duration.minutes(2)),
    start: new Date('2027-01-01T00:00:00Z'),
    end: new Date('2028-01-01T00:00:00Z'),
    enabled: false,
  });
  const { Properties: schedule, DependsOn: dependencies } = resource(template, SCHEDULE, 'RemindersSchedule');

  it('says when it fires', () => {
    expect(schedule).toMatchObject({
      ScheduleExpression: 'cron(0/5 * * * ? *)',
      ScheduleExpressionTimezone: 'Europe/Berlin',
      FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 2 },
      StartDate: '2027-01-01T00:00:00.000Z',
      EndDate: '2028-01-01T00:00:00.000Z',
      State: 'DISABLED',
    });
  });

  it('calls the scanner by its plain ARN, with the role of the fanout', () => {
    const { Arn, RoleArn } = schedule.Target as Readonly<Record<string, unknown>>;
    expect(Arn).toEqual(stack.resolve(fanout.scanner.functionArn));
    expect(RoleArn).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/^RemindersScheduleRole/), 'Arn'] });
  });

  it('aws-cdk#31894: sends a JSON object with scheduled time, schedule ARN and attempt', () => {
    const { Input } = schedule.Target as { readonly Input: string };
    expect(JSON.parse(Input)).toEqual({
      kind: 'tick',
      scheduledTime: '<aws.scheduler.scheduled-time>',
      scheduleArn: '<aws.scheduler.schedule-arn>',
      attempt: '<aws.scheduler.attempt-number>',
    });
  });

  it('B12: retries a delivery for about one period and three times, not for a day and 185 times', () => {
    const { RetryPolicy } = schedule.Target as Readonly<Record<string, unknown>>;
    expect(RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 3 });
  });

  it('sends what cannot be delivered to the failure queue', () => {
    const { DeadLetterConfig } = schedule.Target as Readonly<Record<string, unknown>>;
    expect(DeadLetterConfig).toEqual({ Arn: stack.resolve(fanout.failureQueue.queueArn) as unknown });
  });

  it('is made after everything that its first tick needs: a rate schedule fires at once', () => {
    expect(dependencies).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^RemindersMapping/),
        expect.stringMatching(/^RemindersScanner[0-9A-F]{8}$/),
        expect.stringMatching(/^RemindersScannerEventInvokeConfig/),
        expect.stringMatching(/^RemindersScannerContinuation/),
        expect.stringMatching(/^RemindersScheduleRole/),
      ]),
    );
  });

  it('fires without a window, start or end unless asked to, and is enabled', () => {
    const { Properties } = resource(synthesized().template, SCHEDULE);
    expect(Properties).toMatchObject({ FlexibleTimeWindow: { Mode: 'OFF' }, State: 'ENABLED' });
    expect(Properties).not.toHaveProperty('StartDate');
    expect(Properties).not.toHaveProperty('EndDate');
  });
});

describe('delivery of a tick', () => {
  it.each([
    [Duration.minutes(1), 60],
    [Duration.minutes(5), 300],
    [Duration.hours(6), 21_600],
    [Duration.days(7), 86_400],
  ])('B12: is retried for one period of %s at most', (period, seconds) => {
    expect(settings({ schedule: rate(period) }).deliveryAge).toBe(seconds);
  });

  it('B12: is retried for the shortest time between two ticks of a cron schedule', () => {
    expect(settings({ schedule: expression('cron(0,10 9 * * ? *)') }).deliveryAge).toBe(600);
  });

  it('is retried for a day when there is one tick alone', () => {
    expect(settings({ schedule: expression('at(2027-01-31T09:00:00)') }).deliveryAge).toBe(86_400);
  });
});

describe('the role of the schedules', () => {
  const { template, fanout, stack } = synthesized();

  it("can be assumed by the Scheduler alone, for schedules of the fanout's group", () => {
    const { Properties } = resource(template, 'AWS::IAM::Role', 'RemindersScheduleRole');
    expect(Properties).not.toHaveProperty('ManagedPolicyArns');
    expect(Properties.AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        {
          Principal: { Service: 'scheduler.amazonaws.com' },
          Condition: {
            StringEquals: {
              'aws:SourceAccount': { Ref: 'AWS::AccountId' },
              'aws:SourceArn': stack.resolve(fanout.scheduleGroup.scheduleGroupArn) as unknown,
            },
          },
        },
      ],
    });
  });

  it('may invoke exactly the function, none of its versions, and send to the failure queue', () => {
    expect(statements(template, 'RemindersScheduleRole')).toEqual([
      { actions: ['lambda:InvokeFunction'], resources: [stack.resolve(fanout.scanner.functionArn)] },
      { actions: ['sqs:SendMessage'], resources: [stack.resolve(fanout.failureQueue.queueArn)] },
    ]);
  });

  it('stands below the fanout, so that no stack shares it', () => {
    expect(stack.node.children.filter((child) => !CfnElement.isCfnElement(child))).toEqual([fanout]);
  });

  it('can be brought, and is given the same', () => {
    const other = testStack();
    const scheduleRole = new Role(other, 'Role', { assumedBy: new ServicePrincipal('scheduler.amazonaws.com') });
    const brought = synthesized({ scheduleRole }, other);
    expect(statements(brought.template, 'Role')).toHaveLength(2);
    expect(() => resource(brought.template, 'AWS::IAM::Role', 'RemindersScheduleRole')).toThrow();
  });
});

describe('the watchdog', () => {
  it('calls the scanner every five minutes with an event of its own', () => {
    const { Properties } = resource(
      synthesized({ schedule: rate(Duration.hours(1)) }).template,
      SCHEDULE,
      'RemindersWatchdog',
    );
    expect(Properties).toMatchObject({
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      Target: {
        Input: '{"kind":"watchdog"}',
        RetryPolicy: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 3 },
      },
    });
  });

  it.each([
    ['ticks every minute', { schedule: rate(Duration.minutes(1)) }, false],
    ['ticks every five minutes', { schedule: rate(Duration.minutes(5)) }, false],
    ['ticks every five minutes, in UTC', { schedule: expression('cron(0/5 * * * ? *)') }, false],
    [
      'an hour that fires once when the clocks are put back',
      { schedule: expression('cron(0/5 * * * ? *)', 'Europe/Berlin') },
      true,
    ],
    ['ticks every six minutes', { schedule: rate(Duration.minutes(6)) }, true],
    ['ticks by day alone', { schedule: expression('cron(0/5 8-17 * * ? *)') }, true],
    ['a schedule that is switched off', { enabled: false }, true],
    ['a schedule that ends', { end: new Date('2030-01-01T00:00:00Z') }, true],
    ['a schedule that begins later', { start: new Date('2030-01-01T00:00:00Z') }, true],
    ['one tick alone', { schedule: expression('at(2027-01-31T09:00:00)') }, true],
  ] as const)('is there only where ticks are rarer: %s', (_, props, expected) => {
    expect(settings(props).watchdog).toBe(expected);
  });
});

describe('the schedule group', () => {
  it("is the fanout's own, without a name, and goes with it", () => {
    const { template } = synthesized();
    const group = resource(template, 'AWS::Scheduler::ScheduleGroup');
    expect(group.Properties).toBeUndefined();
    expect(group.DeletionPolicy).toBe('Delete');
  });

  it('B10: is the one that is passed', () => {
    const stack = testStack();
    const scheduleGroup = ScheduleGroup.fromScheduleGroupName(stack, 'Group', 'shared-group');
    const { template } = synthesized({ scheduleGroup, schedule: rate(Duration.hours(1)) }, stack);
    template.resourceCountIs('AWS::Scheduler::ScheduleGroup', 0);
    template.allResourcesProperties(SCHEDULE, { GroupName: 'shared-group' });
  });

  it('B10: two fanouts in a stack, and the stack twice, have schedules, and all else, without literal names', () => {
    const app = testApp();
    for (const id of ['One', 'Two']) {
      const stack = new Stack(app, id);
      new CronFanout(stack, 'A', MINIMAL);
      new CronFanout(stack, 'B', MINIMAL);
    }
    // Dimensions of metrics have names of their own.
    const withoutDimensions = (name: string, value: unknown): unknown => (name === 'Dimensions' ? undefined : value);
    const templates = app.synth().stacks.map(({ template }) => JSON.stringify(template, withoutDimensions));
    expect(templates).toHaveLength(2);
    expect(templates.join('')).not.toMatch(
      /"(Name|QueueName|TableName|FunctionName|LogGroupName|RoleName|AlarmName)":"/,
    );
  });
});

describe('the expression', () => {
  const messageOf = (schedule: () => ScheduleExpression): string =>
    thrownBy(() => new CronFanout(testStack(), 'Reminders', { entry: ENTRY, schedule: schedule() })).message;

  it.each(['0', '8', '-1', 'MO'])('B14: weekday %s is refused at synth', (weekDay) => {
    const message = messageOf(() => ScheduleExpression.cron({ minute: '15', hour: '12', weekDay }));
    expect(message).toMatch(/1-7|SUN/);
  });

  it('B14: weekday 1-5, which is Sunday to Thursday, is doubted and not refused', () => {
    const { stack } = synthesized({ schedule: ScheduleExpression.cron({ minute: '0', hour: '9', weekDay: '1-5' }) });
    expect(warnings(stack)).toEqual([expect.stringMatching(/MON-FRI.*cron-fanout:unixWeekday/s)]);
  });

  it.each([
    ['cron(* * * * *)', /cron\(\* \* \* \* \? \*\)/],
    ['cron(0 12 * * 1 *)', /cron\(0 12 \? \* /],
    ['cron(0 9 ? * ? *)', /cron\(0 9 /],
  ])('B15: %s is refused at synth, with the corrected form', (text, corrected) => {
    expect(messageOf(() => expression(text))).toMatch(corrected);
  });

  it('B15: a weekday with ? for the day is accepted', () => {
    expect(warnings(synthesized({ schedule: expression('cron(0 9 ? * MON-FRI *)') }).stack)).toEqual([]);
  });

  it.each([
    [Duration.minutes(1), 'rate(1 minute)'],
    [Duration.minutes(3), 'rate(3 minutes)'],
    [Duration.minutes(60), 'rate(1 hour)'],
    [Duration.days(1), 'rate(1 day)'],
  ])('B16: %s becomes the right rate', (duration, text) => {
    const { Properties } = resource(synthesized({ schedule: rate(duration) }).template, SCHEDULE, 'RemindersSchedule');
    expect(Properties.ScheduleExpression).toBe(text);
  });

  it.each([30, 90, 0])('B16: a rate of %d seconds is refused when the construct is made', (seconds) => {
    expect(messageOf(() => rate(Duration.seconds(seconds)))).not.toBe('');
  });

  it.each([
    ['rate(1 minutes)', 'rate(1 minute)'],
    ['rate(3 minute)', 'rate(3 minutes)'],
  ])('B16: %s is refused, with the right plural', (text, corrected) => {
    expect(messageOf(() => expression(text))).toContain(corrected);
  });

  it('B17: the time zone is the given one', () => {
    const { Properties } = resource(
      synthesized({ schedule: expression('cron(30 2 * * ? *)', 'Europe/Berlin') }).template,
      SCHEDULE,
      'RemindersSchedule',
    );
    expect(Properties.ScheduleExpressionTimezone).toBe('Europe/Berlin');
  });

  it('B17: an unknown time zone is refused at synth', () => {
    expect(messageOf(() => expression('cron(30 2 * * ? *)', 'Nope/Nope'))).toContain('Nope/Nope');
  });

  it('passes as a token, with a watchdog beside it', () => {
    const stack = testStack();
    const { fanout, template } = synthesized({ schedule: expression(stack.region) }, stack);
    expect(fanout.watchdog).toBeDefined();
    template.hasResourceProperties(SCHEDULE, { ScheduleExpression: { Ref: 'AWS::Region' } });
  });
});
