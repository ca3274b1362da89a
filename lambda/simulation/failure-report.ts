import type { Scenario } from './scenarios/scenario';
import type { SpecRun } from './seed-run';
import { runSpec } from './seed-run';
import { shrink } from './shrink';
import type { WorldSpec } from './world/spec';

/** Lines of a trace that a report shows. */
const TRACE_LINES = 120;
/** Worlds that are tried to find a smaller one. */
const SHRINK_TRIES = 250;

/** A seed in which something did not hold. */
export interface FailureReport {
  readonly scenario: string;
  readonly seed: number;
  readonly invariant: string;
  readonly what: string;
  /** What is left of the world, in words. */
  readonly shrunk: string;
  /** What happened in the smallest world that was found. */
  readonly trace: readonly string[];
  /** Command that replays it. */
  readonly replay: string;
}

/**
 * Finds the smallest world that fails like this one, and describes it.
 *
 * @param isOver ends the search early
 */
export async function reportFailure(
  scenario: Scenario,
  seed: number,
  failing: SpecRun,
  isOver?: () => boolean,
): Promise<FailureReport> {
  const { run, spec, tries } = await shrink(failing, runSpec, SHRINK_TRIES, isOver);
  const violation = run.result.violation ?? failing.result.violation;
  return {
    scenario: scenario.name,
    seed,
    invariant: violation?.invariant ?? '',
    what: violation?.what ?? '',
    shrunk: `${sizeOf(failing.world.spec, failing)}, shrunk to ${sizeOf(spec, run)} in ${tries} tries`,
    trace: run.world.trace.text(run.world.startedAt, TRACE_LINES),
    replay: `npm run simulate -- --seed ${seed} --only ${scenario.name}`,
  };
}

function sizeOf(spec: WorldSpec, { world, result }: SpecRun): string {
  const records = spec.fanouts.flatMap(({ jobs }) => jobs).reduce((sum, job) => sum + job.records.length, 0);
  const ticks = spec.fanouts.reduce((sum, fanout) => sum + fanout.ticks.length, 0);
  return `${records} records, ${ticks} ticks, ${world.plan.struck.length} faults, ${result.steps} steps`;
}

/** The lines of a report. */
export function reportText({ scenario, seed, invariant, what, shrunk, trace, replay }: FailureReport): string {
  return [
    `seed ${seed} of ${scenario} breaks "${invariant}": ${what}`,
    `  (${shrunk})`,
    ...trace,
    `replay: ${replay}`,
  ].join('\n');
}
