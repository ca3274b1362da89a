import { jobConfiguration } from '../../contract';
import type { Observation } from '../world/observation';
import { observing } from '../world/observation';
import type { FanoutView } from '../world/world-view';
import type { JobSpec, RecordSpec } from '../world/spec';
import { isWithout } from './attempts';
import { deathsAt, deathsOf, LOST } from './deaths';
import type { Invariant, InvariantRule, Watched } from './invariant';
import type { PlaceState, RunState } from './ledger-model';

/** Times that a source must have failed in a row for its run to fail. */
const SOURCE_TRIES = 4;

/** 1. Nothing is lost: every eligible record of a run has one outcome, with its reason; nothing is acknowledged before. */
export const nothingLost: InvariantRule = {
  name: 'nothing is lost',
  watch: (watched): Invariant => ({
    observe: observing({
      acknowledged: (observation) => {
        acknowledged(watched, observation);
      },
      backstopped: (observation) => {
        backstopped(watched, observation);
      },
      written: (observation) => {
        if (observation.key.sk === 'PAGE') {
          settledNow(watched, observation);
        }
      },
    }),
    atRest: () => {
      for (const run of watched.ledger.runs.values()) {
        checkRun(watched, run);
      }
      checkDead(watched);
    },
  }),
};

function acknowledged(
  { world, ledger, violated }: Watched,
  { fanoutId, envelope }: Extract<Observation, { type: 'acknowledged' }>,
): void {
  if (envelope?.fanout !== fanoutId) {
    return;
  }
  if (envelope.deathId !== undefined) {
    const dead = deathsOf(world.memory, fanoutId).find(({ deathId }) => deathId === envelope.deathId);
    if (dead?.state === 'dead' || dead?.state === 'redriven') {
      violated(`the redrive of ${envelope.key} is acknowledged before it has an outcome`);
    }
    return;
  }
  if (ledger.placeOfMessage(envelope)?.outcome === undefined) {
    violated(`${envelope.key} of run ${envelope.run} is acknowledged before it is settled`);
  }
}

function backstopped(
  { ledger, violated, fanouts }: Watched,
  { fanoutId, envelope, isLost }: Extract<Observation, { type: 'backstopped' }>,
): void {
  // Where the consumer may be out for long, the sweep settles what is lost.
  const mayBeOut = (fanouts.find(({ id }) => id === fanoutId)?.spec.outages.length ?? 0) > 0;
  if (!mayBeOut && envelope?.fanout === fanoutId && ledger.placeOfMessage(envelope)?.outcome === undefined) {
    violated(
      `${envelope.key} of run ${envelope.run} ${isLost ? 'grows too old' : 'is received too often'} and is not settled`,
    );
  }
}

/** What is settled now has the reason that its outcome names. */
function settledNow(watched: Watched, { key, before, change }: Extract<Observation, { type: 'written' }>): void {
  const { ledger, violated } = watched;
  for (const [[outcome], ordinals] of change?.add ?? []) {
    if (outcome === 'settled' || !(ordinals instanceof Set)) {
      continue;
    }
    for (const ordinal of ordinals as ReadonlySet<number>) {
      const place =
        (before?.[outcome] as ReadonlySet<number> | undefined)?.has(ordinal) === true
          ? undefined
          : ledger.placeAt(key.pk, ordinal);
      const reason = place === undefined ? undefined : missingReason(watched, place, outcome);
      if (place !== undefined && (place.outcome !== outcome || reason !== undefined)) {
        violated(
          `${place.key ?? place.hash} of run ${place.runId} is settled as ${outcome}, ${reason ?? `but it is ${place.outcome ?? 'open'}`}`,
        );
      }
    }
  }
}

function isCancelled({ runs }: Watched['ledger'], { fanoutId, runId }: PlaceState): boolean {
  return runs.get(`${fanoutId}|${runId}`)?.item.state === 'cancelled';
}

/** Whether a record that was never started is older than its job allows. */
function isStale({ ledger, fanouts, world }: Watched, { fanoutId, runId, jobType }: PlaceState): boolean {
  const startedAt = ledger.runs.get(`${fanoutId}|${runId}`)?.item.startedAt ?? Infinity;
  const fanout = fanouts.find(({ id }) => id === fanoutId);
  const { expiresAfter } = fanout === undefined ? {} : jobConfiguration(fanout.spec.configuration, jobType);
  return expiresAfter !== undefined && world.clock.now() + 2 * world.spec.skewMs > startedAt + expiresAfter * 1000;
}

function missingReason(watched: Watched, place: PlaceState, outcome: string): string | undefined {
  const { ledger, world } = watched;
  const { memory } = world;
  switch (outcome) {
    case 'succeeded':
      if (deathsAt(memory, place).length > 0) {
        return 'though it is dead';
      }
      return place.calls.some(({ result }) => result === 'succeeded') ? undefined : 'though no call has succeeded';
    case 'withdrawn':
      return place.claim !== undefined ? 'though it was claimed' : undefined;
    case 'cancelled':
      return isCancelled(ledger, place) ? undefined : 'though its run is not cancelled';
    case 'expired':
      if (place.claim !== undefined) {
        return 'though it was claimed';
      }
      return isStale(watched, place) ? undefined : 'though it is not too old';
    case 'dead': {
      const dead = deathsAt(memory, place)[0];
      return dead === undefined
        ? 'without a cause'
        : dead.cause === LOST || place.isGone === true || ledger.buried.has(dead.deathId)
          ? undefined
          : 'and is not in the dead-letter queue';
    }
    default:
      return undefined;
  }
}

function checkRun(watched: Watched, run: RunState): void {
  const { fanouts, violated, world } = watched;
  const { state, cause } = run.item;
  const fanout = fanouts.find(({ id }) => id === run.fanoutId);
  if (state === 'skipped' || state === 'cancelled') {
    return;
  }
  if (state === 'failed') {
    // The source of a user may fail by itself.
    if (world.plan.struck.length < SOURCE_TRIES && fanout !== undefined && fanout.tables.size > 0) {
      violated(`run ${run.runId} failed without a reason: ${cause ?? ''}`);
    }
    return;
  }
  // What a deployment removes may be read in part.
  const isKept = ({ jobType }: JobSpec): boolean => fanout?.spec.deploys.some(isWithout(jobType)) !== true;
  for (const { jobType, records } of fanout?.spec.jobs.filter(isKept) ?? []) {
    const changed = fanout?.tables.get(jobType)?.changed;
    for (const record of records) {
      if (fanout !== undefined && changed?.has(record.key) === false) {
        checkRecord(watched, fanout, run, jobType, record);
      }
    }
  }
}

/** A record that was there all the time has a place, or a reason for having none. */
function checkRecord(
  { world, ledger, violated }: Watched,
  { id, spec }: FanoutView,
  { runId, item: { startedAt } }: RunState,
  jobType: string,
  record: RecordSpec,
): void {
  const places = ledger.placesOf(id, runId, jobType, record.key);
  const kept = places.filter(({ outcome }) => outcome !== 'withdrawn');
  const outcome = kept[0]?.outcome;
  // A run that is resumed may find what it has withdrawn in flight or in quarantine from a run that came meanwhile.
  if (kept.length === 0 && record.flaw === undefined) {
    const since = startedAt - 2 * world.spec.skewMs;
    const { quarantine } = jobConfiguration(spec.configuration, jobType);
    const blocks = ({ settledAt = Infinity, outcome: other }: PlaceState): boolean =>
      settledAt >= since || (other === 'dead' && settledAt >= since - quarantine * 1000);
    // Also by its redrive, or by the death that this led to.
    const isRedriven = (place: PlaceState): boolean =>
      deathsAt(world.memory, place).some(
        ({ deathId, diedAt }) =>
          diedAt >= since - quarantine * 1000 ||
          (ledger.redrivenAt.has(deathId) && (ledger.redriveEndedAt.get(deathId) ?? Infinity) >= since),
      );
    const others = ledger.placesOfKey(id, jobType, record.key).filter((place) => place.runId !== runId);
    if (!others.some((place) => blocks(place) || isRedriven(place))) {
      violated(
        `${record.key} is missing in run ${runId}: ${places.length > 0 ? 'withdrawn' : 'not sent'}, and neither in flight nor in quarantine from another run`,
      );
    }
  }
  if (outcome === 'obsolete' && record.obsolete !== true) {
    violated(`${record.key} of run ${runId} is settled as obsolete, which it is not`);
  }
  if (outcome === 'rejected' && record.flaw === undefined) {
    violated(`${record.key} of run ${runId} is rejected without a flaw`);
  }
}

/** Every death that was written down lies in the dead-letter queue, or was redriven from there. */
function checkDead({ world, fanouts, ledger, violated }: Watched): void {
  for (const { id } of fanouts) {
    for (const dead of deathsOf(world.memory, id)) {
      const isLost = dead.cause === LOST || ledger.placeOfDeath(id, dead)?.isGone === true;
      if (!isLost && !ledger.buried.has(dead.deathId)) {
        violated(`${dead.key} is dead and not in the dead-letter queue`);
      }
    }
  }
}
