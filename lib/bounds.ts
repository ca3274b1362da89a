import { LAMBDA, SCHEDULER, SQS } from '../lambda/contract';

/** Allowed range of a number, and what it is when it is not given. */
export interface Bound {
  /** Smallest allowed value. */
  readonly min: number;
  /** Largest allowed value. */
  readonly max: number;
  /** Unit of the value, as a message names it. */
  readonly unit: string;
  /** Whether fractions are allowed. */
  readonly fractions?: true;
  /** Value of an option that is not given; absent where there is none, or where it is derived. */
  readonly default?: number;
  /** Where the range comes from. */
  readonly source: string;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Source of a range that is ours to choose. */
const OURS = 'docs/decisions/0003-construct-shape.md';
const LAMBDA_LIMITS = 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html';
const VISIBILITY =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html';

/** Longest delay before a retry, in seconds: a message can be hidden for 12 hours, counted from when it was received. */
const delay = { min: 0, max: SQS.visibilitySeconds, unit: 'seconds', source: VISIBILITY } as const;

/**
 * Range and default of every number that a user gives. The checks, their messages, the option table of the documentation and the boundary tests
 * all read this table, so that they cannot drift apart. Keys are the paths of the options; durations are in seconds.
 */
export const BOUNDS = {
  maxConcurrency: {
    min: 1,
    max: LAMBDA.mappingBatch.max * LAMBDA.mappingConcurrency.max,
    unit: 'handlers at once',
    default: 20,
    source: 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html',
  },
  reservedConcurrentExecutions: { min: 1, max: 1_000_000, unit: 'executions', source: LAMBDA_LIMITS },
  timeout: { min: 10, max: LAMBDA.timeoutSeconds, unit: 'seconds', default: MINUTE, source: LAMBDA_LIMITS },
  scannerTimeout: {
    min: MINUTE,
    max: LAMBDA.timeoutSeconds,
    unit: 'seconds',
    default: LAMBDA.timeoutSeconds,
    source: LAMBDA_LIMITS,
  },
  memorySize: { ...LAMBDA.memoryMebibytes, unit: 'MiB', default: 512, source: LAMBDA_LIMITS },
  scannerMemorySize: { ...LAMBDA.memoryMebibytes, unit: 'MiB', default: 512, source: LAMBDA_LIMITS },
  handlerTimeout: { min: 1, max: LAMBDA.timeoutSeconds, unit: 'seconds', source: LAMBDA_LIMITS },
  expiresAfter: { min: 1, max: SQS.retentionSeconds.max, unit: 'seconds', source: OURS },
  quarantine: { min: 0, max: SQS.retentionSeconds.max, unit: 'seconds', default: HOUR, source: OURS },
  segments: { min: 1, max: 16, unit: 'segments', default: 1, source: OURS },
  queueRetention: {
    min: HOUR,
    max: SQS.retentionSeconds.max,
    unit: 'seconds',
    default: 4 * DAY,
    source: 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html',
  },
  timeWindow: {
    min: SCHEDULER.flexibleWindowMinutes.min * MINUTE,
    max: SCHEDULER.flexibleWindowMinutes.max * MINUTE,
    unit: 'seconds',
    source: 'https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-flexible-time-windows.html',
  },
  'retry.maxAttempts': { min: 1, max: 100, unit: 'calls of the handler', default: 5, source: OURS },
  'retry.initialDelay': { ...delay, default: 10 },
  'retry.maxDelay': { ...delay, default: 15 * MINUTE },
  'retry.step': { ...delay, default: 30 },
  'retry.delay': { ...delay, default: 30 },
  'retry.factor': { min: 1, max: 10, unit: 'times the delay before', fractions: true, default: 2, source: OURS },
  'retry.jitter': { min: 0, max: 1, unit: 'of the delay', fractions: true, default: 0.5, source: OURS },
} as const satisfies Record<string, Bound>;

/** Path of an option that is a number or a duration. */
export type BoundedOption = keyof typeof BOUNDS;

/** Numbers that are not a user's choice. Durations are in seconds. */
export const FIXED = {
  /** Visibility timeout of the queue, as a multiple of the consumer's timeout. @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
  visibilityFactor: 6,
  /** Receives per attempt that a message may spend behind failing messages of its group: a batch holds ten. */
  receivesPerAttempt: SQS.batchEntries,
  /** Receives that a message may spend waiting for a rate limit or an open breaker, beside its attempts. */
  deferralBudget: 500,
  /** Retention of the dead-letter queue and of the failure queue: the longest that SQS has. */
  deadLetterRetention: SQS.retentionSeconds.max,
  /** What the ledger keeps longer than queue and dead-letter queue can hold a message. */
  ledgerMargin: DAY,
  /** Lease of the orchestration lock; renewed by page and by timer. */
  lease: MINUTE,
  /** Records of one page. */
  pageSize: 250,
  /** Time between two calls of the watchdog, and the longest time between two ticks that need none. */
  watchdogInterval: 5 * MINUTE,
  /** Retries of a delivery of a tick by the Scheduler. */
  deliveryRetries: 3,
  /** Retries of an invocation of the scanner that failed; Lambda waits 1 and then 2 minutes. */
  scannerRetries: LAMBDA.asyncRetries.max,
  /** Shortest age at which an event for the scanner is given up, so that a retry fits in whatever the schedule is. */
  scannerEventAge: 5 * MINUTE,
  /** Bytes of all environment variables of a function. */
  environmentBytes: LAMBDA.environmentBytes,
} as const;
