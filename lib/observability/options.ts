import type { Duration } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { LogKeys } from './log-keys';
import type { AlarmSeverity } from './severity';

/** What every alarm can be told. */
export interface AlarmOptions {
  /**
   * Whether there is such an alarm.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * How urgent it is.
   *
   * @default - the alarm's own, see the table of alarms in the README
   */
  readonly severity?: AlarmSeverity;
}

/** An alarm that counts. */
export interface CountAlarmOptions extends AlarmOptions {
  /**
   * From how many on it is raised.
   *
   * @default - the alarm's own
   */
  readonly threshold?: number;
}

/** An alarm on an age. */
export interface AgeAlarmOptions extends AlarmOptions {
  /**
   * Age above which it is raised; a whole number of seconds.
   *
   * @default - the alarm's own
   */
  readonly threshold?: Duration;
}

/** The alarms of a fanout, by name. */
export interface FanoutAlarmsOptions {
  /**
   * What all alarms are told; what one of them is told of its own wins.
   *
   * @default - each alarm has its own
   */
  readonly all?: AlarmOptions;
  /**
   * Records died in the last five minutes, older dead records or not. The threshold is 1 to 1000000 deaths.
   *
   * @default 1, as a ticket
   */
  readonly deadRecords?: CountAlarmOptions;
  /**
   * The oldest message has waited too long. The threshold is 1 minute to 14 days.
   *
   * @default Duration.hours(1), or what the retries of a record can take where that is longer; as a page
   */
  readonly oldestMessage?: AgeAlarmOptions;
  /**
   * Invocations of the scanner failed in the last five minutes. The threshold is 1 to 1000000 errors.
   *
   * @default 1, as a ticket
   */
  readonly scannerErrors?: CountAlarmOptions;
  /**
   * No run was completed in so many periods of the schedule, the longest one counted once. The threshold is 1 to 1000 periods; CloudWatch looks back at most seven days. There is none where nothing
   * comes for certain: with `enabled: false`, an `end`, or a schedule that fires once.
   *
   * @default 2, in at least an hour; as a page
   */
  readonly noCompletedRun?: CountAlarmOptions;
  /**
   * The oldest run that is not complete is older. The threshold is 1 minute to 14 days.
   *
   * @default Duration.hours(6), or twice what the retries of a record can take where that is longer; as a ticket
   */
  readonly runStalled?: AgeAlarmOptions;
  /**
   * The books of a run that is complete do not balance. The threshold is 1 to 1000000 runs.
   *
   * @default 1, as a ticket
   */
  readonly runUnbalanced?: CountAlarmOptions;
  /**
   * There are ticks or invocations in `failureQueue`. The threshold is 1 to 1000000 messages.
   *
   * @default 1, as a ticket
   */
  readonly failureQueue?: CountAlarmOptions;
  /**
   * So many messages are in flight that SQS, which stops at 120000, will soon give out none. The threshold is 1 to 120000 messages.
   *
   * @default 96000, as a page
   */
  readonly inFlightLimit?: CountAlarmOptions;
}

/** Who a fanout belongs to, and who is told what of it. */
export interface ObservabilityOptions {
  /**
   * Team that owns the fanout: a tag of all its resources, a dimension of its metrics, and in the text of its alarms. 1 to 255 letters, digits, spaces and `_ . : / = + - @`, as for the value of a tag.
   *
   * @default - no owner
   */
  readonly owner?: string;
  /**
   * Service that the fanout is a part of; likewise.
   *
   * @default - no service
   */
  readonly service?: string;
  /**
   * How much depends on it, in your company's words; likewise.
   *
   * @default - no tier
   */
  readonly tier?: string;
  /**
   * What an alarm of the severity PAGE does.
   *
   * @default - nothing
   */
  readonly pageActions?: readonly IAlarmAction[];
  /**
   * What an alarm of the severity TICKET does.
   *
   * @default - nothing
   */
  readonly ticketActions?: readonly IAlarmAction[];
  /**
   * The alarms, to be tuned or turned off one by one, or all of them: `{ all: { enabled: false } }`.
   *
   * @default - all of them
   */
  readonly alarms?: FanoutAlarmsOptions;
  /**
   * Where the runbooks of the alarms are: a URL, to which `/` and the name of a page are added, for example `/dead-records.md`. Copy docs/runbooks of this package to where your people look.
   *
   * @default 'https://unpkg.com/cron-fanout/docs/runbooks'
   */
  readonly runbookUrl?: string;
  /**
   * How the keys of records stand in the log lines of both functions.
   *
   * @default LogKeys.PLAIN
   */
  readonly logKeys?: LogKeys;
}
