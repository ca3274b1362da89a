import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** What a fanout has together with others: a `CronFanoutShared`, or some parts. What is absent, each fanout makes for itself. */
export interface SharedParts {
  /** Table for lock and ledger. */
  readonly stateTable?: ITable;
  /** Standard queue for ticks that could not be delivered and for invocations of scanners that failed. */
  readonly failureQueue?: IQueue;
  /** Alarm on `failureQueue`; with it, a fanout makes none of its own. */
  readonly failureQueueAlarm?: IAlarm;
  /** Group for the schedules. */
  readonly scheduleGroup?: IScheduleGroup;
  /** Topic for alarms of both severities, where no actions are given. */
  readonly alarmTopic?: ITopic;
}
