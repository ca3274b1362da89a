import type { RemovalPolicy } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { BOUNDS } from './bounds';
import { ALARMS, receiveAll, watchMessages } from './observability/alarm-table';
import { runbookUrl } from './observability/alarms';
import { createAlarmTopic } from './parts/alarm-topic';
import { keyBehind } from './parts/encryption';
import { createFailureQueue } from './parts/queues';
import { createScheduleGroup } from './parts/schedules';
import { createStateTable } from './parts/state-table';
import { requireStandard, unknownType } from './queue-checks';
import type { SharedParts } from './shared-parts';
import { attachWarnings } from './warnings';

/** Properties of a `CronFanoutShared`. */
export interface CronFanoutSharedProps {
  /**
   * Table for lock and ledger of all fanouts: string keys `pk` and `sk`, time to live in `expiresAt`.
   *
   * @default - a table of its own, on demand
   */
  readonly stateTable?: ITable;
  /**
   * Standard queue for ticks that could not be delivered and for invocations of scanners that failed.
   *
   * @default - a queue of its own that keeps them for 14 days
   */
  readonly failureQueue?: IQueue;
  /**
   * Schedule group for the schedules.
   *
   * @default - a group of its own, deleted with it
   */
  readonly scheduleGroup?: IScheduleGroup;
  /**
   * Topic that alarms are sent to, pages and tickets alike. CloudWatch must be allowed to publish to it, and to use its key.
   *
   * @default - a topic of its own; subscribe to it
   */
  readonly alarmTopic?: ITopic;
  /**
   * Key that encrypts table, queue and topic; CloudWatch is allowed to use it for alarms. The fanouts are given theirs by their own `encryptionKey`.
   *
   * @default - keys that AWS owns; the topic is not encrypted
   */
  readonly encryptionKey?: IKey;
  /**
   * Point-in-time recovery of the state table.
   *
   * @default false
   */
  readonly pointInTimeRecovery?: boolean;
  /**
   * What becomes of table and queue when they are removed from the stack. RETAIN, DESTROY or RETAIN_ON_UPDATE_OR_DELETE.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Where the runbooks of the alarms are, as for a fanout.
   *
   * @default 'https://unpkg.com/cron-fanout/docs/runbooks'
   */
  readonly runbookUrl?: string;
}

/**
 * What several fanouts have together: state table, failure queue with its alarm, schedule group and alarm topic. A fanout that is given it as `shared` makes five resources less. It may stand in
 * another stack than the fanouts, which then depend on it, never the other way round.
 *
 * @example
 * const shared = new CronFanoutShared(this, 'Shared');
 * shared.alarmTopic.addSubscription(new EmailSubscription('team@example.com'));
 * new CronFanout(this, 'Reminders', { shared, entry, schedule });
 */
export class CronFanoutShared extends Construct implements SharedParts {
  /** The table with lock and ledger; each fanout can only touch its own items. */
  readonly stateTable: ITable;
  /** The standard queue with ticks that could not be delivered and invocations of scanners that failed. */
  readonly failureQueue: IQueue;
  /** Watches the failure queue for all fanouts. */
  readonly failureQueueAlarm: Alarm;
  /** The group of all schedules. */
  readonly scheduleGroup: IScheduleGroup;
  /** The topic that alarms are sent to. */
  readonly alarmTopic: ITopic;

  /** @throws CronFanoutError `UnfitStateTable`, `StandardQueueRequired`, `ConflictingOptions`, `KeyRequired`, `UnsupportedRemovalPolicy` or `InvalidRunbookUrl` */
  constructor(scope: Construct, id: string, props: CronFanoutSharedProps = {}) {
    super(scope, id);
    const key = props.encryptionKey === undefined ? undefined : keyBehind(props.encryptionKey);
    const storage = key === undefined ? props : { ...props, encryptionKey: key };
    if (props.failureQueue !== undefined) {
      requireStandard('failureQueue', props.failureQueue);
      attachWarnings(this, unknownType(props.failureQueue));
    }
    this.stateTable = createStateTable(this, storage);
    this.failureQueue = createFailureQueue(this, storage);
    this.scheduleGroup = props.scheduleGroup ?? createScheduleGroup(this);
    this.alarmTopic = props.alarmTopic ?? createAlarmTopic(this, key);
    this.failureQueueAlarm = this.createAlarm(runbookUrl(props.runbookUrl));
  }

  private createAlarm(runbooks: string): Alarm {
    const { id, meaning, page, severity } = ALARMS.failureQueue;
    const alarm = new Alarm(this, id, {
      ...watchMessages(this.failureQueue, { threshold: BOUNDS['alarms.failureQueue.threshold'].default }),
      alarmDescription: `${meaning}. [${severity}; fanouts that share ${this.node.path}] First: ${receiveAll(this.failureQueue)} Runbook: ${runbooks}/${page}.md`,
    });
    alarm.addAlarmAction(new SnsAction(this.alarmTopic));
    return alarm;
  }
}
