import { Stack, Token } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { GraphWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '../../../lambda/contract';
import type { MetricName } from '../../../lambda/contract';
import { CronFanout } from '../../../lib';
import type { CronFanoutProps } from '../../../lib';
import { MINIMAL, resource, synthesized, testApp, testStack, thrownBy } from '../fanout-stack';

const { fanout, stack } = synthesized({ owner: 'team-a', tier: '1' });

interface Described {
  readonly namespace?: string;
  readonly metricName?: string;
  readonly statistic?: string;
  readonly dimensions?: readonly { readonly name: string; readonly value: unknown }[];
}
const described = (metric: IMetric): Described => metric.toMetricConfig().metricStat!;
const resolved = (metric: IMetric): unknown => stack.resolve(described(metric).dimensions);

describe('fanout.metric', () => {
  it.each(Object.keys(METRICS) as MetricName[])('is %s, as the functions publish it', (name) => {
    expect(described(fanout.metric(name))).toMatchObject({
      namespace: 'CronFanout',
      metricName: name,
      statistic: METRICS[name].statistic,
      dimensions: [
        { name: 'fanout', value: fanout.fanoutId },
        { name: 'owner', value: 'team-a' },
        { name: 'tier', value: '1' },
      ],
    });
  });

  it('can be that of one job, for what is published by job', () => {
    const metric = fanout.metric('Dead', { jobType: 'booking.reminder' });
    expect(described(metric).dimensions).toContainEqual({ name: 'jobType', value: 'booking.reminder' });
    const error = thrownBy(() => fanout.metric('Eligible', { jobType: 'booking.reminder' }));
    expect(error.code).toBe('NoMetricByJob');
    expect(error.message).toContain('Succeeded, Dead, HandlerDuration, FailedAttempts');
  });

  it('refuses a name that is none, and lists the known ones', () => {
    const error = thrownBy(() => fanout.metric('Died' as MetricName));
    expect(error.code).toBe('UnknownMetric');
    expect(error.message).toContain(Object.keys(METRICS).join(', '));
  });

  it('takes the options of every metric', () => {
    expect(described(fanout.metric('Dead', { statistic: 'Average' })).statistic).toBe('Average');
  });

  it('knows region and account in a dashboard elsewhere', () => {
    const app = testApp();
    const env = { account: '111122223333', region: 'eu-central-1' };
    const there = new CronFanout(new Stack(app, 'There', { env }), 'Reminders', MINIMAL);
    const widget = new GraphWidget({ left: [there.metricDead()] });
    expect(JSON.stringify(new Stack(app, 'Here').resolve(widget.toJson()))).toContain('eu-central-1');
  });
});

describe('the methods for single metrics', () => {
  it.each([
    ['metricEligible', 'CronFanout Eligible Sum'],
    ['metricEnqueued', 'CronFanout Enqueued Sum'],
    ['metricRejected', 'CronFanout Rejected Sum'],
    ['metricSkipped', 'CronFanout Skipped Sum'],
    ['metricSucceeded', 'CronFanout Succeeded Sum'],
    ['metricDead', 'CronFanout Dead Sum'],
    ['metricStartLag', 'CronFanout StartLag p90'],
    ['metricHandlerDuration', 'CronFanout HandlerDuration p90'],
    ['metricAttempts', 'CronFanout HandlerDuration SampleCount'],
    ['metricFailedAttempts', 'CronFanout FailedAttempts Sum'],
    ['metricInFlight', 'CronFanout InFlight Maximum'],
    ['metricRunsCompleted', 'CronFanout RunsCompleted Sum'],
    ['metricRunsFailed', 'CronFanout RunsFailed Sum'],
    ['metricRunDuration', 'CronFanout RunDuration p90'],
    ['metricOldestRunAge', 'CronFanout OldestRunAge Maximum'],
    ['metricTicksSkipped', 'CronFanout TicksSkipped Sum'],
    ['metricTicksMissed', 'AWS/Scheduler InvocationDroppedCount Sum'],
    ['metricLockRefused', 'CronFanout LockRefused Sum'],
    ['metricScannerErrors', 'AWS/Lambda Errors Sum'],
    ['metricOldestMessage', 'AWS/SQS ApproximateAgeOfOldestMessage Maximum'],
  ] as const)('%s is %s', (method, expected) => {
    const { namespace, metricName, statistic } = described(fanout[method]());
    expect(`${namespace} ${metricName} ${statistic}`).toBe(expected);
  });

  it('metricEnqueueRate is records per second', () => {
    const { mathExpression } = fanout.metricEnqueueRate().toMetricConfig();
    expect(mathExpression).toMatchObject({ expression: 'enqueued / PERIOD(enqueued)' });
    expect(described(mathExpression!.usingMetrics.enqueued!).metricName).toBe('Enqueued');
  });

  it('metricTicksMissed is that of the schedule group of the fanout', () => {
    expect(resolved(fanout.metricTicksMissed())).toEqual([
      { name: 'ScheduleGroup', value: { Ref: 'RemindersScheduleGroupED37E61D' } },
    ]);
  });
});

describe('owner, service and tier', () => {
  const labels = { owner: 'team-a', service: 'shop + more', tier: 'tier/1@x' };

  it('are tags of everything that can have them', () => {
    const { template } = synthesized(labels);
    for (const type of ['AWS::SQS::Queue', 'AWS::Lambda::Function', 'AWS::CloudWatch::Alarm', 'AWS::Logs::LogGroup']) {
      template.allResourcesProperties(type, {
        Tags: Match.arrayWith([
          { Key: 'owner', Value: 'team-a' },
          { Key: 'service', Value: 'shop + more' },
          { Key: 'tier', Value: 'tier/1@x' },
        ]),
      });
    }
  });

  it('are told to the functions, where they are given', () => {
    const configuration = (props: Partial<CronFanoutProps>): unknown => {
      const { Environment } = resource(
        synthesized(props).template,
        'AWS::Lambda::Function',
        'RemindersScanner',
      ).Properties;
      const { Variables } = Environment as { readonly Variables: Readonly<Record<string, string>> };
      return JSON.parse(Variables.CRON_FANOUT_CONFIGURATION!);
    };
    expect(configuration(labels)).toMatchObject({ labels });
    expect(configuration({})).not.toHaveProperty('labels');
  });

  it.each(['', ' ', 'x'.repeat(256), 'team-ü', 'a,b', 'a\nb'])('cannot be %p', (value) => {
    for (const name of ['owner', 'service', 'tier'] as const) {
      const error = thrownBy(() => synthesized({ [name]: value }));
      expect(error.code).toBe('InvalidLabel');
      expect(error.message.startsWith(`${name}: received ${JSON.stringify(value)}`)).toBe(true);
    }
  });

  it.each(['x', 'x'.repeat(255), 'a b_c.d:e/f=g+h-i@j'])('can be %p', (owner) => {
    expect(synthesized({ owner }).fanout.labels).toEqual({ owner });
  });

  it('can be a token', () => {
    const at = testStack();
    const owner = Token.asString({ Ref: 'AWS::StackName' });
    new CronFanout(at, 'Reminders', { ...MINIMAL, owner });
    Template.fromStack(at).hasResourceProperties('AWS::CloudWatch::Alarm', {
      Dimensions: Match.arrayWith([{ Name: 'owner', Value: { Ref: 'AWS::StackName' } }]),
    });
  });
});
