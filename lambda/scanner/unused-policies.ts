import type { FanoutConfiguration } from '../contract';
import type { JobRegistry } from '../job/registry';
import type { Logger } from '../ports';

/**
 * Says which policies are for a job that the job module does not have: they change nothing. At synth they are an error, where all job types of the module are known there;
 * here the records go on, under the fanout's own policies.
 */
export function tellUnusedPolicies({ jobs }: FanoutConfiguration, registry: JobRegistry, logger: Logger): void {
  const unused = Object.keys(jobs).filter((jobType) => !registry.has(jobType));
  if (unused.length > 0) {
    logger.warn('jobs has policies for job types that the job module does not have, and they change nothing', {
      unused,
      known: [...registry.keys()],
    });
  }
}
