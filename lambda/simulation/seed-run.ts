import { INVARIANTS } from './invariants';
import type { Scenario } from './scenarios/scenario';
import type { FanoutJobs, JobFactory } from './world/fanout';
import { simulatedJob } from './world/simulated-job';
import { SourceTable } from './world/source-table';
import type { FanoutSpec, WorldSpec } from './world/spec';
import type { WorldResult } from './world/world';
import { World } from './world/world';
import type { WorldView } from './world/world-view';

/** What came of a spec, with the world that it became. */
export interface SpecRun {
  readonly result: WorldResult;
  readonly world: World;
}

/** Runs a world to its end. */
export async function runSpec(spec: WorldSpec): Promise<SpecRun> {
  const world = new World({ spec, jobs: simulatedJobs, invariants: INVARIANTS });
  return { result: await world.run(), world };
}

/** Runs the world of a seed. */
export function runSeed(scenario: Scenario, seed: number): Promise<SpecRun> {
  return runSpec(scenario.draw(seed));
}

/** The jobs that a spec describes. */
function simulatedJobs(fanout: FanoutSpec, world: WorldView): FanoutJobs {
  const tables = new Map(fanout.jobs.map((job) => [job.jobType, new SourceTable(job)]));
  const create: JobFactory = (instance, { payloadVersion }) =>
    fanout.jobs.map((job) => {
      const table = tables.get(job.jobType) ?? new SourceTable(job);
      const onRead = (): void => {
        if (job.changes > 0 && world.plan.isActive && world.plan.shape(5) < job.changes) {
          table.change(world.plan.shape(6));
        }
      };
      return simulatedJob(job, { clock: instance.clock, table, onRead, payloadVersion });
    });
  return { create, tables };
}
