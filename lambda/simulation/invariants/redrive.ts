import type { DeadItem } from '../../contract';
import type { Observation } from '../world/observation';
import { deathsAt, deathsOf } from './deaths';
import type { Invariant, InvariantRule, Watched } from './invariant';

/** States of a death after which it is not worked on any more. */
const OVER: ReadonlySet<string> = new Set(['succeeded', 'obsolete', 'deadAgain', 'purged']);

/** A redriven death runs once: it ends in one outcome, which stays, and the totals of its run keep the death. */
export const redrive: InvariantRule = {
  name: 'redrive',
  watch: (watched): Invariant => ({
    observe: (observation) => {
      if (observation.type === 'written' && observation.key.pk.endsWith('#DEAD')) {
        deathChanged(watched, observation);
      } else if (observation.type === 'queued') {
        sentAgain(watched, observation);
      }
    },
    atRest: () => {
      const deaths = watched.fanouts.flatMap(({ id }) => deathsOf(watched.world.memory, id));
      for (const { deathId, state, key } of deaths) {
        if (watched.ledger.redriven.has(deathId) && !OVER.has(state)) {
          watched.violated(`the redrive of ${key} ends as ${state}`);
        }
      }
    },
  }),
};

/** Our tools mark a death before they send its message. The console of SQS, which keeps the group of the death, cannot. */
function sentAgain(
  { world, violated }: Watched,
  { fanoutId, envelope, groupId }: Extract<Observation, { type: 'queued' }>,
): void {
  if (envelope?.deathId === undefined || groupId === envelope.deathId) {
    return;
  }
  const dead = deathsOf(world.memory, fanoutId).find(({ deathId }) => deathId === envelope.deathId);
  if (dead?.state === 'dead') {
    violated(`the redrive of ${envelope.key} is sent before its death is marked`);
  }
}

function deathChanged(watched: Watched, { before, after }: Extract<Observation, { type: 'written' }>): void {
  const { violated } = watched;
  checkCount(watched, after as DeadItem | undefined);
  const [old, now] = [before as DeadItem | undefined, after as DeadItem | undefined];
  if (old !== undefined && OVER.has(old.state) && now?.state !== old.state) {
    violated(`the redrive of ${old.key} goes from ${old.state} to ${now?.state ?? 'nothing'}`);
  }
}

/** A record has one death, and one more for each redrive. */
function checkCount({ world, fanouts, ledger, violated }: Watched, dead: DeadItem | undefined): void {
  const fanout = fanouts.find(({ id }) => dead?.pk.startsWith(`${id}#`));
  const place = dead === undefined || fanout === undefined ? undefined : ledger.placeOfDeath(fanout.id, dead);
  if (place !== undefined) {
    const deaths = deathsAt(world.memory, place);
    const redriven = deaths.filter(({ deathId }) => ledger.redriven.has(deathId));
    if (deaths.length > redriven.length + 1) {
      violated(
        `${place.key ?? place.hash} of run ${place.runId} has ${deaths.length} deaths and ${redriven.length} redrives`,
      );
    }
  }
}
