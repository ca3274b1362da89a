import { Duration } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { Template } from 'aws-cdk-lib/assertions';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { PowertoolsMetrics } from '../../../lambda/adapters/powertools-metrics';
import { METRICS } from '../../../lambda/contract';
import type { FanoutConfiguration, MetricName } from '../../../lambda/contract';
import { AlarmSeverity, CronFanout, RetryPolicy } from '../../../lib';
import type { AlarmName, CronFanoutProps } from '../../../lib';
import { ALARM_NAMES } from '../../../lib/observability/alarm-settings';
import { ALARMS } from '../../../lib/observability/alarm-table';
import { MINIMAL, resource, synthesized, testStack, thrownBy } from '../fanout-stack';

/** An alarm of a template. */
interface AlarmProperties {
  readonly AlarmDescription: unknown;
  readonly MetricName?: string;
  readonly Namespace?: string;
  readonly Statistic?: string;
  readonly Period: number;
  readonly EvaluationPeriods: number;
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly TreatMissingData: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
  readonly AlarmActions?: readonly unknown[];
}

function alarmsOf(template: Template): Readonly<Partial<Record<AlarmName, AlarmProperties>>> {
  const found = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
  return Object.fromEntries(
    ALARM_NAMES.flatMap((name) => {
      const one = found.filter(([id]) => id.startsWith(`Reminders${ALARMS[name].id}`));
      return one.map(([, { Properties }]) => [name, Properties as AlarmProperties]);
    }),
  );
}
const alarms = (props: Partial<CronFanoutProps> = {}): ReturnType<typeof alarmsOf> =>
  alarmsOf(synthesized(props).template);

/** A text of a template with its references filled in as they are in a real account. */
function textOf(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  const [, parts] = (value as { readonly 'Fn::Join': readonly [string, readonly unknown[]] })['Fn::Join'];
  const longest = `https://sqs.ap-southeast-2.amazonaws.com/111122223333/${'x'.repeat(80)}`;
  return parts.map((part) => (typeof part === 'string' ? part : longest)).join('');
}

function action(name: string): IAlarmAction {
  return { bind: () => ({ alarmActionArn: name }) };
}

describe('the alarms of a fanout', () => {
  it('snapshot: what each of them watches', () => {
    const rows = Object.entries(alarms()).map(([name, alarm]) => {
      const { Namespace, MetricName, Statistic, Period, EvaluationPeriods, Threshold } = alarm;
      const watched = `${Namespace} ${MetricName} ${Statistic}`;
      const when = `${alarm.ComparisonOperator} ${Threshold} in ${EvaluationPeriods} x ${Period} s`;
      return `${name}: ${watched}; ${when}; no data is ${alarm.TreatMissingData}`;
    });
    expect(rows).toMatchSnapshot();
  });

  it('are eight', () => {
    expect(Object.keys(alarms())).toEqual([...ALARM_NAMES]);
    expect(ALARM_NAMES).toHaveLength(8);
  });

  it('use no metric math, which not every endpoint of CloudFormation takes, and which nobody has to read then', () => {
    for (const alarm of Object.values(alarms())) {
      expect(alarm.MetricName).toEqual(expect.any(String));
      expect(alarm).not.toHaveProperty('Metrics');
    }
  });

  it('watch metrics that are published: of the contract, with the dimensions that the deployed configuration leads to', () => {
    const { template } = synthesized({ owner: 'team-a', service: 'shop', tier: '1' });
    const variables = (
      resource(template, 'AWS::Lambda::Function', 'RemindersConsumer').Properties.Environment as {
        readonly Variables: Readonly<Record<string, string>>;
      }
    ).Variables;
    const { labels } = JSON.parse(variables.CRON_FANOUT_CONFIGURATION!) as FanoutConfiguration;
    const written: string[] = [];
    const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const own = Object.values(alarmsOf(template)).filter(({ Namespace }) => Namespace === 'CronFanout');
    try {
      const metrics = new PowertoolsMetrics({ fanoutId: variables.CRON_FANOUT_ID!, labels });
      own.forEach(({ MetricName }) => {
        metrics.add(MetricName as MetricName, 1, 'booking.reminder');
        metrics.flush();
      });
    } finally {
      write.mockRestore();
    }
    expect(own).toHaveLength(4);
    own.forEach(({ MetricName, Dimensions }, place) => {
      expect(Object.keys(METRICS)).toContain(MetricName);
      const line = JSON.parse(written[place]!) as Readonly<Record<string, unknown>> & {
        readonly _aws: { readonly CloudWatchMetrics: readonly { readonly Dimensions: readonly string[][] }[] };
      };
      expect(line[MetricName!]).toBe(1);
      const names = Dimensions!.map(({ Name }) => Name);
      const published = line._aws.CloudWatchMetrics[0]!.Dimensions.map((set) => [...set].sort());
      expect(published).toContainEqual([...names].sort());
      for (const { Name, Value } of Dimensions!) {
        expect(line[Name]).toBe(Value);
      }
    });
  });

  it('say whose they are, what to run first and where to read on, in what CloudWatch stores of a description', () => {
    const { template } = synthesized({
      owner: 'team-a',
      service: 'shop',
      tier: '1',
      runbookUrl: 'https://wiki.example.com/x/',
    });
    for (const [name, { AlarmDescription }] of Object.entries(alarmsOf(template))) {
      const text = textOf(AlarmDescription);
      const { meaning, page, severity } = ALARMS[name as AlarmName];
      expect(text).toContain(`${meaning}. [${severity}; fanout Bookings-Reminders-`);
      expect(text).toContain('service shop, owner team-a, tier 1]');
      expect(text).toMatch(/First: aws (logs|sqs|dynamodb) /);
      expect(text).toContain(`Runbook: https://wiki.example.com/x/${page}.md`);
      expect(text.length).toBeLessThanOrEqual(1024);
    }
  });

  it('are handed out by name, for further actions', () => {
    const stack = testStack();
    const fanout = new CronFanout(stack, 'Reminders', MINIMAL);
    expect(Object.keys(fanout.alarms)).toEqual([...ALARM_NAMES]);
    expect(fanout.alarms.deadRecords).toBeInstanceOf(Alarm);
    fanout.alarms.deadRecords!.addOkAction(action('arn:ok'));
    expect(alarmsOf(Template.fromStack(stack)).deadRecords).toMatchObject({ OKActions: ['arn:ok'] });
  });
});

describe('actions', () => {
  const actions = { pageActions: [action('arn:page')], ticketActions: [action('arn:ticket')] };

  it('are taken by severity', () => {
    for (const [name, alarm] of Object.entries(alarms(actions))) {
      expect(alarm.AlarmActions).toEqual([`arn:${ALARMS[name as AlarmName].severity}`]);
    }
  });

  it('follow a severity of one alarm or of all, one before all', () => {
    const severities = { all: { severity: AlarmSeverity.PAGE }, runUnbalanced: { severity: AlarmSeverity.TICKET } };
    const made = alarms({ ...actions, alarms: severities });
    expect(made.deadRecords!.AlarmActions).toEqual(['arn:page']);
    expect(textOf(made.deadRecords!.AlarmDescription)).toContain('[page;');
    expect(made.runUnbalanced!.AlarmActions).toEqual(['arn:ticket']);
  });

  it('are none where none are given', () => {
    expect(alarms().deadRecords).not.toHaveProperty('AlarmActions');
  });
});

describe('options of the alarms', () => {
  it('turn off one, all, or all but one', () => {
    expect(Object.keys(alarms({ alarms: { deadRecords: { enabled: false } } }))).toEqual(
      ALARM_NAMES.filter((name) => name !== 'deadRecords'),
    );
    expect(alarms({ alarms: { all: { enabled: false } } })).toEqual({});
    expect(Object.keys(alarms({ alarms: { all: { enabled: false }, deadRecords: { enabled: true } } }))).toEqual([
      'deadRecords',
    ]);
  });

  it('take what is there and undefined as not given', () => {
    const off = { all: { enabled: false }, deadRecords: { enabled: undefined } };
    expect(alarms({ alarms: off as unknown as CronFanoutProps['alarms'] & object })).toEqual({});
  });

  it('refuse a name that is none, and list the known ones', () => {
    const props = { ...MINIMAL, alarms: { deadRecord: { enabled: false } } } as CronFanoutProps;
    const error = thrownBy(() => new CronFanout(testStack(), 'Reminders', props));
    expect(error.code).toBe('UnknownAlarm');
    expect(error.message).toContain('"deadRecord"');
    expect(error.message).toContain(ALARM_NAMES.join(', '));
  });

  it.each([
    ['deadRecords', { threshold: 7 }, 7],
    ['oldestMessage', { threshold: Duration.minutes(10) }, 600],
    ['scannerErrors', { threshold: 3 }, 3],
    ['runStalled', { threshold: Duration.hours(2) }, 7200],
    ['runUnbalanced', { threshold: 2 }, 2],
    ['failureQueue', { threshold: 5 }, 5],
    ['inFlightLimit', { threshold: 60_000 }, 60_000],
  ] as const)('set the threshold of %s', (name, options, threshold) => {
    expect(alarms({ alarms: { [name]: options } })[name]!.Threshold).toBe(threshold);
  });

  it('leave a run and a message the time that the retries may take', () => {
    const retry = RetryPolicy.delays([Duration.hours(5), Duration.hours(5)]);
    const made = alarms({ jobs: { 'booking.reminder': { retry } } });
    expect(made.oldestMessage!.Threshold).toBeGreaterThanOrEqual(10 * 3600);
    expect(made.runStalled!.Threshold).toBeGreaterThanOrEqual(20 * 3600);
    const patient = alarms({ retry, alarms: { oldestMessage: { threshold: Duration.hours(1) } } });
    expect(patient.oldestMessage!.Threshold).toBe(3600);
  });

  it.each(['wiki.example.com', 'ftp://wiki.example.com', ''])('refuse %p as the place of runbooks', (runbookUrl) => {
    expect(thrownBy(() => synthesized({ runbookUrl })).code).toBe('InvalidRunbookUrl');
  });
});

describe('the alarm on runs that are not completed', () => {
  it('is left out, with a warning that can be acknowledged, where CloudWatch cannot look back far enough', () => {
    const { template, stack } = synthesized({ schedule: ScheduleExpression.rate(Duration.days(7)) });
    expect(alarmsOf(template)).not.toHaveProperty('noCompletedRun');
    const warnings = stack.node.findAll().flatMap(({ node }) => node.metadata.map(({ data }) => String(data)));
    expect(warnings.join('\n')).toContain('cron-fanout:noCompletedRunUnwatched');
  });

  it('says nothing where it is turned off', () => {
    const { stack } = synthesized({
      schedule: ScheduleExpression.rate(Duration.days(7)),
      alarms: { noCompletedRun: { enabled: false } },
    });
    const warnings = stack.node.findAll().flatMap(({ node }) => node.metadata.map(({ data }) => String(data)));
    expect(warnings.join('\n')).not.toContain('noCompletedRunUnwatched');
  });
});
