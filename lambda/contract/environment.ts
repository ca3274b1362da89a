import type { FanoutLabels } from './metrics';

/** Names of the environment variables that the construct sets and the runtime reads. Public contract. */
export const ENVIRONMENT = {
  /** `fanoutId`. */
  fanoutId: 'CRON_FANOUT_ID',
  /** Name of the state table. */
  stateTable: 'CRON_FANOUT_STATE_TABLE',
  /** URL of the FIFO work queue. */
  queueUrl: 'CRON_FANOUT_QUEUE_URL',
  /** URL of the FIFO dead-letter queue (consumer only). */
  deadLetterQueueUrl: 'CRON_FANOUT_DEAD_LETTER_QUEUE_URL',
  /** {@link FanoutConfiguration} as JSON. */
  configuration: 'CRON_FANOUT_CONFIGURATION',
  /** JSON object: name of a secret as the job calls it, to its ARN. */
  secrets: 'CRON_FANOUT_SECRETS',
} as const;

/** How long to wait before each retry. All delays are in seconds. */
export type RetryDelays =
  | { readonly kind: 'exponential'; readonly initial: number; readonly factor: number; readonly max: number }
  | { readonly kind: 'linear'; readonly initial: number; readonly step: number; readonly max: number }
  | { readonly kind: 'fixed'; readonly delay: number }
  | { readonly kind: 'list'; readonly delays: readonly number[] };

/** A retry policy, as data. */
export interface RetryConfiguration {
  /** Calls of the handler before a record is dead, the first one included. */
  readonly maxAttempts: number;
  readonly delays: RetryDelays;
  /** Part of a delay that is random, 0 (none) to 1 (all of it): `delay * (1 - jitter * random)`. */
  readonly jitter: number;
}

/** Numbers and policies of one job. */
export interface JobConfiguration {
  readonly retry: RetryConfiguration;
  /** Seconds that a handler may take before its `signal` fires; absent: until shortly before the invocation's deadline. */
  readonly handlerTimeout?: number;
  /** Seconds after the start of its run when a record that has not started becomes `expired`; absent: never. */
  readonly expiresAfter?: number;
  /** `whileInFlight`: a record whose earlier message is unsettled, in whatever run, is skipped. `perRun`: only a key that comes twice in a run is. */
  readonly deduplication: 'whileInFlight' | 'perRun';
  /** Seconds that the key of a dead record is skipped. 0: not at all. */
  readonly quarantine: number;
  /** Segments that the source is read in, side by side; absent: 1. Frozen into a run. */
  readonly segments?: number;
}

/** What becomes of a tick that finds another run on. */
export type OverlapName = 'skip' | 'queueOne' | 'cancelRunning';

/** Until when a run is on for the overlap policy: until its scan is over, or until every record of it is settled. */
export type OverlapUntilName = 'scanned' | 'completed';

/** How the keys of records stand in log lines. */
export type LogKeysName = 'plain' | 'hashed';

/** Everything that the construct decides and the runtime needs, the same for scanner and consumer. */
export interface FanoutConfiguration {
  /** `group`: the SQS group is the record's group. `single`: every message goes to one SQS group (`maxConcurrency: 1`). Frozen into a run. */
  readonly lanes: 'group' | 'single';
  /** With `lanes: 'single'`: does a failing head hold back the rest of the fanout? */
  readonly serialFailure: 'block' | 'deadLetterAndContinue';
  /** Visibility timeout of the work queue, in seconds. */
  readonly visibilityTimeout: number;
  /** `maxReceiveCount` of the work queue. */
  readonly maxReceiveCount: number;
  /** Retention of the work queue, in seconds. */
  readonly queueRetention: number;
  /** Seconds that runs, pages and dead records stay in the ledger; at least queue + DLQ retention + 1 day. */
  readonly ledgerRetention: number;
  /** Records of one page. */
  readonly pageSize: number;
  /** Lease of the orchestration lock, in seconds. */
  readonly lease: number;
  /**
   * What becomes of a tick that finds another run on; absent: `skip`. `queueOne`: the newest such tick runs right after. `cancelRunning`: the run stops at its next page, and the
   * tick runs.
   */
  readonly overlap?: OverlapName;
  /** Until when a run is on for `overlap`; absent: `scanned`. */
  readonly overlapUntil?: OverlapUntilName;
  /** Who the fanout belongs to; absent: nobody was named. */
  readonly labels?: FanoutLabels;
  /** How the keys of records stand in log lines; absent: as they are. */
  readonly logKeys?: LogKeysName;
  /** Policies of every job that `jobs` does not name. */
  readonly defaults: JobConfiguration;
  /** Overrides by `jobType`. */
  readonly jobs: Readonly<Record<string, Partial<JobConfiguration>>>;
}

/** Policies of a job: the fanout's defaults with the overrides of its `jobType`. */
export function jobConfiguration(configuration: FanoutConfiguration, jobType: string): JobConfiguration {
  const overrides = Object.hasOwn(configuration.jobs, jobType) ? configuration.jobs[jobType] : undefined;
  return { ...configuration.defaults, ...overrides };
}
