import { CronFanoutError, JOB_TYPE_PATTERN, JOB_TYPE_RULE } from '../contract';
import { JOB_BRAND } from './job';
import type { AnyJob } from './job';

/** The jobs of a fanout by `jobType`, in the order in which their module exports them. */
export type JobRegistry = ReadonlyMap<string, AnyJob>;

/**
 * Collects the jobs that a module exports: its default export (a job or an array of jobs) and its named exports. Exports that are no jobs are
 * left alone; the same job exported twice counts once.
 *
 * @throws CronFanoutError `NoJobs`, `InvalidJobType` or `DuplicateJobType`
 */
export function collectJobs(jobModule: Readonly<Record<string, unknown>>): JobRegistry {
  const jobs = new Map<string, AnyJob>();
  for (const candidate of Object.values(jobModule).flatMap(exported)) {
    const known = jobs.get(candidate.jobType);
    if (known === candidate) {
      continue;
    }
    checkJobType(candidate.jobType);
    if (known !== undefined) {
      throw new CronFanoutError('DuplicateJobType', {
        what: 'jobType of two jobs of one module',
        received: JSON.stringify(candidate.jobType),
        allowed: 'a jobType that no other job of the fanout has',
        change: 'rename one of the two jobs',
      });
    }
    jobs.set(candidate.jobType, candidate);
  }
  if (jobs.size === 0) {
    throw new CronFanoutError('NoJobs', {
      what: 'exports of the job module',
      received: Object.keys(jobModule).join(', ') || 'none',
      allowed: 'one job or several, made with defineJob',
      change: 'add `export default defineJob({...})` to the job module',
    });
  }
  return jobs;
}

function exported(value: unknown): AnyJob[] {
  if (Array.isArray(value)) {
    return value.filter(isJob);
  }
  if (isJob(value)) {
    return [value];
  }
  // A CommonJS module that an ES module imports: its exports are the members of `default`.
  return isRecord(value) ? Object.values(value).filter(isJob) : [];
}

function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Whether a value was made with `defineJob`, by whichever copy of the package. */
export function isJob(value: unknown): value is AnyJob {
  return isRecord(value) && value[JOB_BRAND] === true;
}

function checkJobType(jobType: unknown): void {
  if (typeof jobType !== 'string' || !JOB_TYPE_PATTERN.test(jobType)) {
    throw new CronFanoutError('InvalidJobType', {
      what: 'jobType',
      received: JSON.stringify(jobType),
      allowed: JOB_TYPE_RULE,
      change: 'choose such a name, for example "booking.reminder"',
    });
  }
}
