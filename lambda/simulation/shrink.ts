import type { SpecRun } from './seed-run';
import type { FanoutSpec, JobSpec, WorldSpec } from './world/spec';

/** What was left of a failing world. */
export interface Shrunk {
  readonly spec: WorldSpec;
  readonly run: SpecRun;
  /** Worlds that were tried. */
  readonly tries: number;
}

/** Smaller worlds, the much smaller ones first. */
type Reduction = (spec: WorldSpec, run: SpecRun) => Generator<WorldSpec, void, undefined>;

/**
 * Looks for a smaller world that breaks the same invariant: with fewer faults, records, ticks and steps.
 *
 * @param runSpec runs a world
 * @param tries most worlds that are run
 * @param isOver ends the search early
 */
export async function shrink(
  failing: SpecRun,
  runSpec: (spec: WorldSpec) => Promise<SpecRun>,
  tries: number,
  isOver: () => boolean = () => false,
): Promise<Shrunk> {
  const invariant = failing.result.violation?.invariant;
  let best: Shrunk = { spec: failing.world.spec, run: failing, tries: 0 };
  let spent = 0;
  for (let isSmaller = true; isSmaller && spent < tries && !isOver();) {
    isSmaller = false;
    for (const reduction of REDUCTIONS) {
      for (const spec of reduction(best.spec, best.run)) {
        if (spent >= tries || isOver()) {
          break;
        }
        spent += 1;
        const run = await runSpec(spec);
        if (run.result.violation?.invariant === invariant) {
          best = { spec, run, tries: spent };
          isSmaller = true;
          break;
        }
      }
    }
  }
  return { ...best, tries: spent };
}

/** Lists without a half, a quarter, ... down to one element. */
function* shorter<T>(list: readonly T[]): Generator<readonly T[], void, undefined> {
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < list.length; from += size) {
      yield [...list.slice(0, from), ...list.slice(from + size)];
    }
  }
}

const fewerFaults: Reduction = function* (spec, { world }) {
  const struck = world.plan.struck;
  if (spec.onlyFaults === undefined || struck.length < spec.onlyFaults.length) {
    yield { ...spec, onlyFaults: struck };
  }
  for (const onlyFaults of shorter(struck)) {
    yield { ...spec, onlyFaults };
  }
};

const fewerFanouts: Reduction = function* (spec) {
  for (const fanouts of shorter(spec.fanouts)) {
    if (fanouts.length > 0) {
      yield { ...spec, fanouts };
    }
  }
};

const fewerRecords: Reduction = function* (spec) {
  for (const [replace, job] of jobsOf(spec)) {
    for (const records of shorter(job.records)) {
      yield replace({ ...job, records });
    }
  }
};

const fewerEvents: Reduction = function* (spec) {
  for (const [replace, fanout] of fanoutsOf(spec)) {
    for (const name of ['ticks', 'deploys', 'poison', 'redrives', 'resumes', 'outages'] as const) {
      for (const events of shorter<FanoutSpec[typeof name][number]>(fanout[name])) {
        if (name !== 'ticks' || events.length > 0) {
          yield replace({ ...fanout, [name]: events });
        }
      }
    }
  }
};

const plainer: Reduction = function* (spec) {
  if (spec.skewMs > 0) {
    yield { ...spec, skewMs: 0 };
  }
  if (spec.freezes) {
    yield { ...spec, freezes: false };
  }
  for (const [replace, fanout] of fanoutsOf(spec)) {
    if (fanout.concurrency > 2) {
      yield replace({ ...fanout, concurrency: 2 });
    }
  }
  for (const [replace, job] of jobsOf(spec)) {
    if (job.records.some(({ behaviours }) => behaviours.length > 0)) {
      yield replace({ ...job, records: job.records.map((record) => ({ ...record, behaviours: [] })) });
    }
    if (job.changes > 0) {
      yield replace({ ...job, changes: 0 });
    }
  }
};

const REDUCTIONS: readonly Reduction[] = [fewerFaults, fewerFanouts, fewerRecords, fewerEvents, plainer, fewerFaults];

function* fanoutsOf(spec: WorldSpec): Generator<[(fanout: FanoutSpec) => WorldSpec, FanoutSpec], void, undefined> {
  for (const fanout of spec.fanouts) {
    yield [(other) => ({ ...spec, fanouts: spec.fanouts.map((one) => (one === fanout ? other : one)) }), fanout];
  }
}

function* jobsOf(spec: WorldSpec): Generator<[(job: JobSpec) => WorldSpec, JobSpec], void, undefined> {
  for (const [replace, fanout] of fanoutsOf(spec)) {
    for (const job of fanout.jobs) {
      yield [(other) => replace({ ...fanout, jobs: fanout.jobs.map((one) => (one === job ? other : one)) }), job];
    }
  }
}
