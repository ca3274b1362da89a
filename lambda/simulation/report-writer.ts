import type { RunTotals } from '../contract';
import { SETTLED_OUTCOMES } from '../contract';
import { decodeEnvelope } from '../ledger';
import { textOf } from '../scanner/record-check';
import { deathsAt } from './invariants/deaths';
import type { Invariant, InvariantRule } from './invariants/invariant';
import type { PlaceState, RunState } from './invariants/ledger-model';
import type { FaultName } from './named-faults';
import { FAULT_NAMES, NAMED_FAULTS } from './named-faults';
import type {
  CallReport,
  DeadReport,
  RecordReport,
  RunReport,
  SimulatedOutcome,
  SimulationReport,
  TickReport,
} from './simulation-report';
import type { RecordLog } from './user-code/record-log';
import type { HandlerCall, Observation } from './world/observation';
import type { SimulatedFanout } from './world/fanout';
import type { FanoutSpec } from './world/spec';
import type { World, WorldResult } from './world/world';
import { isLeftOut, rejectedOf } from './yield-log';
import type { YieldLog } from './yield-log';

/** Lines of a trace that a report holds. */
const TRACE_LINES = 400;

const NO_TOTALS: RunTotals = {
  eligible: 0,
  enqueued: 0,
  rejected: 0,
  skipped: 0,
  duplicate: 0,
  succeeded: 0,
  dead: 0,
  cancelled: 0,
  expired: 0,
  obsolete: 0,
  withdrawn: 0,
};

/** Takes notes while a simulation runs, and writes its report. */
export class ReportWriter {
  private readonly calls: HandlerCall[] = [];
  /** To the deliveries of each tick. */
  private readonly answers = new Map<string, string[]>();

  constructor(
    private readonly yields: YieldLog,
    private readonly keys: RecordLog,
  ) {}

  /** Takes the notes; whatever happens is right. */
  readonly rule: InvariantRule = {
    name: 'the report',
    watch: (): Invariant => ({
      observe: (observation) => {
        this.observe(observation);
      },
    }),
  };

  private observe(observation: Observation): void {
    if (observation.type === 'handlerStarted') {
      this.calls.push(observation.call);
    } else if (observation.type === 'answered' && observation.event.kind === 'tick') {
      const { scheduledTime } = observation.event;
      this.answers.set(scheduledTime, [...(this.answers.get(scheduledTime) ?? []), observation.outcome]);
    } else if (observation.type === 'yielded') {
      const { runId, jobType, record } = observation;
      this.yields.add(runId, { jobType, record });
    }
  }

  /** The report of a world that has come to rest. */
  report(world: World, fanout: SimulatedFanout, { elapsedMs, steps }: WorldResult): SimulationReport {
    const runs = [...world.ledger.runs.values()].sort((one, other) => one.item.startedAt - other.item.startedAt);
    const records = runs.flatMap((run) => this.recordsOf(world, fanout, run));
    return {
      seed: world.spec.seed,
      outcomes: outcomesOf(records, fanout.spec.jobs.length > 1),
      records,
      calls: this.calls.map((call) => callReport(call, world.startedAt)),
      dead: deadReports(fanout),
      runs: runs.map(runReport),
      ticks: this.tickReports(fanout.spec),
      totals: runs.reduce((sum, { item }) => added(sum, item.totals ?? NO_TOTALS), NO_TOTALS),
      faults: faultsOf(world),
      elapsedMs: Math.round(elapsedMs),
      steps,
      trace: world.trace.text(world.startedAt, TRACE_LINES).join('\n'),
    };
  }

  private tickReports({ ticks }: FanoutSpec): TickReport[] {
    return ticks.map(({ scheduledTime }) => ({ scheduledTime, answers: this.answers.get(scheduledTime) ?? [] }));
  }

  private recordsOf(world: World, fanout: SimulatedFanout, run: RunState): RecordReport[] {
    const { ledger, memory } = world;
    const rejected = rejectedOf(memory, run.fanoutId, run.runId);
    return this.yields.keysOf(run.runId, this.keys).flatMap(({ jobType, key }): RecordReport[] => {
      const base = { runId: run.runId, jobType, key };
      const places = ledger.placesOf(run.fanoutId, run.runId, jobType, key);
      const place = places.find(({ outcome }) => outcome !== 'withdrawn') ?? places[0];
      if (place?.outcome !== undefined) {
        return [{ ...base, ...placeReport(world, place, place.outcome) }];
      }
      const refusal = rejected.records.find((one) => one.jobType === jobType && one.key === key);
      if (refusal !== undefined) {
        return [{ ...base, outcome: 'rejected', attempts: 0, cause: refusal.cause }];
      }
      const isSkipped = isLeftOut(fanout, ledger, run, { jobType, key }, world.spec.skewMs);
      return isSkipped ? [{ ...base, outcome: 'skipped', attempts: 0 }] : [];
    });
  }
}

function placeReport(
  world: World,
  place: PlaceState,
  outcome: SimulatedOutcome,
): Pick<RecordReport, 'outcome' | 'attempts' | 'cause'> {
  const attempts = place.calls.length + place.uncalled.length;
  const cause = outcome === 'dead' ? deathsAt(world.memory, place)[0]?.cause : undefined;
  return { outcome, attempts, ...(cause !== undefined && { cause }) };
}

function outcomesOf(records: readonly RecordReport[], isNamed: boolean): Readonly<Record<string, SimulatedOutcome>> {
  const outcomes = new Map<string, SimulatedOutcome>();
  for (const { jobType, key, outcome } of records) {
    const name = isNamed ? `${jobType}/${key}` : key;
    if (outcome !== 'skipped' || !outcomes.has(name)) {
      outcomes.set(name, outcome);
    }
  }
  return Object.fromEntries(outcomes);
}

function callReport(call: HandlerCall, startedAt: number): CallReport {
  const { runId, jobType, key, group, attempt, idempotencyKey, endedAt, result, thrown } = call;
  return {
    runId,
    jobType,
    key,
    group,
    attempt,
    idempotencyKey,
    start: Math.round(call.startedAt - startedAt),
    ...(endedAt !== undefined && { end: Math.round(endedAt - startedAt) }),
    result: result ?? 'cutOff',
    ...(result === 'failed' && { error: textOf(thrown) }),
  };
}

function deadReports({ deadLetterQueue }: SimulatedFanout): DeadReport[] {
  return deadLetterQueue.list().flatMap(({ body }): DeadReport[] => {
    const decoded = decodeEnvelope(body);
    if (decoded.kind !== 'valid') {
      return [];
    }
    const { envelope } = decoded;
    const { run: runId, job: jobType, key, group, payload } = envelope;
    const death = 'death' in envelope ? envelope.death : undefined;
    const { cause = 'Backstop', attempts = 0, errorName = '', errorMessage = '' } = death ?? {};
    return [{ runId, jobType, key, group, payload, cause, attempts, errorName, errorMessage }];
  });
}

function runReport({ runId, item }: RunState): RunReport {
  const { state, totals, cause } = item;
  return { runId, state, ...(totals !== undefined && { totals }), ...(cause !== undefined && { cause }) };
}

function added(one: RunTotals, other: RunTotals): RunTotals {
  const names = ['eligible', 'enqueued', 'duplicate', ...SETTLED_OUTCOMES] as const;
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as RunTotals;
}

function faultsOf({ plan }: World): SimulationReport['faults'] {
  const counts = FAULT_NAMES.map((name): [FaultName, number] => {
    const parts = Object.keys(NAMED_FAULTS[name].rates);
    return [name, parts.reduce((sum, part) => sum + (plan.counts.get(part) ?? 0), 0)];
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
