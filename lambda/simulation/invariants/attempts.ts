import type { Claim, DeadItem } from '../../contract';
import { isPermanentError } from '../../job/failures';
import type { HandlerCall, Observation } from '../world/observation';
import { envelopeOf } from '../world/queue-observer';
import type { DeploySpec } from '../world/spec';
import { checkBackOff } from './back-off';
import { LOST } from './deaths';
import type { Invariant, InvariantRule, Watched } from './invariant';
import type { PlaceState } from './ledger-model';

/** 6. Attempts are calls of the handler: never more than allowed, none used by waiting, and a record dies only by them or by a `PermanentError`. */
export const attempts: InvariantRule = {
  name: 'attempts are calls',
  watch: (watched): Invariant => {
    const cycles = new Map<PlaceState, number>();
    const redrivenDeaths = new Set<string>();
    const firstDeaths = new Map<PlaceState, string>();
    return {
      observe: (observation) => {
        if (observation.type === 'redriven') {
          const { envelope } = observation;
          const place = envelope === undefined ? undefined : watched.ledger.placeOfMessage(envelope);
          const deathId = envelope?.deathId ?? '';
          // A death that is redriven again is not given more calls.
          if (place !== undefined && !redrivenDeaths.has(deathId)) {
            redrivenDeaths.add(deathId);
            cycles.set(place, 0);
          }
        } else if (observation.type === 'handlerStarted') {
          const place = watched.ledger.placeOfCall(observation.call);
          if (place !== undefined && !watched.ledger.isRedrive(observation.call)) {
            started(watched, place, observation.call);
          } else if (place !== undefined) {
            redriven(watched, place, observation.call, cycles);
          }
        } else if (observation.type === 'written' && observation.key.pk.endsWith('#DEAD')) {
          if (observation.before === undefined && observation.after !== undefined) {
            died(watched, observation.after as unknown as DeadItem, firstDeaths);
          }
        } else if (observation.type === 'written' && observation.key.sk === 'PAGE') {
          claimChanged(watched, observation);
        }
      },
    };
  },
};

function started(watched: Watched, place: PlaceState, call: HandlerCall): void {
  const { violated } = watched;
  // The call itself is in the list already.
  const earlier = place.calls.slice(0, -1);
  const previous = earlier.at(-1)?.attempt ?? 0;
  if (call.attempt > call.maxAttempts || place.calls.length > call.maxAttempts) {
    violated(
      `${call.key} of run ${call.runId} is called ${place.calls.length} times, attempt ${call.attempt} of ${call.maxAttempts}`,
    );
  }
  checkBackOff(watched, earlier.at(-1), call);
  if (call.attempt <= previous) {
    violated(`${call.key} of run ${call.runId} is called as attempt ${call.attempt} after attempt ${previous}`);
  }
  const refused = earlier.find(({ thrown }) => isPermanentError(thrown));
  if (refused !== undefined && !watched.ledger.troubled.has(refused.instance.name)) {
    violated(`${call.key} of run ${call.runId} is called again after a PermanentError`);
  }
  const unused = call.attempt - place.calls.length - place.uncalled.length - excusedClaims(watched, place);
  if (unused > 0) {
    violated(`${call.key} of run ${call.runId} has lost ${unused} attempts without a call`);
  }
}

/** Claims of environments that met a fault or ended: they may not have come to their call. */
function excusedClaims({ ledger }: Watched, place: PlaceState): number {
  const callers = place.calls.map(({ instance }) => instance.name);
  let excused = 0;
  for (const claimant of place.claimants) {
    const index = callers.indexOf(claimant);
    if (index >= 0) {
      callers.splice(index, 1);
    } else if (ledger.troubled.has(claimant)) {
      excused += 1;
    }
  }
  return excused;
}

function redriven({ violated }: Watched, place: PlaceState, call: HandlerCall, cycles: Map<PlaceState, number>): void {
  const calls = (cycles.get(place) ?? 0) + 1;
  cycles.set(place, calls);
  if (call.attempt > call.maxAttempts || calls > call.maxAttempts) {
    violated(`${call.key} of run ${call.runId} is called ${calls} times in its redrive`);
  }
}

function died(watched: Watched, dead: DeadItem, firstDeaths: Map<PlaceState, string>): void {
  const { ledger, violated, fanouts } = watched;
  const fanoutId = dead.pk.slice(0, -'#DEAD'.length);
  const state = ledger.placeOfDeath(fanoutId, dead);
  if (state === undefined) {
    return;
  }
  const first = firstDeaths.get(state) ?? dead.deathId;
  firstDeaths.set(state, first);
  // A crash after the dead message was sent leaves the place open for a while: its redrive may be over before.
  if (state.outcome !== undefined || dead.deathId !== first) {
    diedInRedrive(watched, state, dead);
    return;
  }
  const { calls, uncalled } = state;
  if (dead.cause === LOST) {
    checkLost(watched, fanoutId, state);
    return;
  }
  const maxAttempts = calls.at(-1)?.maxAttempts;
  switch (dead.cause) {
    case 'PermanentError':
      if (![...calls, ...uncalled].some(({ thrown }) => isPermanentError(thrown))) {
        violated(`${dead.key} dies of a PermanentError that nobody threw`);
      }
      return;
    case 'AttemptsExhausted': {
      const used = calls.length + uncalled.length + excusedClaims(watched, state);
      if (maxAttempts !== undefined && (used < maxAttempts || dead.attempts !== maxAttempts)) {
        violated(`${dead.key} dies of ${dead.attempts} attempts, of which it had ${used} of ${maxAttempts}`);
      }
      return;
    }
    case 'NotRetryable':
      if (![...calls, ...uncalled].some(({ result, thrown }) => result === 'failed' || thrown !== undefined)) {
        violated(`${dead.key} dies of an error that nobody threw`);
      }
      return;
    case 'UnknownJobType':
      if (fanouts.find(({ id }) => id === fanoutId)?.spec.deploys.some(isWithout(state.jobType)) !== true) {
        violated(`${dead.key} dies because its job type is not known, which every deployment has`);
      }
      return;
    case 'InvalidPayload':
      if (calls.some(({ result }) => result === 'succeeded')) {
        violated(`${dead.key} dies of its payload, which was handled`);
      }
      return;
    default:
      violated(`${dead.key} dies of ${dead.cause}, far from the last receive`);
  }
}

/** The attempts of a redrive are counted anew. */
function diedInRedrive({ violated }: Watched, { redriveCalls }: PlaceState, dead: DeadItem): void {
  const maxAttempts = redriveCalls.at(-1)?.maxAttempts;
  if (dead.cause === 'AttemptsExhausted' && maxAttempts !== undefined && dead.attempts !== maxAttempts) {
    violated(`${dead.key} dies of ${dead.attempts} attempts in its redrive, of ${maxAttempts}`);
  }
}

/** Whether the code of a deployment does not have a job type. */
export function isWithout(jobType: string): (deploy: DeploySpec) => boolean {
  return ({ removed = [] }) => removed.includes(jobType);
}

/** Attempts of a claim go back only where its handler was not called. */
function claimChanged(
  { ledger, violated }: Watched,
  { key, before, change }: Extract<Observation, { type: 'written' }>,
): void {
  const claims = (before?.claims ?? {}) as unknown as Readonly<Record<string, Claim | undefined>>;
  for (const [[name, ordinal = ''], value] of change?.set ?? []) {
    const old = name === 'claims' ? claims[ordinal] : undefined;
    const now = value as unknown as Claim;
    if (old === undefined) {
      continue;
    }
    const place = ledger.placeAt(key.pk, Number(ordinal));
    const tried = place === undefined ? [] : [...place.calls, ...place.uncalled];
    const isCalled = tried.some(({ attempt }) => attempt === old.a);
    if (now.a < old.a && isCalled) {
      violated(`attempt ${old.a} of ${place?.key ?? ''} of run ${place?.runId ?? ''} is taken back after its call`);
    }
    const isReleased = old.t !== undefined && now.t === undefined && now.d === undefined;
    if (isReleased && !isCalled && now.a >= old.a) {
      violated(`attempt ${old.a} of ${place?.key ?? ordinal} is kept though its handler was not called`);
    }
  }
}

/** A record is lost only when its message is. */
function checkLost({ fanouts, violated }: Watched, fanoutId: string, place: PlaceState): void {
  const queue = fanouts.find(({ id }) => id === fanoutId)?.queue;
  const isThere = queue?.list().some(({ body }) => {
    const envelope = envelopeOf(body);
    return (
      envelope?.run === place.runId &&
      envelope.job === place.jobType &&
      envelope.segment === place.segment &&
      envelope.page === place.page &&
      envelope.ordinal === place.ordinal
    );
  });
  if (isThere === true) {
    violated(`${place.key ?? place.hash} of run ${place.runId} is settled as lost while its message is in the queue`);
  }
}
