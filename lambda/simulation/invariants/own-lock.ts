import type { LockItem, RunItem } from '../../contract';
import { ITEM_KEYS } from '../../contract';
import type { Instance } from '../world/instance';
import type { Observation } from '../world/observation';
import type { Watched } from './invariant';

/** Who takes a lock knows it, also where the reply was lost: a tick is no duplicate of its own delivery. */
export function leftToItself(
  { world, ledger, violated }: Watched,
  { by, fanoutId, event, outcome }: Extract<Observation, { type: 'answered' }>,
  taken: string | undefined,
): void {
  const lock = world.memory.peek(ITEM_KEYS.lock(fanoutId)) as LockItem | undefined;
  const isHolder = lock?.token !== undefined && lock.token === taken;
  if (event.kind === 'tick' && outcome === 'duplicate' && isHolder && !ledger.runs.has(`${fanoutId}|${lock.runId}`)) {
    violated(`${by.name} leaves tick ${event.scheduledTime} to the holder of the lock, which is itself`);
  }
}

/** A tick is refused because of another run, never by the lock that its own delivery holds. */
export function refused(
  { world, violated }: Watched,
  { by, key, fanoutId, before, after }: Extract<Observation, { type: 'written' }>,
  taken: string | undefined,
): void {
  const run = key.sk.startsWith('RUN#') && before === undefined ? (after as RunItem | undefined) : undefined;
  const lock = world.memory.peek(ITEM_KEYS.lock(fanoutId)) as LockItem | undefined;
  const isOwn = lock?.token !== undefined && lock.runId === run?.runId && lock.token === taken;
  if (run?.state === 'skipped' && isOwn) {
    violated(`${by.name} refuses tick ${run.runId} because of the lock that it holds itself`);
  }
}

/** Nobody takes or gives back a lock that is another's. */
export function lockWritten(
  { violated }: Watched,
  { by, before, after, fanoutId }: Extract<Observation, { type: 'written' }>,
  holders: Map<string, Instance>,
  handedOver: ReadonlySet<string>,
): void {
  const [old, now] = [before as LockItem | undefined, after as LockItem | undefined];
  if (now?.token !== undefined && now.token !== old?.token) {
    holders.set(now.token, by);
    if (old !== undefined && now.fence <= old.fence) {
      violated(`${by.name} takes the lock without a newer fence`);
    }
    const isFree = old?.token === undefined || old.leaseUntil <= by.clock.now();
    if (!isFree && !handedOver.has(`${fanoutId}|${old.fence}`)) {
      violated(`${by.name} takes the lock that ${holders.get(old.token ?? '')?.name ?? '?'} holds`);
    }
  } else if (old?.token !== undefined && holders.get(old.token) !== by && !onlyWaits(old, now)) {
    violated(`${by.name} changes the lock that ${holders.get(old.token)?.name ?? '?'} holds`);
  }
}

/** Whether a write to the lock only lets a tick wait, which anybody may. */
function onlyWaits(old: LockItem, now: LockItem | undefined): boolean {
  return (['token', 'fence', 'leaseUntil', 'runId'] as const).every((name) => old[name] === now?.[name]);
}
