import { CronFanoutError } from '../contract';
import type { AnyJob, JOB_BRAND, SetupContext } from '../job/job';
import { collectJobs, isJob } from '../job/registry';
import { shown } from './option-checks';

/** Any job, whatever its records are. */
export interface SomeJob {
  /** Made with `defineJob`. */
  readonly [JOB_BRAND]: true;
  /** Name of the job. */
  readonly jobType: string;
  /** Identity of a record. */
  readonly key: (record: never) => string;
  /**
   * What its functions are given.
   *
   * @default - nothing is set up
   */
  readonly setup?: ((context: SetupContext) => unknown) | undefined;
}

/** A job module: `import * as jobs from './jobs'`. */
export type JobModule = Readonly<Record<string, unknown>>;

/** Type of the records of a job. */
export type RecordOf<J extends SomeJob> = J extends { readonly key: (record: infer R) => string } ? R : never;

/** What the `setup` of a job returns. */
export type DependenciesOf<J extends SomeJob> = Awaited<ReturnType<NonNullable<J['setup']>>>;

/** Functions without which a job cannot run. */
const NEEDED = ['key', 'handler', 'source'] as const;

/**
 * Collects the jobs that a simulation is given.
 *
 * @throws CronFanoutError `NotAJob`, `InvalidJob`, and those of `collectJobs`
 */
export function readJobs(given: unknown): AnyJob[] {
  const jobs = jobsIn(given);
  const registry = [...collectJobs({ jobs }).values()];
  for (const job of registry) {
    const missing = NEEDED.find((name) => typeof job[name] !== 'function');
    if (missing !== undefined) {
      throw new CronFanoutError('InvalidJob', {
        what: `${missing} of job ${JSON.stringify(job.jobType)}`,
        received: shown(job[missing]),
        allowed: 'a function',
        change: `declare ${missing} in defineJob`,
      });
    }
  }
  return registry;
}

function jobsIn(given: unknown): readonly AnyJob[] {
  if (isJob(given)) {
    return [given];
  }
  if (Array.isArray(given)) {
    const place = given.findIndex((one) => !isJob(one));
    if (place < 0 && given.length > 0) {
      return given as AnyJob[];
    }
    throw notAJob(place < 0 ? 'jobs' : `jobs[${place}]`, place < 0 ? 'an empty array' : shown(given[place]));
  }
  const exported: unknown[] = typeof given === 'object' && given !== null ? Object.values(given) : [];
  const jobs = exported.flat().filter(isJob);
  if (jobs.length > 0) {
    return jobs;
  }
  throw notAJob('job', given instanceof Promise ? 'a Promise' : shown(given));
}

function notAJob(what: string, received: string): CronFanoutError {
  return new CronFanoutError('NotAJob', {
    what,
    received,
    allowed: 'what defineJob returned, an array of these, or a module that exports some',
    change: 'pass the job that the job module exports, made with defineJob',
  });
}
