import type { ItemKey, LockItem } from '../contract';
import { ITEM_KEYS } from '../contract';
import type { Clock, Condition, Logger, Path, StateStore, Timer } from '../ports';
import { when } from '../ports';
import type { ScannerContext } from './context';
import { LockLost } from './interruptions';

const MS_PER_SECOND = 1000;
/** Renewals in one lease: two may fail before it lapses. */
const RENEWALS_PER_LEASE = 3;
/** Tries of one acquisition; each but the last found the lock changed under its hands. */
const MAX_TRIES = 4;

/** What an acquisition answers. */
export type Acquisition =
  | { readonly kind: 'acquired'; readonly lock: HeldLock }
  /** Somebody else holds it. */
  | { readonly kind: 'refused'; readonly holder: LockItem };

/**
 * Acquires the orchestration lock: when it is free, when its lease has lapsed, or when `fence` is the newest one (a continuation takes over from the invocation that handed over
 * to it). It never waits.
 *
 * ```
 * acquire ── lease ──► lapsed            taken by whoever comes
 *    └─ renew ─ renew ── lease ──► lapsed
 * ```
 *
 * A holder that did not finish leaves its run in the lock: whoever acquires it next, for whatever run, gets that run to finish first ({@link HeldLock.runId}).
 */
export async function acquireLock(
  context: ScannerContext,
  wanted: { readonly runId: string; readonly fence?: number },
): Promise<Acquisition> {
  const { store, clock, randomness, fanoutId } = context;
  const key = ITEM_KEYS.lock(fanoutId);
  const token = randomness.token();
  let failure: unknown;
  let stored = await store.get<LockItem>(key);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (stored !== undefined && !isFree(stored, clock.now()) && stored.fence !== wanted.fence) {
      return { kind: 'refused', holder: stored };
    }
    // Read before the write, so that this process never thinks its lease longer than it is.
    const now = clock.now();
    const fields = {
      token,
      fence: (stored?.fence ?? 0) + 1,
      leaseUntil: now + context.configuration.lease * MS_PER_SECOND,
      runId: stored?.runId ?? wanted.runId,
    };
    try {
      const set = Object.entries(fields).map(([name, value]): [Path, string | number] => [[name], value]);
      const result = await store.update<LockItem>(key, { set }, acquirable(stored, now));
      // Also a refusal is looked at: a retry inside of the SDK is refused by the first try's success.
      stored = result.applied ? result.item : await store.get<LockItem>(key);
    } catch (error) {
      failure = error;
      stored = await store.get<LockItem>(key);
    }
    if (stored?.token === token) {
      return { kind: 'acquired', lock: new HeldLock(context, key, stored, token) };
    }
  }
  throw new Error(`the lock of ${fanoutId} could not be acquired in ${MAX_TRIES} tries`, { cause: failure });
}

/** Whether anybody may take a lock now. */
export function isFree({ token, leaseUntil }: LockItem, now: number): boolean {
  return token === undefined || leaseUntil <= now;
}

/** One acquisition of the lock, renewed while it is held. */
export class HeldLock {
  readonly fence: number;
  private readonly clock: Clock;
  private readonly store: StateStore;
  private readonly logger: Logger;
  private readonly leaseMs: number;
  private leaseUntil: number;
  private currentRun: string;
  private lost = false;
  private timer: Timer | undefined;
  private isKept = false;
  private renewing: Promise<void> = Promise.resolve();

  constructor(
    { clock, store, logger, configuration }: ScannerContext,
    private readonly key: ItemKey,
    stored: LockItem,
    private readonly token: string,
  ) {
    [this.clock, this.store, this.logger] = [clock, store, logger];
    this.leaseMs = configuration.lease * MS_PER_SECOND;
    this.fence = stored.fence;
    this.leaseUntil = stored.leaseUntil;
    this.currentRun = stored.runId ?? '';
  }

  /** The run that is to be scanned: one that an earlier holder did not finish, else the one that was asked for. */
  get runId(): string {
    return this.currentRun;
  }

  /** Whether nobody else can have taken the lock yet, by this process's clock. */
  get isHeld(): boolean {
    return !this.lost && this.clock.now() < this.leaseUntil;
  }

  /** @throws LockLost */
  assertHeld(): void {
    if (!this.isHeld) {
      throw new LockLost(this.lost ? 'another invocation took the lock' : 'the lease of the lock has lapsed');
    }
  }

  /** Renews by timer, until {@link stop}; `onLost` is called once when the lock is found lost. */
  keep(onLost: () => void): void {
    this.isKept = true;
    this.arm(onLost);
  }

  /** Stops renewing by timer. */
  stop(): void {
    this.isKept = false;
    this.timer?.cancel();
  }

  /**
   * Holds the lock for another lease. Renewals follow one another, so that the newest lease is the one that is stored.
   *
   * @throws LockLost
   */
  renew(): Promise<void> {
    const renewal = this.renewing.then(async () => {
      this.assertHeld();
      const leaseUntil = this.clock.now() + this.leaseMs;
      await this.write([[['leaseUntil'], leaseUntil]]);
      this.leaseUntil = leaseUntil;
    });
    this.renewing = renewal.catch(() => undefined);
    return renewal;
  }

  /** Turns to another run, the one before being finished or never begun. @throws LockLost */
  async retarget(runId: string): Promise<void> {
    this.assertHeld();
    await this.write([[['runId'], runId]]);
    this.currentRun = runId;
  }

  /** Gives the lock back, its run being finished. A lock that was lost is left alone. */
  release(): Promise<void> {
    return this.giveBack([['token'], ['runId']]);
  }

  /** Gives the lock back with its run unfinished: the next invocation goes on with it. */
  abandon(): Promise<void> {
    return this.giveBack([['token']]);
  }

  private arm(onLost: () => void): void {
    if (!this.isKept) {
      return;
    }
    this.timer = this.clock.setTimer(this.leaseMs / RENEWALS_PER_LEASE, () => {
      this.renew()
        .catch((error: unknown) => {
          if (error instanceof LockLost) {
            this.isKept = false;
            onLost();
          } else {
            this.logger.warn('the lock could not be renewed', { error });
          }
        })
        .finally(() => {
          this.arm(onLost);
        });
    });
  }

  private async giveBack(remove: Path[]): Promise<void> {
    this.stop();
    await this.renewing;
    this.lost = true;
    await this.store.update(this.key, { set: [[['leaseUntil'], 0]], remove }, this.isMine());
  }

  private async write(set: readonly (readonly [Path, string | number])[]): Promise<void> {
    const { applied } = await this.store.update(this.key, { set }, this.isMine());
    if (!applied) {
      this.lost = true;
      this.assertHeld();
    }
  }

  private isMine(): Condition {
    return when.compare('token', '=', this.token);
  }
}

/** Nobody acquired it since it was read, and it is free, lapsed, or handed over to the reader's fence. */
function acquirable(stored: LockItem | undefined, now: number): Condition {
  if (stored === undefined) {
    return when.newItem;
  }
  const unchanged = when.compare('fence', '=', stored.fence);
  return isFree(stored, now)
    ? when.all(unchanged, when.any(when.absent('token'), when.compare('leaseUntil', '<=', now)))
    : unchanged;
}
