import { CronFanoutError, JOB_TYPE_PATTERN, JOB_TYPE_RULE } from '../contract';
import { JOB_BRAND } from './job';
import type { AnyJob } from './job';

/** The jobs of a fanout by `jobType`, in the order in which their module exports them. */
export type JobRegistry = ReadonlyMap<string, AnyJob>;

/** The job of that name, be it its `jobType` or one of its aliases. */
export function findJob(jobs: JobRegistry, name: string): AnyJob | undefined {
  return jobs.get(name) ?? [...jobs.values()].find(({ aliases = [] }) => aliases.includes(name));
}

/** What checks the payload of a job: `payloadSchema` where it queues a projection, else the schema of its records. */
export function payloadSchemaOf({ queuePayload, payloadSchema, schema }: AnyJob): AnyJob['schema'] {
  return queuePayload === undefined ? schema : payloadSchema;
}

/** All names of a job: its `jobType` first, then its aliases. */
export function namesOf({ jobType, aliases = [] }: AnyJob): string[] {
  return [jobType, ...aliases];
}

/**
 * Collects the jobs that a module exports: its default export (a job or an array of jobs) and its named exports. Exports that are no jobs are
 * left alone; the same job exported twice counts once.
 *
 * @throws CronFanoutError `NoJobs`, `InvalidJobType`, `DuplicateJobType`, `DuplicateAlias`, `InvalidPayloadVersion` or `InvalidPayloadSchema`
 */
export function collectJobs(jobModule: Readonly<Record<string, unknown>>): JobRegistry {
  const jobs = new Map<string, AnyJob>();
  for (const candidate of Object.values(jobModule).flatMap(exported)) {
    const known = jobs.get(candidate.jobType);
    if (known === candidate) {
      continue;
    }
    checkJobType('jobType', candidate.jobType);
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
  checkAliases([...jobs.values()]);
  for (const candidate of jobs.values()) {
    checkPayloadVersion(candidate);
    checkPayloadSchema(candidate);
  }
  return jobs;
}

/** Every name leads to one job. */
function checkAliases(jobs: readonly AnyJob[]): void {
  const names = new Map(jobs.map(({ jobType }) => [jobType, `jobType ${JSON.stringify(jobType)}`]));
  for (const { jobType, aliases = [] } of jobs) {
    for (const alias of aliases) {
      checkJobType(`alias of job ${JSON.stringify(jobType)}`, alias);
      const other = names.get(alias);
      if (other !== undefined) {
        throw new CronFanoutError('DuplicateAlias', {
          what: `alias of job ${JSON.stringify(jobType)}`,
          received: `${JSON.stringify(alias)}, which is also ${other}`,
          allowed: 'a name that is no jobType and no other alias of the fanout',
          change: 'leave the alias out, or rename',
        });
      }
      names.set(alias, `an alias of job ${JSON.stringify(jobType)}`);
    }
  }
}

function checkPayloadVersion({ jobType, payloadVersion = 1, upgrade }: AnyJob): void {
  const isUseless = upgrade !== undefined && payloadVersion === 1;
  if (!Number.isSafeInteger(payloadVersion) || payloadVersion < 1 || isUseless) {
    throw new CronFanoutError('InvalidPayloadVersion', {
      what: `payloadVersion of job ${JSON.stringify(jobType)}`,
      received: isUseless ? '1, together with upgrade' : JSON.stringify(payloadVersion),
      allowed: 'an integer, 1 or more; 2 or more where the job has upgrade',
      change: isUseless ? 'raise payloadVersion, so that upgrade has something to do' : 'count the versions from 1',
    });
  }
}

function checkPayloadSchema({ jobType, queuePayload, payloadSchema }: AnyJob): void {
  if (queuePayload === undefined && payloadSchema !== undefined) {
    throw new CronFanoutError('InvalidPayloadSchema', {
      what: `payloadSchema of job ${JSON.stringify(jobType)}`,
      received: 'a schema, without queuePayload',
      allowed: 'a schema of what queuePayload answers',
      change: 'give it as schema: without queuePayload the record itself is queued',
    });
  }
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

function checkJobType(what: string, jobType: unknown): void {
  if (typeof jobType !== 'string' || !JOB_TYPE_PATTERN.test(jobType)) {
    throw new CronFanoutError('InvalidJobType', {
      what,
      received: JSON.stringify(jobType),
      allowed: JOB_TYPE_RULE,
      change: 'choose such a name, for example "booking.reminder"',
    });
  }
}
