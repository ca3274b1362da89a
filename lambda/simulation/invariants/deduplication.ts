import { jobConfiguration } from '../../contract';
import { deathsAt } from './deaths';
import type { Invariant, InvariantRule, Watched } from './invariant';
import type { PlaceState } from './ledger-model';

/** `whileInFlight` and `quarantine`: a record whose message is unsettled in another run, or that died lately, is not sent again. */
export const deduplication: InvariantRule = {
  name: 'deduplication',
  watch: (watched): Invariant => ({
    observe: (observation) => {
      if (observation.type !== 'queued' || observation.envelope?.deathId !== undefined) {
        return;
      }
      const place =
        observation.envelope === undefined ? undefined : watched.ledger.placeOfMessage(observation.envelope);
      // A call to SQS that began while its sender held the lock may end when the place is settled: the consumer drops such a message.
      if (place?.serial === observation.serial && place.outcome === undefined) {
        checkSent(watched, place);
      }
    },
  }),
};

function checkSent({ ledger, fanouts, world, violated }: Watched, place: PlaceState): void {
  const { fanoutId, jobType, runId, key = '' } = place;
  const fanout = fanouts.find(({ id }) => id === fanoutId);
  const policy = fanout === undefined ? undefined : jobConfiguration(fanout.spec.configuration, jobType);
  const others = ledger.placesOfKey(fanoutId, jobType, key).filter((other) => other.runId !== runId);
  const inFlight = others.find(({ outcome, serial }) => outcome === undefined && serial !== undefined);
  if (policy?.deduplication === 'whileInFlight' && inFlight !== undefined) {
    violated(`${key} is sent for run ${runId} while it is in flight for run ${inFlight.runId}`);
  }
  const startedAt = (ledger.runs.get(`${fanoutId}|${runId}`)?.item.startedAt ?? 0) - 2 * world.spec.skewMs;
  const since = world.clock.now() - (policy?.quarantine ?? 0) * 1000 + 2 * world.spec.skewMs;
  // Under `perRun` a record may be read while it is in flight elsewhere, and die there before it is sent.
  const until = policy?.deduplication === 'whileInFlight' ? place.writtenAt : startedAt;
  for (const other of others.filter(({ outcome }) => outcome === 'dead')) {
    const deaths = deathsAt(world.memory, other);
    const redriven = deaths.find(({ state }) => state === 'redriven');
    const isInFlight = redriven !== undefined && (ledger.redrivenAt.get(redriven.deathId) ?? Infinity) < startedAt;
    if (policy?.deduplication === 'whileInFlight' && isInFlight) {
      violated(`${key} is sent for run ${runId} while its redrive of run ${other.runId} is in flight`);
    }
    const dead = deaths.find(({ state }) => state === 'dead');
    const writtenAt = ledger.deathWrittenAt.get(dead?.deathId ?? '') ?? Infinity;
    if (dead !== undefined && dead.diedAt > since && writtenAt < until) {
      violated(`${key} is sent for run ${runId} though it died in run ${other.runId} and is in quarantine`);
    }
  }
}
