import type { LockItem, OpenItem, PageItem } from '../../contract';
import { ITEM_KEYS } from '../../contract';
import type { Instance } from '../world/instance';
import type { Invariant, InvariantRule, Watched } from './invariant';

/** Calls of ports that one invocation makes at most: for itself, for each record there is, and for each page there may be. */
const CALLS = { fixed: 400, perRecord: 40 };

/** 10. No invocation calls without end, and nothing is left behind: no claim of a settled record, no row of the index, no lock. */
export const bounded: InvariantRule = {
  name: 'bounded',
  watch: (watched): Invariant => {
    const { fanouts, violated } = watched;
    const counts = new Map<Instance, number>();
    const records = fanouts.flatMap(({ spec }) => spec.jobs).reduce((sum, job) => sum + job.records.length, 0);
    // How much the source of a user yields is seen only while it does.
    let yielded = 0;
    return {
      observe: (observation) => {
        if (observation.type === 'yielded') {
          yielded += 1;
        } else if (observation.type === 'invoked') {
          counts.set(observation.by, 0);
        } else if (observation.type === 'called') {
          const count = (counts.get(observation.by) ?? 0) + 1;
          counts.set(observation.by, count);
          if (count > CALLS.fixed + CALLS.perRecord * (records > 0 ? records : yielded)) {
            violated(`${observation.by.name} has made ${count} calls in one invocation`);
          }
        }
      },
      waitsFor: () => leftover(watched),
      atRest: () => {
        for (const item of watched.world.memory.peekAll()) {
          const { settled, claims, pk } = item as unknown as PageItem;
          const left =
            item.sk === 'PAGE' ? Object.keys(claims).find((ordinal) => settled?.has(Number(ordinal))) : undefined;
          if (left !== undefined) {
            violated(`the claim of ordinal ${left} of ${pk} outlives its outcome`);
          }
        }
      },
    };
  },
};

/** Rows of the index and runs of the lock that nobody has cleared away yet. */
function leftover({ world, fanouts, ledger }: Watched): string | undefined {
  for (const { id } of fanouts) {
    const lock = world.memory.peek(ITEM_KEYS.lock(id)) as LockItem | undefined;
    if (lock?.token !== undefined || lock?.runId !== undefined || lock?.waiting !== undefined) {
      return `the lock of ${id} is held for ${lock.runId ?? 'nothing'}`;
    }
    for (const row of world.memory.peekAll(ITEM_KEYS.openPartition(id))) {
      const { runId, page, sk } = row as unknown as OpenItem;
      const state = ledger.runs.get(`${id}|${runId}`)?.item.state;
      return `row ${sk} of the index, run ${state ?? 'unknown'}${page === undefined ? '' : `, page ${page}`}`;
    }
  }
  return undefined;
}
