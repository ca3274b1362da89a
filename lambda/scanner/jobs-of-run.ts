import type { RunItem } from '../contract';
import type { AnyJob } from '../job/job';
import type { JobRegistry } from '../job/registry';
import { findJob, namesOf } from '../job/registry';

/** A job type of a run. */
export interface JobOfRun {
  /** The name that the run knows it by. */
  readonly jobType: string;
  /** The job under that name; absent where a deployment removed it. */
  readonly job?: AnyJob;
}

/**
 * The job types of a run: those that it was begun with, then those that a deployment has added since.
 *
 * A run that was begun before a job was renamed goes on under the name before: its pages, hashes and deduplication ids depend on it, and a record that it has handled would be a new one under another
 * name. Of several names that have become one job the first goes on; the others count as removed.
 */
export function jobsOfRun(registry: JobRegistry, { jobs = [] }: RunItem): JobOfRun[] {
  const taken = new Set<string>();
  const begun = jobs.map((jobType): JobOfRun => {
    const job = findJob(registry, jobType);
    if (job === undefined || taken.has(job.jobType)) {
      return { jobType };
    }
    taken.add(job.jobType);
    return { jobType, job: named(job, jobType) };
  });
  const added = [...registry.values()].filter(({ jobType }) => !taken.has(jobType));
  return [...begun, ...added.map((job) => ({ jobType: job.jobType, job }))];
}

function named(job: AnyJob, jobType: string): AnyJob {
  return job.jobType === jobType
    ? job
    : { ...job, jobType, aliases: namesOf(job).filter((other) => other !== jobType) };
}

/** Segments that a run reads the source of a job in. */
export function segmentsOf({ segments = {} }: RunItem, jobType: string): number {
  return Object.hasOwn(segments, jobType) ? (segments[jobType] ?? 1) : 1;
}
