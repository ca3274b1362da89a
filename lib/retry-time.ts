import { Token } from 'aws-cdk-lib';
import { CronFanoutError, SQS } from '../lambda/contract';
import type { FanoutConfiguration, RetryConfiguration } from '../lambda/contract';
import { FIXED } from './bounds';
import type { Warning } from './warnings';

/** What bounds the time that the attempts of a record may take. In seconds. */
export interface RetryLimits {
  /** Timeout of the consumer. */
  readonly timeout: number;
  /** Visibility timeout of the queue. */
  readonly visibilityTimeout: number;
  /** Retention of the queue. */
  readonly queueRetention: number;
}

/** The policies of a fanout and of its jobs. */
export type RetryPolicies = Pick<FanoutConfiguration, 'defaults' | 'jobs'>;

/** The policy of one job, and where the user wrote it. */
interface Policy {
  readonly path: string;
  readonly retry: RetryConfiguration;
}

/**
 * Back-offs between the attempts of a record, in seconds, each as long as it can be: jitter only shortens them. One that is not known at synth time counts as 0, so that
 * what is legal always passes.
 */
export function backOffs({ maxAttempts, delays }: RetryConfiguration): number[] {
  const delay = (place: number): number => {
    switch (delays.kind) {
      case 'exponential':
        return Math.min(known(delays.max), known(delays.initial) * known(delays.factor, 1) ** place);
      case 'linear':
        return Math.min(known(delays.max), known(delays.initial) + known(delays.step) * place);
      case 'fixed':
        return known(delays.delay);
      case 'list':
        return known(delays.delays[Math.min(place, delays.delays.length - 1)]);
    }
  };
  return Array.from({ length: maxAttempts - 1 }, (_, place) => delay(place));
}

const known = (value = 0, least = 0): number => (Token.isUnresolved(value) ? least : value);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * Longest time in seconds from the first receive of a message to the answer about its last attempt: each attempt takes the whole timeout and waits for its back-off, or its consumer crashes and
 * the message comes back after its visibility timeout.
 */
export function worstRetryTime(retry: RetryConfiguration, { timeout, visibilityTimeout }: RetryLimits): number {
  return sum(backOffs(retry).map((delay) => Math.max(timeout + delay, visibilityTimeout))) + visibilityTimeout;
}

/** {@link worstRetryTime} of the job that takes longest. */
export function longestRetryTime(jobs: RetryPolicies, limits: RetryLimits): number {
  return Math.max(...policiesOf(jobs).map(({ retry }) => worstRetryTime(retry, limits)));
}

/** Longest back-off in seconds that a message can be hidden for as a whole: SQS counts twelve hours from the receive, and the attempt comes before. */
export function longestWholeBackOff(timeout: number): number {
  return SQS.visibilitySeconds - FIXED.receiveAllowance - timeout;
}

/**
 * Holds the retries of every job against what the queue allows.
 *
 * @throws CronFanoutError `RetriesOutliveQueue` where the back-offs alone last longer than the queue keeps a message
 */
export function retryWarnings(jobs: RetryPolicies, limits: RetryLimits): Warning[] {
  return policiesOf(jobs).flatMap((policy) => {
    const error = retriesError(policy, limits.queueRetention);
    if (error !== undefined) {
      throw error;
    }
    return [...cutBackOff(policy, limits), ...slowRetries(policy, limits)];
  });
}

/** The most attempts that any job has. */
export function mostAttempts(policies: RetryPolicies): number {
  return Math.max(...policiesOf(policies).map(({ retry }) => retry.maxAttempts));
}

/** The first error of {@link retryWarnings}, for a queue as it is synthesized. */
export function retriesErrorOf(jobs: RetryPolicies, queueRetention: number): CronFanoutError | undefined {
  return policiesOf(jobs)
    .map((policy) => retriesError(policy, queueRetention))
    .find((error) => error !== undefined);
}

/** Every policy once: that of the fanout, and those of the jobs that have their own. `expiresAfter` shortens none: it is for records that have not started. */
function policiesOf({ defaults, jobs }: RetryPolicies): Policy[] {
  const own = Object.entries(jobs).flatMap(([jobType, { retry }]) =>
    retry === undefined ? [] : [{ path: `jobs[${JSON.stringify(jobType)}].retry`, retry }],
  );
  return [{ path: 'retry', retry: defaults.retry }, ...own];
}

function retriesError({ path, retry }: Policy, queueRetention: number): CronFanoutError | undefined {
  const jitter = Token.isUnresolved(retry.jitter) ? 1 : retry.jitter;
  const waiting = Math.ceil(sum(backOffs(retry)) * (1 - jitter));
  if (waiting <= queueRetention) {
    return undefined;
  }
  return new CronFanoutError('RetriesOutliveQueue', {
    what: path,
    received: `${waiting} seconds of back-offs or more over ${retry.maxAttempts} attempts, in a queue that keeps messages for ${queueRetention} seconds`,
    allowed: `back-offs of at most ${queueRetention} seconds together: SQS deletes what is older, and the record would die as \`Lost\``,
    change:
      queueRetention < SQS.retentionSeconds.max
        ? `raise queueRetention (to ${Math.min(waiting, SQS.retentionSeconds.max)} seconds or more), or lower maxAttempts or the delays`
        : 'lower maxAttempts or the delays',
  });
}

function slowRetries(policy: Policy, limits: RetryLimits): Warning[] {
  const worst = worstRetryTime(policy.retry, limits);
  if (worst <= limits.queueRetention) {
    return [];
  }
  return [
    {
      id: 'cron-fanout:retriesOutliveQueue',
      message: `${policy.path} can take ${worst} seconds when attempts time out or crash (visibility timeout ${limits.visibilityTimeout} seconds), and the queue keeps messages for ${limits.queueRetention} seconds: a record may be lost before its last attempt. Raise queueRetention, or lower maxAttempts, the delays or timeout`,
    },
  ];
}

function cutBackOff({ path, retry }: Policy, { timeout }: RetryLimits): Warning[] {
  const longest = Math.max(0, ...backOffs(retry));
  const allowed = longestWholeBackOff(timeout);
  return longest <= allowed
    ? []
    : [
        {
          id: 'cron-fanout:backOffCut',
          message: `${path} waits up to ${longest} seconds: SQS hides a message for twelve hours from its receive, so that after an attempt of ${timeout} seconds at most ${allowed} are left, and the rest of the back-off is cut. Choose delays of ${allowed} seconds or less`,
        },
      ];
}
