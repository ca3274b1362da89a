import { CronFanoutError, JOB_TYPE_PATTERN, JOB_TYPE_RULE } from '../../lambda/contract';
import type { StaticJob, StaticJobs } from './static-jobs';

/**
 * Refuses jobs that the functions would refuse when they are loaded, as far as the source of their module says.
 *
 * @param file the job module
 * @throws CronFanoutError `NoJobs`, `InvalidJobType`, `DuplicateJobType` or `DuplicateAlias`
 */
export function checkJobs({ jobs, complete }: StaticJobs, file: string): void {
  if (jobs.length === 0 && complete) {
    throw new CronFanoutError('NoJobs', {
      what: `exports of the job module ${file}`,
      received: 'nothing that is made with defineJob',
      allowed: 'one job or several, made with defineJob of cron-fanout/job',
      change: 'add `export default defineJob({...})` to the job module',
    });
  }
  jobs.forEach((job) => {
    checkNames(job, file);
  });
  checkDuplicates(jobs, file);
}

function checkNames({ jobType, aliases = [] }: StaticJob, file: string): void {
  const names = [
    ...(jobType === undefined ? [] : [['jobType', jobType] as const]),
    ...aliases.map((alias) => [`alias of job ${JSON.stringify(jobType)}`, alias] as const),
  ];
  for (const [what, name] of names) {
    if (!JOB_TYPE_PATTERN.test(name)) {
      throw new CronFanoutError('InvalidJobType', {
        what: `${what} in job module ${file}`,
        received: JSON.stringify(name),
        allowed: JOB_TYPE_RULE,
        change: 'choose such a name, for example "booking.reminder"',
      });
    }
  }
}

function checkDuplicates(jobs: readonly StaticJob[], file: string): void {
  const types = new Set<string>();
  for (const { jobType } of jobs) {
    if (jobType !== undefined && types.has(jobType)) {
      throw new CronFanoutError('DuplicateJobType', {
        what: `jobType of two jobs of job module ${file}`,
        received: JSON.stringify(jobType),
        allowed: 'a jobType that no other job of the fanout has',
        change: 'rename one of the two jobs',
      });
    }
    types.add(jobType ?? '');
  }
  const names = new Set(types);
  for (const alias of jobs.flatMap(({ aliases = [] }) => aliases)) {
    if (names.has(alias)) {
      throw new CronFanoutError('DuplicateAlias', {
        what: `alias of a job of job module ${file}`,
        received: `${JSON.stringify(alias)}, which is also ${types.has(alias) ? 'a jobType' : 'another alias'}`,
        allowed: 'a name that is no jobType and no other alias of the fanout',
        change: 'leave the alias out, or rename',
      });
    }
    names.add(alias);
  }
}

/**
 * Refuses policies for a job that the job module does not have: they would change nothing, and nobody would see it.
 *
 * @param options the `jobs` of the construct
 * @param jobTypes those of the module; `undefined` where they are not all known
 * @throws CronFanoutError `UnknownJobType`
 */
export function checkJobOptions(options: object, jobTypes: readonly string[] | undefined): void {
  const unknown = Object.keys(options).find((jobType) => jobTypes?.includes(jobType) === false);
  if (unknown !== undefined) {
    throw new CronFanoutError('UnknownJobType', {
      what: `jobs[${JSON.stringify(unknown)}]`,
      received: 'a jobType that the job module does not have',
      allowed: (jobTypes ?? []).map((jobType) => JSON.stringify(jobType)).join(', '),
      change: 'use the jobType of a job (not an alias), or leave the entry out',
    });
  }
}
