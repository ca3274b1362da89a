import type { KeysItem, RejectedRecord } from '../contract';
import { jobConfiguration } from '../contract';
import type { Invariant, InvariantRule, Watched } from './invariants/invariant';
import type { LedgerModel, PlaceState, RunState } from './invariants/ledger-model';
import type { MemoryStateStore } from './memory-state-store';
import type { RecordLog } from './user-code/record-log';
import type { FanoutView } from './world/world-view';

/** A record that a source yielded. */
export interface Yielded {
  readonly jobType: string;
  readonly record: unknown;
}

/** What the sources of a user's jobs yielded, run by run. */
export class YieldLog {
  /** Everything that was yielded, those that were read again included. */
  count = 0;
  private readonly runs = new Map<string, Yielded[]>();

  /** Takes note of a record. */
  add(runId: string, yielded: Yielded): void {
    this.count += 1;
    const run = this.runs.get(runId) ?? [];
    this.runs.set(runId, run);
    run.push(yielded);
  }

  /** Records of a run by job and key, in the order in which they came first; `known` says which key a record has. */
  keysOf(runId: string, known: RecordLog): { readonly jobType: string; readonly key: string }[] {
    const keys = new Map<string, { jobType: string; key: string }>();
    for (const { jobType, record } of this.runs.get(runId) ?? []) {
      const key = known.keyOf(record);
      if (key !== undefined) {
        keys.set(`${jobType}|${key}`, { jobType, key });
      }
    }
    return [...keys.values()];
  }
}

/** Records that a run rejected before they had a message; `isComplete` where the ledger names all of them. */
export function rejectedOf(
  memory: MemoryStateStore,
  fanoutId: string,
  runId: string,
): { readonly records: readonly (RejectedRecord & { readonly jobType: string })[]; readonly isComplete: boolean } {
  const keys = ([...memory.peekAll()] as unknown as KeysItem[]).filter(
    ({ pk, sk }) => pk.startsWith(`${fanoutId}#${runId}#`) && sk.startsWith('KEYS#'),
  );
  return {
    records: keys.flatMap(({ pk, rejected }) => rejected.map((one) => ({ ...one, jobType: pk.split('#')[2] ?? '' }))),
    isComplete: keys.every(({ rejected, rejectedCount }) => rejected.length === rejectedCount),
  };
}

/** Whether a record may have been left out of a run because of another run: it was in flight there, or died there. */
export function isLeftOut(
  { spec }: FanoutView,
  ledger: LedgerModel,
  run: RunState,
  { jobType, key }: { readonly jobType: string; readonly key: string },
  skewMs: number,
): boolean {
  const since = run.item.startedAt - 2 * skewMs;
  const { quarantine } = jobConfiguration(spec.configuration, jobType);
  const leavesOut = ({ settledAt = Infinity, outcome }: PlaceState): boolean =>
    settledAt >= since || (outcome === 'dead' && settledAt >= since - quarantine * 1000);
  return ledger.placesOfKey(run.fanoutId, jobType, key).some((place) => place.runId !== run.runId && leavesOut(place));
}

/** 1, for records that a test gives, which do not change while a run reads them: each has a place in the run, or a reason for having none. */
export function yieldedAreKept(log: YieldLog, known: RecordLog): InvariantRule {
  return {
    name: 'nothing is lost',
    watch: (watched): Invariant => ({
      atRest: () => {
        for (const run of watched.ledger.runs.values()) {
          if (run.item.state === 'completed') {
            checkRun(watched, run, log, known);
          }
        }
      },
    }),
  };
}

function checkRun(watched: Watched, run: RunState, log: YieldLog, known: RecordLog): void {
  const { world, ledger, fanouts, violated } = watched;
  const fanout = fanouts.find(({ id }) => id === run.fanoutId);
  const rejected = rejectedOf(world.memory, run.fanoutId, run.runId);
  for (const record of fanout === undefined ? [] : log.keysOf(run.runId, known)) {
    const { jobType, key } = record;
    const places = ledger.placesOf(run.fanoutId, run.runId, jobType, key);
    const isKept =
      places.some(({ outcome }) => outcome !== 'withdrawn') ||
      !rejected.isComplete ||
      rejected.records.some((one) => one.jobType === jobType && one.key === key);
    if (fanout !== undefined && !isKept && !isLeftOut(fanout, ledger, run, record, world.spec.skewMs)) {
      violated(
        `${key} is missing in run ${run.runId}: neither sent, nor rejected, nor in flight or in quarantine elsewhere`,
      );
    }
  }
}
