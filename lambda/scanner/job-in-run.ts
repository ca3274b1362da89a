import type { RunItem } from '../contract';
import type { AnyJob } from '../job/job';
import { namesOf } from '../job/registry';
import type { ScannerContext } from './context';
import { lastKeys } from './page-fence';

/**
 * The job under the name that a run knows it by. A run that was begun before a job was renamed goes on under the name before: its pages, hashes and deduplication ids depend on it, and a record
 * that it has handled would be a new one under another name.
 */
export async function jobInRun(context: ScannerContext, run: RunItem, job: AnyJob): Promise<AnyJob> {
  for (const name of job.aliases ?? []) {
    if (await isBegun(context, run, name)) {
      return { ...job, jobType: name, aliases: namesOf(job).filter((other) => other !== name) };
    }
  }
  return job;
}

async function isBegun(context: ScannerContext, run: RunItem, jobType: string): Promise<boolean> {
  const { runId, pages } = run;
  if (Object.keys(pages).some((lane) => lane.startsWith(`${jobType}#`))) {
    return true;
  }
  for (let segment = 0; segment < segmentsOf(run, jobType); segment++) {
    if ((await lastKeys(context, { fanoutId: context.fanoutId, runId, jobType, segment })) !== undefined) {
      return true;
    }
  }
  return false;
}

/** Segments that a run reads the source of a job in. */
export function segmentsOf({ segments = {} }: RunItem, jobType: string): number {
  return Object.hasOwn(segments, jobType) ? (segments[jobType] ?? 1) : 1;
}
