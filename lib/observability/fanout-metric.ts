import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';
import { CronFanoutError, FANOUT_DIMENSION, JOB_DIMENSION, METRIC_NAMESPACE, METRICS } from '../../lambda/contract';
import type { FanoutLabels, MetricDefinition, MetricName } from '../../lambda/contract';

/** Options of a metric of a fanout. */
export interface FanoutMetricOptions extends MetricOptions {
  /**
   * Job type whose part of the metric is meant; for the metrics that are published by job.
   *
   * @default - all jobs together
   */
  readonly jobType?: string;
}

/** Whose metric it is. */
export interface MetricOwner {
  readonly fanoutId: string;
  readonly labels: FanoutLabels;
}

/**
 * A metric that the functions of a fanout publish, with the statistic that says what is mostly asked.
 *
 * @param scope gives region and account, for dashboards elsewhere
 * @throws CronFanoutError `UnknownMetric` or `NoMetricByJob`
 */
export function fanoutMetric(
  scope: IConstruct,
  { fanoutId, labels }: MetricOwner,
  name: MetricName,
  { jobType, ...options }: FanoutMetricOptions = {},
): Metric {
  checkName(name);
  const { statistic, byJob }: MetricDefinition = METRICS[name];
  if (jobType !== undefined && byJob !== true) {
    throw noMetricByJob(name);
  }
  return new Metric({
    namespace: METRIC_NAMESPACE,
    metricName: name,
    statistic,
    ...options,
    dimensionsMap: {
      [FANOUT_DIMENSION]: fanoutId,
      ...labels,
      ...(jobType !== undefined && { [JOB_DIMENSION]: jobType }),
      ...options.dimensionsMap,
    },
  }).attachTo(scope);
}

function checkName(name: string): void {
  if (!Object.hasOwn(METRICS, name)) {
    throw new CronFanoutError('UnknownMetric', {
      what: 'name of a metric',
      received: JSON.stringify(name),
      allowed: Object.keys(METRICS).join(', '),
      change: 'use one of these, or a metric of the queue or the function itself',
    });
  }
}

function noMetricByJob(name: MetricName): CronFanoutError {
  const byJob = Object.entries(METRICS).flatMap(([one, definition]) => ('byJob' in definition ? [one] : []));
  return new CronFanoutError('NoMetricByJob', {
    what: 'jobType',
    received: `with metric ${name}`,
    allowed: `with one of ${byJob.join(', ')}`,
    change: 'leave jobType out',
  });
}
