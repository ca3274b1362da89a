import { Annotations, Stack } from 'aws-cdk-lib';
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Connections } from 'aws-cdk-lib/aws-ec2';
import type { IConnectable } from 'aws-cdk-lib/aws-ec2';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { IScheduleGroup, Schedule } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { FanoutLabels } from '../lambda/contract';
import { ImportedFanout } from './attributes';
import type { CronFanoutAttributes, ICronFanout } from './attributes';
import { bundleJobs, checkJobOptions } from './bundling';
import { synthesisErrors } from './synthesis-checks';
import { withDefaults } from './defaults';
import { watchEndpoints } from './endpoints';
import { fanoutId } from './fanout-id';
import { functionConfiguration } from './function-configuration';
import { readSource } from './job-source';
import type { FanoutAlarms } from './observability/alarm-settings';
import { createAlarms } from './observability/alarms';
import { fanoutWidgets } from './observability/dashboard-widgets';
import { tag } from './observability/labels';
import { ObservedFanout } from './observability/observed-fanout';
import { createConsumer } from './parts/consumer';
import type { Consumer } from './parts/consumer';
import { withKey } from './parts/encryption';
import { createFailureQueue, createWorkQueues } from './parts/queues';
import { createScanner } from './parts/scanner';
import { createSchedules } from './parts/schedules';
import { createStateTable } from './parts/state-table';
import type { CronFanoutProps } from './props';
import { claimQueue } from './queue-owners';
import { readSettings } from './settings';
import { withShared } from './shared-options';
import { attachWarnings } from './warnings';

const BRAND = Symbol.for('cron-fanout.CronFanout');

/**
 * Every N minutes, finds the records that are due and handles each one: a schedule calls the scanner, which enqueues a message per record
 * on a FIFO queue, from which the consumer handles them; what fails for good ends in a dead-letter queue, with its cause.
 *
 * Ids of the construct and of its children are part of its public contract: they make the logical ids of queues and table.
 *
 * @example
 * new CronFanout(this, 'BookingReminders', {
 *   entry: join(__dirname, '../jobs/booking-reminders.ts'),
 *   schedule: ScheduleExpression.rate(Duration.minutes(5)),
 * });
 */
export class CronFanout extends ObservedFanout implements ICronFanout, IConnectable {
  /** Whether a value is a `CronFanout`, made by whichever copy of this package. */
  static isCronFanout(value: unknown): value is CronFanout {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  /**
   * A fanout that another app deploys, to grant, read and watch it here. In the same app pass the fanout itself, also to another stack.
   *
   * @throws CronFanoutError `InvalidLabel`; `AttributeMissing` when something is used that was not given
   */
  static fromCronFanoutAttributes(scope: Construct, id: string, attributes: CronFanoutAttributes): ICronFanout {
    return new ImportedFanout(scope, id, attributes);
  }

  /** Identifies the fanout in its state table, messages and metrics: stack name and construct path, shortened by hash. */
  readonly fanoutId: string;
  /** Handlers at once that the event source mapping allows: `maxConcurrency`, or the nearest below it that can be had. */
  readonly effectiveConcurrency: number;
  /** The schedule of the ticks. */
  readonly schedule: Schedule;
  /** The schedule of the watchdog; `undefined` where the ticks come often enough to do its work. */
  readonly watchdog: Schedule | undefined;
  /** The group of both schedules; the metrics of the Scheduler are by group. */
  readonly scheduleGroup: IScheduleGroup;
  /** Finds the records that are due. Grant it what the sources of the jobs read. */
  readonly scanner: Function;
  /** Handles the records. Grant it what the handlers of the jobs do. */
  readonly consumer: Function;
  /** The FIFO queue between the two. */
  readonly queue: IQueue;
  /** The FIFO queue with the dead records. */
  readonly deadLetterQueue: IQueue;
  /** The standard queue with ticks that could not be delivered and invocations of the scanner that failed. */
  readonly failureQueue: IQueue;
  /** The table with lock and ledger. */
  readonly stateTable: ITable;
  readonly labels: FanoutLabels;
  readonly alarms: FanoutAlarms;

  /**
   * @throws CronFanoutError when an option is out of its range, contradicts another one, or is not fit for the service; the message names the option, what was
   * received, what is allowed, and the change to make
   */
  constructor(scope: Construct, id: string, props: CronFanoutProps) {
    super(scope, id);
    Object.defineProperty(this, BRAND, { value: true });
    props = withKey(this, withShared(withDefaults(this, props)));
    const source = readSource(props);
    const settings = readSettings(props);
    attachWarnings(this, settings.warnings);
    watchEndpoints(this, props);
    const bundle = bundleJobs(this, source, props.bundling);
    checkJobOptions(props.jobs ?? {}, bundle.jobTypes);
    this.fanoutId = fanoutIdOf(this);
    this.effectiveConcurrency = settings.concurrency.effective;
    reportConcurrency(this, props.maxConcurrency);

    this.stateTable = createStateTable(this, props);
    this.failureQueue = createFailureQueue(this, props);
    const queues = createWorkQueues(this, props, settings);
    claimQueue(this, 'queue', queues.queue);
    claimQueue(this, 'deadLetterQueue', queues.deadLetterQueue);
    this.queue = queues.queue;
    this.deadLetterQueue = queues.deadLetterQueue;
    const shared = {
      fanoutId: this.fanoutId,
      handler: bundle.handler,
      configuration: functionConfiguration(this, settings.configuration, this.queue),
      stateTable: this.stateTable,
    };
    const consumer = createConsumer(this, props, settings, { ...shared, ...queues, code: bundle.consumer });
    const scanner = createScanner(this, props, settings, {
      ...shared,
      code: bundle.scanner,
      queue: this.queue,
      failureQueue: this.failureQueue,
    });
    this.consumer = consumer.function;
    this.scanner = scanner.function;
    updateFirst(consumer, this.scanner);
    const { schedule, watchdog, scheduleGroup } = createSchedules(this, props, settings.schedule, {
      fanoutId: this.fanoutId,
      scanner: this.scanner,
      failureQueue: this.failureQueue,
      after: [this.scanner, scanner.continuation, consumer.mapping],
    });
    this.schedule = schedule;
    this.watchdog = watchdog;
    this.scheduleGroup = scheduleGroup;
    this.labels = settings.configuration.labels ?? {};
    this.alarms = createAlarms(this, props, settings.alarms);
    tag(this, this.labels);
    this.node.addValidation({ validate: () => synthesisErrors(this, settings) });
  }

  get scannerLogs(): string {
    return this.scanner.logGroup.logGroupName;
  }

  get consumerLogs(): string {
    return this.consumer.logGroup.logGroupName;
  }

  /** Adds one screen about this fanout to a dashboard. */
  addToDashboard(dashboard: Dashboard): void {
    dashboard.addWidgets(...fanoutWidgets(this));
  }

  /** The network of both functions, to open a database to them; only with `vpc`. */
  get connections(): Connections {
    const groups = [this.scanner, this.consumer].flatMap((made) => made.connections.securityGroups);
    return new Connections({ securityGroups: [...new Set(groups)] });
  }
}

/** Says at synth time when the number of handlers at once is not quite the one that was asked for. */
function reportConcurrency(fanout: CronFanout, asked = fanout.effectiveConcurrency): void {
  if (fanout.effectiveConcurrency !== asked) {
    Annotations.of(fanout).addInfoV2(
      'cron-fanout:effectiveConcurrency',
      `maxConcurrency ${asked} gives ${fanout.effectiveConcurrency} handlers at once: batch size times concurrency of the event source mapping, never above it`,
    );
  }
}

/** The `fanoutId` of a construct: its place below the outermost stack, whose name is known at synth time. */
function fanoutIdOf(scope: Construct): string {
  let root = Stack.of(scope);
  while (root.nestedStackParent !== undefined) {
    root = root.nestedStackParent;
  }
  const below = scope.node.scopes.slice(root.node.scopes.length);
  return fanoutId(
    root.stackName,
    below.map(({ node }) => node.id),
  );
}

/**
 * Lets a deploy update the consumer before the scanner, so that a new scanner's messages meet a consumer that understands them. The two resources alone: what
 * users add below either of them stays free.
 */
function updateFirst(consumer: Consumer, scanner: Function): void {
  const { defaultChild } = scanner.node;
  for (const { node } of [consumer.function, consumer.mapping]) {
    if (defaultChild !== undefined && node.defaultChild !== undefined) {
      defaultChild.node.addDependency(node.defaultChild);
    }
  }
}
