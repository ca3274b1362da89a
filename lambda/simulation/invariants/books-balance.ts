import type { KeysItem, RunItem, RunTotals } from '../../contract';
import { SETTLED_OUTCOMES } from '../../contract';
import type { FanoutView } from '../world/world-view';
import type { Flaw } from '../world/spec';
import type { Invariant, InvariantRule, Watched } from './invariant';
import type { RunState } from './ledger-model';

const NEVER_KEYED: readonly Flaw[] = ['key', 'payload', 'large', 'schema', 'group'];

/** 7. The books of a run balance, agree with what happened, and are closed only when every record is settled. */
export const booksBalance: InvariantRule = {
  name: 'the books balance',
  watch: (watched): Invariant => ({
    observe: (observation) => {
      if (observation.type !== 'written' || !observation.key.sk.startsWith('RUN#')) {
        return;
      }
      const run = observation.after as RunItem | undefined;
      if (run?.completedAt !== undefined && (observation.before as RunItem | undefined)?.completedAt === undefined) {
        completed(watched, observation.fanoutId, run);
      }
    },
    waitsFor: () => {
      const open = [...watched.ledger.runs.values()].find(
        ({ item }) => item.completedAt === undefined && item.state !== 'skipped',
      );
      return open === undefined ? undefined : `run ${open.runId} is ${open.item.state}`;
    },
    atRest: () => {
      for (const run of watched.ledger.runs.values()) {
        const unsettled = run.places.find(({ outcome }) => outcome === undefined);
        if (unsettled !== undefined) {
          watched.violated(
            `${unsettled.key ?? unsettled.hash} of run ${run.runId}, which is ${run.item.state}, is not settled`,
          );
        }
      }
    },
  }),
};

function completed(watched: Watched, fanoutId: string, run: RunItem): void {
  const { ledger, violated, fanouts } = watched;
  const state = ledger.runs.get(`${fanoutId}|${run.runId}`);
  const { totals } = run;
  if (state === undefined || totals === undefined) {
    violated(`run ${run.runId} is completed without totals`);
    return;
  }
  const unsettled = state.places.find(({ outcome }) => outcome === undefined);
  if (unsettled !== undefined) {
    violated(`run ${run.runId} is completed while ${unsettled.key ?? unsettled.hash} is not settled`);
  }
  const sums = [
    [totals.eligible, totals.enqueued + totals.rejected + totals.skipped + totals.duplicate],
    [
      totals.enqueued,
      totals.succeeded + totals.dead + totals.cancelled + totals.expired + totals.obsolete + totals.withdrawn,
    ],
  ];
  if (sums.some(([left, right]) => left !== right)) {
    violated(`the totals of run ${run.runId} do not add up: ${JSON.stringify(totals)}`);
  }
  agreesWithPlaces(watched, state, totals);
  const fanout = fanouts.find(({ id }) => id === fanoutId);
  if (
    run.state === 'completed' &&
    fanout?.spec.jobs.every(({ changes }) => changes === 0) === true &&
    fanout.spec.deploys.every(({ removed = [] }) => removed.length === 0) &&
    fanout.tables.size > 0
  ) {
    agreesWithSource(watched, fanout, state, totals);
  }
}

function agreesWithPlaces(
  { world, violated }: Watched,
  { runId, places, fanoutId }: RunState,
  totals: RunTotals,
): void {
  const keys = ([...world.memory.peekAll()] as unknown as KeysItem[]).filter(
    ({ pk, sk }) => pk.startsWith(`${fanoutId}#${runId}#`) && sk.startsWith('KEYS#'),
  );
  const sum = (name: 'rejectedCount' | 'skippedCount'): number => keys.reduce((total, item) => total + item[name], 0);
  const early = { rejected: sum('rejectedCount'), skipped: sum('skippedCount') };
  for (const outcome of SETTLED_OUTCOMES) {
    const expected =
      places.filter((place) => place.outcome === outcome).length +
      (outcome === 'rejected' ? early.rejected : outcome === 'skipped' ? early.skipped : 0);
    if (totals[outcome] !== expected) {
      violated(`run ${runId} counts ${totals[outcome]} ${outcome}, there are ${expected}`);
    }
  }
}

function agreesWithSource(
  { violated }: Watched,
  { spec }: FanoutView,
  { runId, isRewound }: RunState,
  totals: RunTotals,
): void {
  const records = spec.jobs.flatMap((job) => job.records);
  const flawed = (flaws: readonly Flaw[]): number =>
    records.filter(({ flaw }) => flaw !== undefined && flaws.includes(flaw)).length;
  const [least, most] = [flawed(NEVER_KEYED), flawed([...NEVER_KEYED, 'refused'])];
  // What came a second time was withdrawn before, or is a duplicate.
  const fewest = totals.eligible - totals.withdrawn - (isRewound ? totals.duplicate : 0);
  if (fewest > records.length || totals.eligible - totals.withdrawn < records.length) {
    violated(
      `run ${runId} counts ${totals.eligible} eligible records, of which ${totals.withdrawn} are withdrawn; the source yields ${records.length}`,
    );
  }
  if (totals.rejected < least || totals.rejected > most) {
    violated(`run ${runId} counts ${totals.rejected} rejected records, ${most} are`);
  }
  if (totals.withdrawn > 0 && !isRewound) {
    violated(`run ${runId} withdraws ${totals.withdrawn} records of a source that does not change`);
  }
}
