import type { HandlerCall } from '../world/observation';
import { deathsAt } from './deaths';
import type { Invariant, InvariantRule, Watched } from './invariant';
import type { PlaceState } from './ledger-model';

/** 2. A handler is not called after the record's success is recorded, nor beside another one while that one's claim holds. */
export const once: InvariantRule = {
  name: 'once',
  watch: (watched): Invariant => {
    const running = new Map<PlaceState, Set<HandlerCall>>();
    const keys = new Map<string, string>();
    return {
      observe: (observation) => {
        if (observation.type === 'handlerEnded') {
          const place = watched.ledger.placeOfCall(observation.call);
          if (place !== undefined) {
            running.get(place)?.delete(observation.call);
          }
        }
        if (observation.type === 'handlerStarted') {
          started(watched, running, observation.call);
          checkKey(watched, keys, observation.call);
        }
      },
    };
  },
};

function started(watched: Watched, running: Map<PlaceState, Set<HandlerCall>>, call: HandlerCall): void {
  const { ledger, world, violated } = watched;
  const place = ledger.placeOfCall(call);
  if (place === undefined) {
    violated(`the handler is called for ${call.key}, which run ${call.runId} has not written down`);
    return;
  }
  const settled = ledger
    .placesOf(call.fanoutId, call.runId, call.jobType, call.key)
    .find(({ outcome }) => outcome !== undefined && outcome !== 'withdrawn');
  if (ledger.isRedrive(call)) {
    checkRedrive(watched, place, call);
  } else if (deathsAt(world.memory, place).length > 0) {
    violated(`the handler is called for ${call.key} of run ${call.runId}, whose death is written down`);
  } else if (settled !== undefined || place.outcome !== undefined) {
    violated(
      `the handler is called for ${call.key} of run ${call.runId}, which is settled as ${settled?.outcome ?? place.outcome ?? ''}`,
    );
  }
  const others = running.get(place) ?? new Set();
  running.set(place, others);
  for (const other of others) {
    const lease = place.leases.get(other.instance.name) ?? 0;
    const isHeld = other.instance.clock.now() <= lease || world.clock.now() <= other.deadline;
    if (other.instance.isAlive && other.instance !== call.instance && isHeld) {
      violated(`two handlers work on ${call.key} of run ${call.runId} while the claim of ${other.instance.name} holds`);
    }
  }
  others.add(call);
}

/** A record of a run has one idempotency key, whatever happens, and no other record has it. */
function checkKey({ violated }: Watched, keys: Map<string, string>, call: HandlerCall): void {
  const { fanoutId, runId, jobType, key, idempotencyKey } = call;
  const record = [fanoutId, runId, jobType, key].join('|');
  for (const [name, value] of [
    [`of ${record}`, idempotencyKey],
    [`with ${idempotencyKey}`, record],
  ] as const) {
    if ((keys.get(name) ?? value) !== value) {
      violated(
        `the idempotency key ${idempotencyKey} of ${key} of run ${runId} is not its own, or not the same as before`,
      );
    }
    keys.set(name, value);
  }
}

/** A redriven record is called only while its redrive is under way. */
function checkRedrive({ world, ledger, violated }: Watched, place: PlaceState, call: HandlerCall): void {
  const isUnderWay = deathsAt(world.memory, place).some(
    ({ state, deathId }) => state === 'redriven' && ledger.redriven.has(deathId),
  );
  if (!isUnderWay) {
    violated(`the handler is called for ${call.key} of run ${call.runId}, whose redrive is over or never began`);
  }
}
