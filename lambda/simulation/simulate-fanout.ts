import type { AnyJob } from '../job/job';
import type { DependenciesOf, JobModule, RecordOf, SomeJob } from './given-jobs';
import { readJobs } from './given-jobs';
import { INVARIANTS } from './invariants';
import { JobFaults } from './job-faults';
import { readFaults } from './named-faults';
import type { DrawnFaults } from './named-faults';
import { ReportWriter } from './report-writer';
import { DERIVED } from './simulation-bounds';
import { readPolicies } from './simulation-config';
import type { SimulatedPolicies } from './simulation-config';
import { SimulationError } from './simulation-error';
import { readOptions } from './simulation-options';
import type { CommonSimulationOptions, ReadOptions, SeveralJobsOptions, SimulationOptions } from './simulation-options';
import type { SimulationReport } from './simulation-report';
import { givenSource } from './user-code/given-records';
import { RecordLog } from './user-code/record-log';
import { replaceTime } from './user-code/scoped-time';
import { UserCode } from './user-code/user-code';
import { userJobs } from './user-code/user-jobs';
import type { FanoutSpec, TickSpec, WorldSpec } from './world/spec';
import { World } from './world/world';
import { YieldLog, yieldedAreKept } from './yield-log';

/** Invocations of the consumer at once where there is one lane: the queue hands out one batch of it at a time. */
const SINGLE_LANE_INVOCATIONS = 2;
/** Most milliseconds that a call of a handler takes by itself while things go wrong, so that calls overlap. */
const HANDLER_MS = 200;
/** Steps after which a simulation that has not come to rest never will. */
const MAX_STEPS = 5_000_000;
const DAY_MS = 86_400_000;

/**
 * Runs a job, or the jobs of one fanout, in a simulation: the scanner and the consumer that are deployed, over a queue, a table and a clock in memory. Needs no AWS, opens no socket, prints nothing, and
 * takes no longer than the functions of the job do. What must always hold (docs/guarantees.md) is checked after every step.
 *
 * @param job what `defineJob` returned
 * @returns what became of every record, once nothing is left to do
 * @throws SimulationError where something does not hold, with seed and trace
 * @throws CronFanoutError where the options or the job are wrong; the message says what to change
 *
 * @example
 * const report = await simulateFanout(reminders, { records: [booking], setup: { mail: fakeMail }, faults: 'all', seed: 7 });
 * expect(report.outcomes).toEqual({ B1: 'succeeded' });
 */
export function simulateFanout<J extends SomeJob>(
  job: J,
  options?: SimulationOptions<RecordOf<J>, DependenciesOf<J>>,
): Promise<SimulationReport>;
export function simulateFanout(
  jobs: readonly SomeJob[] | JobModule,
  options?: SeveralJobsOptions,
): Promise<SimulationReport>;
export async function simulateFanout(given: unknown, options: CommonSimulationOptions = {}): Promise<SimulationReport> {
  const jobs = readJobs(given);
  const read = readOptions(options, jobs);
  const jobTypes = jobs.map(({ jobType }) => jobType);
  const policies = readPolicies(options.config ?? {}, jobTypes, read.pageSize);
  const spec = worldSpec(jobs, read, policies, readFaults(options.faults, read.seed));
  const restoreTime = read.isTimeVirtual ? replaceTime() : () => undefined;
  try {
    return await simulate(jobs, read, spec, options);
  } finally {
    restoreTime();
  }
}

async function simulate(
  jobs: readonly AnyJob[],
  read: ReadOptions,
  spec: WorldSpec,
  options: CommonSimulationOptions,
): Promise<SimulationReport> {
  const faults = new JobFaults(read.patience);
  const [log, yields] = [new RecordLog(), new YieldLog()];
  const writer = new ReportWriter(yields, log);
  const code = new UserCode({
    patienceMs: read.patience,
    isTimeVirtual: read.isTimeVirtual,
    onGivenUp: (what) => {
      faults.givenUp(what);
    },
    onUncaught: (thrown) => {
      faults.uncaught(thrown);
    },
  });
  const { setup, secrets, records } = read;
  const source = records === undefined ? undefined : givenSource(records);
  const world = new World({
    spec,
    jobs: () => ({
      create: (instance) => userJobs(jobs, { code, log, instance, faults, setup, source }),
      secrets,
    }),
    invariants: [
      faults.rule,
      ...INVARIANTS,
      ...(records === undefined ? [] : [yieldedAreKept(yields, log)]),
      writer.rule,
    ],
    outside: () => code.whenWaiting(),
  });
  const result = await world.run();
  if (faults.found !== undefined) {
    throw faults.found;
  }
  const [fanout] = world.fanouts;
  if (result.violation !== undefined || fanout === undefined) {
    throw new SimulationError(
      result.violation ?? { invariant: 'the world', what: 'there is no fanout', at: 0, step: 0 },
      world,
      options,
    );
  }
  return writer.report(world, fanout, result);
}

function worldSpec(
  jobs: readonly AnyJob[],
  { seed, ticks, interval, startsAt }: ReadOptions,
  { configuration, concurrency, timeout, scannerTimeout }: SimulatedPolicies,
  faults: DrawnFaults,
): WorldSpec {
  const handlerMs = faults.faultPlaces > 0 ? HANDLER_MS : 0;
  const fanout: FanoutSpec = {
    fanoutId: 'simulation',
    jobs: jobs.map(({ jobType, group }) => ({
      jobType,
      records: [],
      chunk: 1,
      isGrouped: group !== undefined,
      changes: 0,
      handlerMs,
    })),
    configuration,
    concurrency: concurrency.mappingConcurrency ?? SINGLE_LANE_INVOCATIONS,
    batchSize: concurrency.batchSize,
    consumerTimeout: timeout,
    scannerTimeout,
    ticks: Array.from({ length: ticks }, (_, n) => tickSpec(n * interval * 1000, startsAt)),
    watchdog: DERIVED.watchdogInterval,
    deploys: [],
    poison: [],
    redrives: [],
    resumes: [],
    outages: [],
  };
  // By then the sweep has settled what no code will.
  const maxMs = ticks * interval * 1000 + configuration.queueRetention * 1000 + DAY_MS;
  return { seed, fanouts: [fanout], ...faults, startsAt, maxSteps: MAX_STEPS, maxMs };
}

/** The Scheduler gives times without fractions of a second. */
function tickSpec(at: number, startsAt: number): TickSpec {
  return { at, scheduledTime: new Date(startsAt + at).toISOString().replace('.000Z', 'Z') };
}
