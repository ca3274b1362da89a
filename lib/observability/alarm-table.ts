import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { AlarmName, AlarmSetting } from './alarm-settings';
import type { CompletionWatch } from './completion-watch';
import type { ObservedFanout } from './observed-fanout';

/** How an alarm is made. */
export interface AlarmDefinition {
  /** Id of the construct. */
  readonly id: string;
  /** Name of its page in docs/runbooks, without `.md`. */
  readonly page: string;
  readonly severity: 'page' | 'ticket';
  /** What is the matter when it is raised, as its text begins. */
  readonly meaning: string;
  /** What its threshold is in, for the table of alarms. */
  readonly unit: string;
  /** Metric and statistic, for the table of alarms. */
  readonly source: string;
  /** The command to run first. */
  readonly command: (fanout: ObservedFanout) => string;
  readonly watch: (fanout: ObservedFanout, setting: AlarmSetting, completion?: CompletionWatch) => AlarmWatch;
}

/** What CloudWatch watches. */
export interface AlarmWatch {
  readonly metric: IMetric;
  readonly threshold: number;
  readonly evaluationPeriods: number;
  readonly comparisonOperator: ComparisonOperator;
  readonly treatMissingData: TreatMissingData;
}

const FIVE_MINUTES = Duration.minutes(5);
/** Three calls of the watchdog: there is a value in each, also when one call is late. */
const THREE_WATCHES = Duration.minutes(15);

/** Raised from a count on; without data nothing was counted. */
const from = (metric: IMetric, { threshold }: AlarmSetting): AlarmWatch => ({
  metric,
  threshold,
  evaluationPeriods: 1,
  comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  treatMissingData: TreatMissingData.NOT_BREACHING,
});

/** Raised above an age, once it has held for more than a moment; without data there is nothing that could be old. */
const above = (metric: IMetric, { threshold }: AlarmSetting, evaluationPeriods: number): AlarmWatch => ({
  metric,
  threshold,
  evaluationPeriods,
  comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
  treatMissingData: TreatMissingData.NOT_BREACHING,
});

const logLines = (group: string, since: string, pattern: string): string =>
  `aws logs tail ${group} --since ${since} --filter-pattern '${pattern}'`;
const queueAttributes = (url: string): string =>
  `aws sqs get-queue-attributes --queue-url ${url} --attribute-names All`;

/** The command that shows what is in a failure queue, and leaves it there. */
export const receiveAll = ({ queueUrl }: IQueue): string =>
  `aws sqs receive-message --queue-url ${queueUrl} --max-number-of-messages 10 --visibility-timeout 0 --message-attribute-names All`;

/** Raised by messages in a queue, be it that of one fanout or one that several share. */
export const watchMessages = (queue: IQueue, setting: AlarmSetting): AlarmWatch =>
  from(queue.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES, statistic: 'Maximum' }), setting);

/** The alarms of a fanout. The README, the runbooks and the tests are held to this table. None needs metric math: what is watched is counted where it happens. */
export const ALARMS: Readonly<Record<AlarmName, AlarmDefinition>> = {
  deadRecords: {
    id: 'DeadRecordsAlarm',
    page: 'dead-records',
    severity: 'ticket',
    meaning: 'Records died: nobody handles them until they are redriven',
    unit: 'deaths in 5 minutes',
    source: '`Dead`, Sum',
    command: ({ consumerLogs }) => logLines(consumerLogs, '15m', '"a record died"'),
    // Deaths of the last minutes, not what lies in the queue: that stays above any threshold while old ones remain, and no new one would be told of.
    watch: (fanout, setting) => from(fanout.metricDead({ period: FIVE_MINUTES }), setting),
  },
  oldestMessage: {
    id: 'OldestMessageAlarm',
    page: 'oldest-message',
    severity: 'page',
    meaning: 'Records wait in the queue for too long',
    unit: 'seconds',
    source: '`ApproximateAgeOfOldestMessage` of the queue, Maximum',
    command: ({ queue }) => queueAttributes(queue.queueUrl),
    watch: (fanout, setting) => above(fanout.metricOldestMessage({ period: FIVE_MINUTES }), setting, 2),
  },
  scannerErrors: {
    id: 'ScannerErrorsAlarm',
    page: 'scanner-errors',
    severity: 'ticket',
    meaning: 'The scanner fails: a run stopped, or failed for good',
    unit: 'errors in 5 minutes',
    source: '`Errors` of the scanner, Sum',
    command: ({ scannerLogs }) => logLines(scannerLogs, '30m', '{ $.level = "ERROR" }'),
    watch: (fanout, setting) => from(fanout.metricScannerErrors({ period: FIVE_MINUTES }), setting),
  },
  noCompletedRun: {
    id: 'NoCompletedRunAlarm',
    page: 'no-completed-run',
    severity: 'page',
    meaning: 'No run was completed when one was due: records are not found, or not handled',
    unit: 'periods of the schedule',
    source: '`RunsCompleted`, Sum',
    command: ({ scannerLogs }) => logLines(scannerLogs, '3h', '"scanner answers"'),
    watch: (fanout, _, { period, evaluationPeriods } = { period: 300, evaluationPeriods: 1 }) => ({
      metric: fanout.metricRunsCompleted({ period: Duration.seconds(period) }),
      threshold: 1,
      evaluationPeriods,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      // What does not run says nothing.
      treatMissingData: TreatMissingData.BREACHING,
    }),
  },
  runStalled: {
    id: 'RunStalledAlarm',
    page: 'run-stalled',
    severity: 'ticket',
    meaning: 'A run does not come to its end',
    unit: 'seconds',
    source: '`OldestRunAge`, Maximum',
    command: ({ stateTable, fanoutId }) =>
      `aws dynamodb query --table-name ${stateTable.tableName} --key-condition-expression 'pk = :open' --expression-attribute-values '{":open":{"S":"${fanoutId}#OPEN"}}' --max-items 20`,
    watch: (fanout, setting) => above(fanout.metricOldestRunAge({ period: THREE_WATCHES }), setting, 1),
  },
  runUnbalanced: {
    id: 'RunUnbalancedAlarm',
    page: 'run-unbalanced',
    severity: 'ticket',
    meaning: 'The books of a run do not balance: a record may be unaccounted for',
    unit: 'runs in 15 minutes',
    source: '`RunsUnbalanced`, Sum',
    command: ({ consumerLogs }) => logLines(consumerLogs, '1h', '"do not balance"'),
    watch: (fanout, setting) => from(fanout.metric('RunsUnbalanced', { period: THREE_WATCHES }), setting),
  },
  failureQueue: {
    id: 'FailureQueueAlarm',
    page: 'failure-queue',
    severity: 'ticket',
    meaning: 'Ticks could not be delivered, or the scanner failed on all tries',
    unit: 'messages',
    source: '`ApproximateNumberOfMessagesVisible` of the failure queue, Maximum',
    command: ({ failureQueue }) => receiveAll(failureQueue),
    watch: ({ failureQueue }, setting) => watchMessages(failureQueue, setting),
  },
  inFlightLimit: {
    id: 'InFlightLimitAlarm',
    page: 'in-flight-limit',
    severity: 'page',
    meaning: 'So many messages are in flight that SQS will soon give out none',
    unit: 'messages',
    source: '`ApproximateNumberOfMessagesNotVisible` of the queue, Maximum',
    command: ({ queue }) => queueAttributes(queue.queueUrl),
    watch: ({ queue }, setting) =>
      from(queue.metricApproximateNumberOfMessagesNotVisible({ period: FIVE_MINUTES, statistic: 'Maximum' }), setting),
  },
};
