import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ApplicationLogLevel, Architecture, ILayerVersion, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IScheduleGroup, ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { BundlingOptions, JobCode } from './bundling';
import type { Deduplication } from './deduplication';
import type { ObservabilityOptions } from './observability/options';
import type { OverlapPolicy } from './overlap-policy';
import type { OverlapUntil } from './overlap-until';
import type { RetryPolicy } from './retry-policy';
import type { SerialFailure } from './serial-failure';
import type { SharedParts } from './shared-parts';

/** Policies of one job. */
export interface JobOptions {
  /**
   * How often the handler is called for a record, and how long it waits in between.
   *
   * @default RetryPolicy.exponential()
   */
  readonly retry?: RetryPolicy;
  /**
   * Time that a handler may take before its `signal` fires. 1 to 900 seconds, below `timeout`.
   *
   * @default - until shortly before the invocation's deadline
   */
  readonly handlerTimeout?: Duration;
  /**
   * Age of a run at which its records that have not started become `expired` instead of being handled. 1 second to 14 days.
   *
   * @default - records do not expire
   */
  readonly expiresAfter?: Duration;
  /**
   * When an eligible record is not enqueued because of a message that it has already.
   *
   * @default Deduplication.WHILE_IN_FLIGHT
   */
  readonly deduplication?: Deduplication;
  /**
   * Time for which a record that died is skipped, because it stays eligible in its own table and every tick would kill it again. 0 seconds (not at all)
   * to 14 days.
   *
   * @default Duration.hours(1)
   */
  readonly quarantine?: Duration;
  /**
   * Parts that the source is read in, side by side, up to four at once. 1 to 16. The source is told which by `segment`; `dynamoDbSource` turns it into a parallel scan. A key must always come
   * in the same part.
   *
   * @default 1
   */
  readonly segments?: number;
}

/** What starts a fanout, and when. */
export interface ScheduleOptions {
  /** When to look for eligible records: a cron, rate or at expression of EventBridge Scheduler, with its time zone. It is checked at synth time. */
  readonly schedule: ScheduleExpression;
  /**
   * Schedule group for the schedules.
   *
   * @default - a group of the fanout's own, deleted with it
   */
  readonly scheduleGroup?: IScheduleGroup;
  /**
   * Time within which the Scheduler may fire a tick, to spread load. 1 to 1440 minutes.
   *
   * @default TimeWindow.off()
   */
  readonly timeWindow?: TimeWindow;
  /**
   * When the schedule begins. A rate schedule counts from here.
   *
   * @default - when it is deployed; a rate schedule fires at once
   */
  readonly start?: Date;
  /**
   * When the schedule ends; after `start`.
   *
   * @default - it does not end
   */
  readonly end?: Date;
  /**
   * Whether the schedule fires. What is enqueued is still handled while it does not; ticks that are missed are not made up for.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Role that the Scheduler assumes. It is given what the schedules need; its trust policy is yours.
   *
   * @default - a role of the fanout's own, which only its schedule group can use
   */
  readonly scheduleRole?: IRole;
}

/** The two functions. */
export interface FunctionOptions {
  /**
   * Timeout of the consumer function: what the handlers of one batch may take. 10 to 900 seconds. The visibility timeout of the queue is six times
   * as long, and so is the time after which records of a crashed consumer are tried again.
   *
   * @default Duration.seconds(60)
   */
  readonly timeout?: Duration;
  /**
   * Timeout of the scanner function. 60 to 900 seconds. A scan that takes longer is continued by a further invocation.
   *
   * @default Duration.minutes(15)
   */
  readonly scannerTimeout?: Duration;
  /**
   * Memory of the consumer function, in MiB. 128 to 10240.
   *
   * @default 512
   */
  readonly memorySize?: number;
  /**
   * Memory of the scanner function, in MiB. 128 to 10240. It holds about 100 bytes for every record of a run.
   *
   * @default 512
   */
  readonly scannerMemorySize?: number;
  /**
   * Environment variables of both functions. Names that begin with `CRON_FANOUT_` and those that Lambda reserves are refused.
   *
   * @default - none but the fanout's own
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Secrets that jobs read by these names in `setup`: `secret('DB')`. Both functions may read them.
   *
   * @default - none
   */
  readonly secrets?: Readonly<Record<string, ISecret>>;
  /**
   * Runtime of both functions: Node.js 20 or newer.
   *
   * @default Runtime.NODEJS_24_X
   */
  readonly runtime?: Runtime;
  /**
   * Architecture of both functions. ARM_64 costs less; it needs layers and native modules that are built for it.
   *
   * @default Architecture.X86_64
   */
  readonly architecture?: Architecture;
  /**
   * Layers of both functions.
   *
   * @default - none
   */
  readonly layers?: ILayerVersion[];
  /**
   * VPC of both functions, for example to reach a database. Subnets without egress need endpoints for SQS, DynamoDB and Lambda, and for Secrets Manager with `secrets`.
   *
   * @default - not in a VPC
   */
  readonly vpc?: IVpc;
  /**
   * Subnets of `vpc`.
   *
   * @default - the private subnets with egress
   */
  readonly vpcSubnets?: SubnetSelection;
  /**
   * Security groups of both functions in `vpc`.
   *
   * @default - one of its own for each function, with all outbound traffic allowed
   */
  readonly securityGroups?: ISecurityGroup[];
  /**
   * X-Ray traces of both functions. The trace context is passed on in messages either way.
   *
   * @default Tracing.DISABLED
   */
  readonly tracing?: Tracing;
  /**
   * Reserved concurrency of the consumer function; not below the invocations at once that `maxConcurrency` leads to, since messages that are throttled
   * use up their receives.
   *
   * @default - none; `maxConcurrency` limits the handlers without it
   */
  readonly reservedConcurrentExecutions?: number;
  /**
   * Role of the scanner function. It is given what the function needs.
   *
   * @default - a role of its own, without managed policies
   */
  readonly scannerRole?: IRole;
  /**
   * Role of the consumer function. It is given what the function needs.
   *
   * @default - a role of its own, without managed policies
   */
  readonly consumerRole?: IRole;
  /**
   * How long the logs of both functions are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * Lowest level that both functions log.
   *
   * @default ApplicationLogLevel.INFO
   */
  readonly logLevel?: ApplicationLogLevel;
}

/** Queues, table and key. */
export interface StorageOptions {
  /**
   * FIFO queue for the messages; one queue belongs to one fanout. It needs a visibility timeout of six times `timeout`, and a FIFO dead-letter queue.
   *
   * @default - a queue of the fanout's own
   */
  readonly queue?: IQueue;
  /**
   * FIFO queue for dead records.
   *
   * @default - that of `queue`, or else a queue of the fanout's own that keeps them for 14 days
   */
  readonly deadLetterQueue?: IQueue;
  /**
   * Standard queue for ticks that could not be delivered and for invocations of the scanner that failed. It can be shared by fanouts.
   *
   * @default - a queue of the fanout's own that keeps them for 14 days
   */
  readonly failureQueue?: IQueue;
  /**
   * Table for lock and ledger: string keys `pk` and `sk`, time to live in `expiresAt`. It can be shared by fanouts; each can only touch its own items.
   *
   * @default - a table of the fanout's own, on demand
   */
  readonly stateTable?: ITable;
  /**
   * Key that encrypts queues, table, logs, schedules and the environment of the functions. Those that are brought keep their own. The policy of a key that is imported can't be changed
   * from here: a warning says what its owner must add.
   *
   * @default - keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /**
   * How long a message stays in the queue when it is not handled. 1 hour to 14 days.
   *
   * @default Duration.days(4)
   */
  readonly queueRetention?: Duration;
  /**
   * Point-in-time recovery of the state table.
   *
   * @default false
   */
  readonly pointInTimeRecovery?: boolean;
  /**
   * What becomes of state table, queues and logs when they are removed from the stack. RETAIN, DESTROY or RETAIN_ON_UPDATE_OR_DELETE.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** Properties of a `CronFanout`. */
export interface CronFanoutProps
  extends JobOptions, ScheduleOptions, FunctionOptions, StorageOptions, ObservabilityOptions {
  /**
   * Absolute path of the job module: a TypeScript or JavaScript file that exports what `defineJob` returns. A relative path is resolved from the working
   * directory.
   *
   * @default - `code` is required
   */
  readonly entry?: string;
  /**
   * Job modules that were built already, instead of `entry`.
   *
   * @default - `entry` is bundled
   */
  readonly code?: JobCode;
  /**
   * How the job module is bundled.
   *
   * @default - see BundlingOptions
   */
  readonly bundling?: BundlingOptions;
  /**
   * Handlers at once. 1 to 10000. The event source mapping works in steps, so that the number that is had can be a little below: it is
   * `effectiveConcurrency`. With 1, all records are handled one after another, in the order of the source.
   *
   * @default 20
   */
  readonly maxConcurrency?: number;
  /**
   * What it has together with other fanouts: state table, failure queue, schedule group and the topic for alarms. An option that gives one of these wins.
   *
   * @default - nothing is shared
   */
  readonly shared?: SharedParts;
  /**
   * What becomes of a tick that finds another run on.
   *
   * @default OverlapPolicy.SKIP
   */
  readonly overlap?: OverlapPolicy;
  /**
   * Until when a run is on for `overlap`.
   *
   * @default OverlapUntil.SCANNED
   */
  readonly overlapUntil?: OverlapUntil;
  /**
   * With `maxConcurrency: 1`: whether a failing record holds back those behind it.
   *
   * @default SerialFailure.BLOCK
   */
  readonly serialFailure?: SerialFailure;
  /**
   * Policies by job type, for the jobs that need others than the fanout's.
   *
   * @default - all jobs have those of the fanout
   */
  readonly jobs?: Readonly<Record<string, JobOptions>>;
}
