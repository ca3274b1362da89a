import { CronFanoutError } from '../contract';
import type { Logger, Secrets } from '../ports';
import type { AnyJob } from './job';
import type { JobRegistry } from './registry';
import { findJob } from './registry';

/**
 * What the jobs' `setup` returned, for one execution environment. Each `setup` function is called once, also where several jobs share it; one that
 * failed is called again by the next invocation that needs it.
 */
export class JobSetup {
  private readonly results = new Map<NonNullable<AnyJob['setup']>, Promise<object>>();

  constructor(
    private readonly registry: JobRegistry,
    private readonly options: { readonly secrets: Secrets; readonly logger: Logger },
  ) {}

  /**
   * What the job's `setup` returned; an empty object where it has none.
   *
   * @throws what `setup` threw, or CronFanoutError `InvalidSetup`
   */
  async dependenciesOf(job: AnyJob): Promise<object> {
    if (findJob(this.registry, job.jobType)?.source !== job.source) {
      throw new Error(`internal error: job ${JSON.stringify(job.jobType)} is not of this registry`);
    }
    const { setup } = job;
    if (setup === undefined) {
      return {};
    }
    const known = this.results.get(setup);
    if (known !== undefined) {
      return known;
    }
    const result = this.call(job.jobType, setup);
    this.results.set(setup, result);
    result.catch(() => this.results.delete(setup));
    return result;
  }

  private async call(jobType: string, setup: NonNullable<AnyJob['setup']>): Promise<object> {
    const { secrets, logger } = this.options;
    const result: unknown = await setup({ secret: (name) => secrets.read(name), log: logger });
    if (typeof result === 'object' && result !== null) {
      return result;
    }
    if (result === undefined) {
      return {};
    }
    throw new CronFanoutError('InvalidSetup', {
      what: `setup of job ${JSON.stringify(jobType)}`,
      received: result === null ? 'null' : `a ${typeof result}`,
      allowed: 'an object, whose members source and handler are given; or nothing',
      change: 'return an object, for example { db }',
    });
  }
}
