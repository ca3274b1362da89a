import { Token } from 'aws-cdk-lib';
import { CronFanoutError, JOB_TYPE_PATTERN, JOB_TYPE_RULE } from '../lambda/contract';
import type { FanoutConfiguration, JobConfiguration } from '../lambda/contract';
import { BOUNDS } from './bounds';
import { checkDuration, checkKnown, checkNumber } from './checks';
import { Deduplication } from './deduplication';
import type { CronFanoutProps, JobOptions } from './props';
import { RetryPolicy } from './retry-policy';

/** Policies of the jobs as the runtime reads them. */
export type JobSettings = Pick<FanoutConfiguration, 'defaults' | 'jobs'>;

/**
 * Reads the policies of a fanout and of its jobs.
 *
 * @param timeout of the consumer, in seconds
 * @throws CronFanoutError `InvalidJobType`, `OutOfRange`, `ConflictingOptions`, `UnresolvedToken`
 */
export function readJobs(props: CronFanoutProps, timeout: number): JobSettings {
  const jobs = props.jobs ?? {};
  const retry = props.retry ?? RetryPolicy.exponential();
  for (const { maxAttempts } of [retry, ...Object.values(jobs).flatMap((options) => options.retry ?? [])]) {
    checkKnown('retry.maxAttempts', maxAttempts, 'maxReceiveCount of the queue is derived from it');
  }
  return {
    defaults: {
      retry: retry.configuration,
      deduplication: Deduplication.WHILE_IN_FLIGHT.name,
      quarantine: BOUNDS.quarantine.default,
      ...jobConfiguration('', props, timeout),
    },
    jobs: Object.fromEntries(
      Object.entries(jobs).map(([jobType, options]) => {
        checkJobType(jobType);
        return [jobType, jobConfiguration(`jobs[${JSON.stringify(jobType)}].`, options, timeout)];
      }),
    ),
  };
}

/**
 * Options of a job as the runtime reads them.
 *
 * @param prefix path of the options, for messages
 */
function jobConfiguration(prefix: string, options: JobOptions, timeout: number): Partial<JobConfiguration> {
  const seconds = (option: 'handlerTimeout' | 'expiresAfter' | 'quarantine'): Partial<JobConfiguration> => {
    const duration = options[option];
    return duration === undefined ? {} : { [option]: checkDuration(option, duration, prefix + option) };
  };
  const job: Partial<JobConfiguration> = {
    ...(options.retry === undefined ? {} : { retry: options.retry.configuration }),
    ...(options.deduplication === undefined ? {} : { deduplication: options.deduplication.name }),
    ...seconds('handlerTimeout'),
    ...seconds('expiresAfter'),
    ...seconds('quarantine'),
    ...(options.segments === undefined
      ? {}
      : { segments: checkNumber('segments', options.segments, `${prefix}segments`) }),
  };
  if (job.handlerTimeout !== undefined && !Token.isUnresolved(job.handlerTimeout) && job.handlerTimeout >= timeout) {
    throw new CronFanoutError('ConflictingOptions', {
      what: `${prefix}handlerTimeout and timeout`,
      received: `${job.handlerTimeout} and ${timeout} seconds`,
      allowed: 'a handlerTimeout below the timeout of the consumer',
      change: 'raise timeout or lower handlerTimeout',
    });
  }
  return job;
}

function checkJobType(jobType: string): void {
  if (!JOB_TYPE_PATTERN.test(jobType)) {
    throw new CronFanoutError('InvalidJobType', {
      what: 'jobType in jobs',
      received: JSON.stringify(jobType),
      allowed: JOB_TYPE_RULE,
      change: 'use the jobType that the job module declares',
    });
  }
}
