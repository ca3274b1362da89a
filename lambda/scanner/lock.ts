import type { ItemKey, LockItem, WaitingTick } from '../contract';
import { ITEM_KEYS } from '../contract';
import type { Clock, Condition, Logger, Path, StateStore, Timer } from '../ports';
import { when } from '../ports';
import type { ScannerContext } from './context';
import { LockLost, RunCancelled } from './interruptions';

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
  private tick: WaitingTick | undefined;
  private onStop: (() => void) | undefined;
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
    this.tick = stored.waiting;
  }

  /** The run that is to be scanned: one that an earlier holder did not finish, else the one that was asked for. */
  get runId(): string {
    return this.currentRun;
  }

  /** Whether nobody else can have taken the lock yet, by this process's clock. */
  get isHeld(): boolean {
    return !this.lost && this.clock.now() < this.leaseUntil;
  }

  /** The tick that was waiting when the lock was last written. */
  get waiting(): WaitingTick | undefined {
    return this.tick;
  }

  /** Whether a later tick has cancelled the run, as far as the lock tells. */
  get isCancelled(): boolean {
    return this.tick?.cancels !== undefined && this.tick.cancels === this.currentRun;
  }

  /** Nothing more of the run may be written or sent once it is cancelled. @throws LockLost, RunCancelled */
  assertWanted(): void {
    this.assertHeld();
    if (this.isCancelled) {
      throw new RunCancelled();
    }
  }

  /** @throws LockLost */
  assertHeld(): void {
    if (!this.isHeld) {
      throw new LockLost(this.lost ? 'another invocation took the lock' : 'the lease of the lock has lapsed');
    }
  }

  /** Renews by timer, until {@link stop}; `onStop` is called when the lock is found lost or its run cancelled. */
  keep(onStop: () => void): void {
    this.onStop = onStop;
    this.arm();
  }

  /** Stops renewing by timer. */
  stop(): void {
    this.onStop = undefined;
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

  /** Turns to another run, the one before being finished or never begun. It waits no longer. @throws LockLost */
  async retarget(runId: string): Promise<void> {
    this.assertHeld();
    const set = [[['runId'], runId]] as const;
    const isWaiting = when.compare(['waiting', 'runId'], '=', runId);
    const taken = await this.store.update<LockItem>(
      this.key,
      { set, remove: [['waiting']] },
      when.all(this.isMine(), isWaiting),
    );
    if (taken.applied) {
      this.tick = undefined;
    } else {
      await this.write(set);
    }
    this.currentRun = runId;
  }

  /**
   * Gives the lock back, its run being finished. A lock that was lost is left alone.
   *
   * @returns the tick that waits, if there is one: then the lock is kept for it
   */
  async release(): Promise<WaitingTick | undefined> {
    const { onStop } = this;
    this.stop();
    await this.renewing;
    const isReleased = await this.store.update(
      this.key,
      { set: [[['leaseUntil'], 0]], remove: [['token'], ['runId']] },
      when.all(this.isMine(), when.absent('waiting')),
    );
    const stored = isReleased.applied ? undefined : await this.stored();
    if (stored?.token !== this.token) {
      this.lost = true;
      return undefined;
    }
    this.tick = stored.waiting;
    if (onStop !== undefined) {
      this.keep(onStop);
    }
    return stored.waiting;
  }

  /** Gives the lock back with its run unfinished: the next invocation goes on with it, and a tick that waits goes on waiting. */
  async abandon(): Promise<void> {
    this.stop();
    await this.renewing;
    this.lost = true;
    await this.store.update(this.key, { set: [[['leaseUntil'], 0]], remove: [['token']] }, this.isMine());
  }

  /** The lock as it is stored now. */
  stored(): Promise<LockItem | undefined> {
    return this.store.get<LockItem>(this.key);
  }

  private arm(): void {
    if (this.onStop === undefined) {
      return;
    }
    this.timer = this.clock.setTimer(this.leaseMs / RENEWALS_PER_LEASE, () => {
      void this.renewByTimer().finally(() => {
        this.arm();
      });
    });
  }

  private async renewByTimer(): Promise<void> {
    try {
      await this.renew();
      if (this.isCancelled) {
        this.onStop?.();
      }
    } catch (error) {
      if (!(error instanceof LockLost)) {
        this.logger.warn('the lock could not be renewed', { error });
        return;
      }
      this.onStop?.();
      this.onStop = undefined;
    }
  }

  private async write(set: readonly (readonly [Path, string | number])[]): Promise<void> {
    const result = await this.store.update<LockItem>(this.key, { set }, this.isMine());
    if (!result.applied) {
      this.lost = true;
      this.assertHeld();
      return;
    }
    this.tick = result.item.waiting;
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
