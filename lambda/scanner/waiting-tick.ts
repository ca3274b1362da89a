import type { LockItem, WaitingTick } from '../contract';
import { ITEM_KEYS } from '../contract';
import type { Condition } from '../ports';
import { when } from '../ports';
import type { ScannerContext } from './context';
import { LockLost } from './interruptions';
import type { HeldLock } from './lock';
import { skipRun } from './run-ledger';

/** Tries of a holder to let a tick wait behind it; each but the last met another tick. */
const MAX_TRIES = 4;

/** What became of a tick that wants to wait: `moved` where the lock changed hands meanwhile. */
export type Queueing = 'queued' | 'skipped' | 'duplicate' | 'moved';

/**
 * Lets a tick wait for the holder of the lock. Only the newest one waits: of two, the older becomes `skipped`. That is written down first, so that a crash in between leaves no tick without a
 * trace: the newer one is delivered again.
 *
 * @param lock as it was read
 */
export async function queueTick(context: ScannerContext, lock: LockItem, tick: WaitingTick): Promise<Queueing> {
  const { store, fanoutId } = context;
  const { waiting } = lock;
  if (waiting?.runId === tick.runId) {
    return 'queued';
  }
  if (waiting !== undefined) {
    const [older, newer] = isOlder(tick, waiting) ? [tick, waiting] : [waiting, tick];
    const refused = await refuseTick(context, older, `the newer tick ${newer.runId} waits in its place`);
    if (older === tick) {
      return refused;
    }
  }
  const key = ITEM_KEYS.lock(fanoutId);
  const set = [[['waiting'], { ...tick }]] as const;
  const result = await store.update<LockItem>(key, { set }, isUnchanged(lock));
  if (result.applied) {
    context.metrics.add('TicksQueued', 1);
  }
  const stored = result.applied ? result.item : await store.get<LockItem>(key);
  return stored?.waiting?.runId === tick.runId ? 'queued' : 'moved';
}

/** Lets a tick wait behind the run that the lock is held for. @throws LockLost */
export async function queueBehind(
  context: ScannerContext,
  held: HeldLock,
  tick: WaitingTick,
): Promise<Exclude<Queueing, 'moved'>> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const lock = await context.store.get<LockItem>(ITEM_KEYS.lock(context.fanoutId));
    if (lock?.fence !== held.fence) {
      throw new LockLost('another invocation took the lock');
    }
    const queueing = await queueTick(context, lock, tick);
    if (queueing !== 'moved') {
      return queueing;
    }
  }
  throw new Error(`tick ${tick.runId} could not wait for the lock in ${MAX_TRIES} tries`);
}

/**
 * Writes a refused tick down, and says so: it is counted, never silent. A late delivery of a tick that has a run already is no refusal.
 */
export async function refuseTick(
  context: ScannerContext,
  tick: WaitingTick,
  cause: string,
): Promise<'skipped' | 'duplicate'> {
  if (!(await skipRun(context, tick, cause))) {
    return 'duplicate';
  }
  context.logger.warn('a tick was refused', { runId: tick.runId, cause });
  return 'skipped';
}

/** Whether a tick is older than another, by their scheduled times; one whose time cannot be read is not. */
export function isOlder({ tick }: Pick<WaitingTick, 'tick'>, than: Pick<WaitingTick, 'tick'>): boolean {
  return timeOf(tick) < timeOf(than.tick);
}

function timeOf({ scheduledTime }: WaitingTick['tick']): number {
  return typeof scheduledTime === 'string' ? Date.parse(scheduledTime) : Number.NaN;
}

function isUnchanged({ fence, token, waiting }: LockItem): Condition {
  return when.all(
    when.compare('fence', '=', fence),
    token === undefined ? when.absent('token') : when.compare('token', '=', token),
    waiting === undefined ? when.absent('waiting') : when.compare(['waiting', 'runId'], '=', waiting.runId),
  );
}
