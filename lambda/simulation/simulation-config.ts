import { CronFanoutError, deriveConcurrency, SQS } from '../contract';
import type { Concurrency, FanoutConfiguration, JobConfiguration, OverlapName, OverlapUntilName } from '../contract';
import { checkMembers, checkedName, checkedNumber } from './option-checks';
import type { BoundedName } from './option-checks';
import { readRetry } from './simulated-retry';
import type { SimulatedRetry } from './simulated-retry';
import { DERIVED, POLICY_BOUNDS } from './simulation-bounds';

/** Policies of one job in a simulation: those of `JobOptions` of the construct as plain data. Durations are in seconds. */
export interface SimulatedJobOptions {
  /**
   * How often the handler is called for a record, and how long it waits in between.
   *
   * @default - 5 attempts, 10 seconds doubling up to 15 minutes, half of it random
   */
  readonly retry?: SimulatedRetry;
  /**
   * Seconds that a handler may take before its `signal` fires. 1 to 900, below `timeout`.
   *
   * @default - until shortly before the invocation's deadline
   */
  readonly handlerTimeout?: number;
  /**
   * Seconds after the start of its run at which a record that has not started becomes `expired`. 1 to 1209600.
   *
   * @default - records do not expire
   */
  readonly expiresAfter?: number;
  /**
   * When an eligible record is not enqueued because of a message that it has already.
   *
   * @default 'whileInFlight'
   */
  readonly deduplication?: 'whileInFlight' | 'perRun';
  /**
   * Seconds for which a record that died is skipped. 0 (not at all) to 1209600.
   *
   * @default 3600
   */
  readonly quarantine?: number;
  /**
   * Parts that the source is read in, side by side. 1 to 16.
   *
   * @default 1
   */
  readonly segments?: number;
}

/** Policies of a simulated fanout: those of `CronFanoutProps` as plain data, with the same ranges and defaults. Durations are in seconds. */
export interface SimulatedFanoutOptions extends SimulatedJobOptions {
  /**
   * Handlers at once. 1 to 10000. With 1, all records are handled one after another.
   *
   * @default 20
   */
  readonly maxConcurrency?: number;
  /**
   * Seconds that the handlers of one batch may take. 10 to 900.
   *
   * @default 60
   */
  readonly timeout?: number;
  /**
   * Seconds that an invocation of the scanner may take. 60 to 900.
   *
   * @default 900
   */
  readonly scannerTimeout?: number;
  /**
   * Seconds that a message stays in the queue when it is not handled. 3600 to 1209600.
   *
   * @default 345600
   */
  readonly queueRetention?: number;
  /**
   * What becomes of a tick that finds another run on.
   *
   * @default 'skip'
   */
  readonly overlap?: OverlapName;
  /**
   * Until when a run is on for `overlap`.
   *
   * @default 'scanned'
   */
  readonly overlapUntil?: OverlapUntilName;
  /**
   * With `maxConcurrency: 1`: whether a failing record holds back those behind it.
   *
   * @default 'block'
   */
  readonly serialFailure?: 'block' | 'deadLetterAndContinue';
  /**
   * Policies by job type, for the jobs that need others.
   *
   * @default - all jobs have those of the fanout
   */
  readonly jobs?: Readonly<Record<string, SimulatedJobOptions>>;
}

/** What a simulated fanout is made of. */
export interface SimulatedPolicies {
  readonly configuration: FanoutConfiguration;
  readonly concurrency: Concurrency;
  readonly timeout: number;
  readonly scannerTimeout: number;
}

/** Options of a job. */
export const JOB_MEMBERS = ['retry', 'handlerTimeout', 'expiresAfter', 'deduplication', 'quarantine', 'segments'];
const MEMBERS = [
  ...JOB_MEMBERS,
  'maxConcurrency',
  'timeout',
  'scannerTimeout',
  'queueRetention',
  'overlap',
  'overlapUntil',
  'serialFailure',
  'jobs',
];

/**
 * Reads the policies as the construct does.
 *
 * @param jobTypes of the jobs that are simulated
 * @throws CronFanoutError `OutOfRange`, `UnknownName`, `UnknownOption`, `InvalidOption`, `ConflictingOptions`, `UnknownJobType`
 */
export function readPolicies(
  config: SimulatedFanoutOptions,
  jobTypes: readonly string[],
  pageSize: number,
): SimulatedPolicies {
  checkMembers('config', config, MEMBERS);
  const numbered = (name: 'maxConcurrency' | 'timeout' | 'scannerTimeout' | 'queueRetention'): number =>
    config[name] === undefined ? POLICY_BOUNDS[name].default : checkedNumber(name, config[name], `config.${name}`);
  const timeout = numbered('timeout');
  const queueRetention = numbered('queueRetention');
  const concurrency = deriveConcurrency(numbered('maxConcurrency'));
  const serialFailure = readSerialFailure(config, concurrency);
  const jobs = readJobs(config, jobTypes, timeout);
  const own = readJob('config.', withoutOthers(config), timeout);
  const defaults: JobConfiguration = {
    retry: readRetry('config.retry', {}),
    deduplication: 'whileInFlight',
    quarantine: POLICY_BOUNDS.quarantine.default,
    ...own,
  };
  const attempts = [defaults, ...Object.values(jobs)].map(({ retry }) => retry?.maxAttempts ?? 0);
  return {
    concurrency,
    timeout,
    scannerTimeout: numbered('scannerTimeout'),
    configuration: {
      lanes: concurrency.lanes,
      serialFailure,
      visibilityTimeout: DERIVED.visibilityFactor * timeout,
      maxReceiveCount: Math.min(
        SQS.receiveCount.max,
        DERIVED.receivesPerAttempt * Math.max(...attempts) + DERIVED.deferralBudget,
      ),
      queueRetention,
      ledgerRetention: queueRetention + DERIVED.deadLetterRetention + DERIVED.ledgerMargin,
      pageSize,
      lease: DERIVED.lease,
      overlap: checkedName('config.overlap', config.overlap ?? 'skip', ['skip', 'queueOne', 'cancelRunning']),
      ...(config.overlapUntil !== undefined && {
        overlapUntil: checkedName('config.overlapUntil', config.overlapUntil, ['scanned', 'completed']),
      }),
      defaults,
      jobs,
    },
  };
}

function withoutOthers(config: SimulatedFanoutOptions): SimulatedJobOptions {
  return Object.fromEntries(Object.entries(config).filter(([name]) => JOB_MEMBERS.includes(name)));
}

function readSerialFailure(
  { serialFailure, maxConcurrency }: SimulatedFanoutOptions,
  { lanes }: Concurrency,
): FanoutConfiguration['serialFailure'] {
  if (serialFailure !== undefined && lanes !== 'single') {
    throw new CronFanoutError('ConflictingOptions', {
      what: 'config.serialFailure and config.maxConcurrency',
      received: `serialFailure together with maxConcurrency ${maxConcurrency ?? POLICY_BOUNDS.maxConcurrency.default}`,
      allowed: 'serialFailure with maxConcurrency 1 alone: otherwise a record holds back those of its own group only',
      change: 'leave serialFailure out, or set maxConcurrency: 1',
    });
  }
  return checkedName('config.serialFailure', serialFailure ?? 'block', ['block', 'deadLetterAndContinue']);
}

function readJobs(
  { jobs = {} }: SimulatedFanoutOptions,
  jobTypes: readonly string[],
  timeout: number,
): Readonly<Record<string, Partial<JobConfiguration>>> {
  return Object.fromEntries(
    Object.entries(jobs).map(([jobType, options]) => {
      const path = `config.jobs[${JSON.stringify(jobType)}]`;
      if (!jobTypes.includes(jobType)) {
        throw new CronFanoutError('UnknownJobType', {
          what: path,
          received: 'policies of a job that is not simulated',
          allowed: jobTypes.join(', '),
          change: 'use the jobType that the job declares',
        });
      }
      checkMembers(path, options, JOB_MEMBERS);
      return [jobType, readJob(`${path}.`, options, timeout)];
    }),
  );
}

function readJob(prefix: string, options: SimulatedJobOptions, timeout: number): Partial<JobConfiguration> {
  const numbered = (name: BoundedName & keyof SimulatedJobOptions): Partial<JobConfiguration> =>
    options[name] === undefined ? {} : { [name]: checkedNumber(name, options[name], prefix + name) };
  const job: Partial<JobConfiguration> = {
    ...(options.retry !== undefined && { retry: readRetry(`${prefix}retry`, options.retry) }),
    ...(options.deduplication !== undefined && {
      deduplication: checkedName(`${prefix}deduplication`, options.deduplication, ['whileInFlight', 'perRun']),
    }),
    ...numbered('handlerTimeout'),
    ...numbered('expiresAfter'),
    ...numbered('quarantine'),
    ...numbered('segments'),
  };
  if (job.handlerTimeout !== undefined && job.handlerTimeout >= timeout) {
    throw new CronFanoutError('ConflictingOptions', {
      what: `${prefix}handlerTimeout and config.timeout`,
      received: `${job.handlerTimeout} and ${timeout} seconds`,
      allowed: 'a handlerTimeout below the timeout of the consumer',
      change: 'raise timeout or lower handlerTimeout',
    });
  }
  return job;
}
