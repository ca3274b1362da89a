import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { MathExpressionOptions, Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { FanoutLabels, MetricName } from '../../lambda/contract';
import type { FanoutAlarms } from './alarm-settings';
import type { FanoutMetricOptions } from './fanout-metric';
import { fanoutMetric } from './fanout-metric';

/** What can be watched of a fanout: its metrics and its alarms. */
export abstract class ObservedFanout extends Construct {
  /** Identifies the fanout in its state table, messages and metrics. */
  abstract readonly fanoutId: string;
  /** Who it belongs to: `service`, `owner` and `tier`, where they were given. */
  abstract readonly labels: FanoutLabels;
  /** Finds the records that are due. */
  abstract readonly scanner: IFunction;
  /** Handles the records. */
  abstract readonly consumer: IFunction;
  /** The FIFO queue between the two. */
  abstract readonly queue: IQueue;
  /** The FIFO queue with the dead records. */
  abstract readonly deadLetterQueue: IQueue;
  /** The standard queue with ticks that could not be delivered and invocations of the scanner that failed. */
  abstract readonly failureQueue: IQueue;
  /** The table with lock and ledger. */
  abstract readonly stateTable: ITable;
  /** The group of the schedules; the metrics of the Scheduler are by group. */
  abstract readonly scheduleGroup: IScheduleGroup;
  /** The alarms by name, to add further actions to; those that were turned off are absent. */
  abstract readonly alarms: FanoutAlarms;
  /** Name of the log group of the scanner. */
  abstract readonly scannerLogs: string;
  /** Name of the log group of the consumer. */
  abstract readonly consumerLogs: string;

  /**
   * A metric that the functions publish, by its name: see docs/contract/metrics.md.
   *
   * @throws CronFanoutError `UnknownMetric`, or `NoMetricByJob`
   */
  metric(name: MetricName, options?: FanoutMetricOptions): Metric {
    return fanoutMetric(this, this, name, options);
  }

  /** Records that sources yielded. */
  metricEligible(options?: FanoutMetricOptions): Metric {
    return this.metric('Eligible', options);
  }

  /** Records that are in the queue by now, or were. */
  metricEnqueued(options?: FanoutMetricOptions): Metric {
    return this.metric('Enqueued', options);
  }

  /** Records enqueued per second. */
  metricEnqueueRate(options: MathExpressionOptions = {}): MathExpression {
    return new MathExpression({
      label: 'enqueued per second',
      ...options,
      expression: 'enqueued / PERIOD(enqueued)',
      usingMetrics: { enqueued: this.metricEnqueued() },
    });
  }

  /** Records that were refused before the queue. */
  metricRejected(options?: FanoutMetricOptions): Metric {
    return this.metric('Rejected', options);
  }

  /** Records that were not enqueued, because a message of theirs is in flight or they are in quarantine. */
  metricSkipped(options?: FanoutMetricOptions): Metric {
    return this.metric('Skipped', options);
  }

  /** Records whose handler returned. */
  metricSucceeded(options?: FanoutMetricOptions): Metric {
    return this.metric('Succeeded', options);
  }

  /** Records that died. */
  metricDead(options?: FanoutMetricOptions): Metric {
    return this.metric('Dead', options);
  }

  /** From the send of a message to the first start of its handler. */
  metricStartLag(options?: FanoutMetricOptions): Metric {
    return this.metric('StartLag', options);
  }

  /** Duration of attempts. */
  metricHandlerDuration(options?: FanoutMetricOptions): Metric {
    return this.metric('HandlerDuration', options);
  }

  /** Number of attempts, the first ones of records included. */
  metricAttempts(options?: FanoutMetricOptions): Metric {
    return this.metric('HandlerDuration', { label: 'attempts', ...options, statistic: 'SampleCount' });
  }

  /** Attempts that failed. */
  metricFailedAttempts(options?: FanoutMetricOptions): Metric {
    return this.metric('FailedAttempts', options);
  }

  /** Records that are enqueued and not settled, every few minutes. */
  metricInFlight(options?: FanoutMetricOptions): Metric {
    return this.metric('InFlight', options);
  }

  /** Runs of which every record is settled. */
  metricRunsCompleted(options?: FanoutMetricOptions): Metric {
    return this.metric('RunsCompleted', options);
  }

  /** Runs that failed. */
  metricRunsFailed(options?: FanoutMetricOptions): Metric {
    return this.metric('RunsFailed', options);
  }

  /** From the start of a run until its last record was settled. */
  metricRunDuration(options?: FanoutMetricOptions): Metric {
    return this.metric('RunDuration', options);
  }

  /** Age of the oldest run that is not complete, every few minutes. */
  metricOldestRunAge(options?: FanoutMetricOptions): Metric {
    return this.metric('OldestRunAge', options);
  }

  /** Ticks that were refused, since a run was on. */
  metricTicksSkipped(options?: FanoutMetricOptions): Metric {
    return this.metric('TicksSkipped', options);
  }

  /** Ticks that the Scheduler gave up; of all schedules of the group, where it is shared. */
  metricTicksMissed(options?: MetricOptions): Metric {
    return this.scheduleGroup.metricDropped({ label: 'ticks missed', statistic: 'Sum', ...options });
  }

  /** Invocations of the scanner that found the lock held. */
  metricLockRefused(options?: FanoutMetricOptions): Metric {
    return this.metric('LockRefused', options);
  }

  /** Invocations of the scanner that failed. */
  metricScannerErrors(options?: MetricOptions): Metric {
    return this.scanner.metricErrors({ statistic: 'Sum', ...options });
  }

  /** Age of the oldest message in the queue, in seconds. */
  metricOldestMessage(options?: MetricOptions): Metric {
    return this.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', ...options });
  }
}
