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

const ALARMS = 'docs/decisions/0015-observability.md';

/** Things that are counted, from one on. */
const some = (unit: string): Bound & { readonly default: number } => ({
  min: 1,
  max: 1_000_000,
  unit,
  default: 1,
  source: ALARMS,
});
/** Ages that an alarm can wait for: from what a metric tells apart to the longest that a message is kept. */
const age = { min: MINUTE, max: SQS.retentionSeconds.max, unit: 'seconds', source: ALARMS } as const;

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
  // Any death is one too many: the record stays unhandled until somebody redrives it.
  'alarms.deadRecords.threshold': some('deaths in five minutes'),
  // An hour is longer than a deploy or a short outage of what is behind the handlers, and early enough in a retention of days.
  'alarms.oldestMessage.threshold': { ...age, default: HOUR },
  // A scanner in good health has none: what can be tried again is tried again within it.
  'alarms.scannerErrors.threshold': some('failed invocations in five minutes'),
  // Two: as long as runs take less than a period, two completions are never further apart.
  'alarms.noCompletedRun.threshold': {
    min: 1,
    max: 1000,
    unit: 'periods of the schedule',
    fractions: true,
    default: 2,
    source: ALARMS,
  },
  // Long enough for a million quick records, or for a night's outage to be worked off in the morning.
  'alarms.runStalled.threshold': { ...age, default: 6 * HOUR },
  // Never, unless this package is wrong or somebody has changed the table.
  'alarms.runUnbalanced.threshold': some('runs in fifteen minutes'),
  // What is in it was lost for good, if nobody looks.
  'alarms.failureQueue.threshold': some('messages'),
  // Four fifths of what SQS allows, so that there is time to act before it gives out none.
  'alarms.inFlightLimit.threshold': {
    min: 1,
    max: SQS.inFlight,
    unit: 'messages in flight',
    default: 0.8 * SQS.inFlight,
    source: ALARMS,
  },
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
  /** Part of the twelve hours that SQS hides a message for that the consumer leaves unused: they count from the receive, a little before the invocation. */
  receiveAllowance: MINUTE,
  /** Retries of a delivery of a tick by the Scheduler. */
  deliveryRetries: 3,
  /** Retries of an invocation of the scanner that failed; Lambda waits 1 and then 2 minutes. */
  scannerRetries: LAMBDA.asyncRetries.max,
  /** Shortest age at which an event for the scanner is given up, so that a retry fits in whatever the schedule is. */
  scannerEventAge: 5 * MINUTE,
  /** Shortest time without a completed run that the default alarm waits for: ticks every minute may wait behind a run that takes a while. */
  shortestCompletionGap: HOUR,
  /** What has to be left of the seven days that CloudWatch looks back, beside the longest time between two ticks: runs do not take the same time every time. */
  completionMargin: 12 * HOUR,
  /** Bytes of all environment variables of a function. */
  environmentBytes: LAMBDA.environmentBytes,
} as const;
