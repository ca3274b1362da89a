import type { ContinuationEvent, LockItem, RunItem, ScannerAnswer, TickEvent } from '../contract';
import { ITEM_KEYS } from '../contract';
import { completeRunIfDue } from '../ledger';
import type { ScannerContext } from './context';
import type { DueWork } from './due-work';
import { doDueWork } from './due-work';
import { readEvent, runIdOfTick } from './event';
import { LockLost, RunFailure } from './interruptions';
import type { HeldLock } from './lock';
import { acquireLock, isFree } from './lock';
import type { ClaimedRun, RunStart } from './run-ledger';
import { readRun, skipRun, startRun, takeOverRun } from './run-ledger';
import { scanRun } from './run-scan';
import { TimeBudget } from './time-budget';

/** What an invocation holds the lock for. */
interface Errand {
  /** The run that it is for; a run that an earlier holder left unfinished comes first. */
  readonly runId: string;
  /** Present for a tick: how its run is written down. */
  readonly start?: RunStart;
  readonly hops: number;
  /** Whether the holder before handed over. */
  readonly isHandedOver: boolean;
}

/** The scanner of one fanout: reads an event, and does what it asks for. */
export class Scanner {
  constructor(private readonly context: ScannerContext) {}

  /**
   * Handles one invocation.
   *
   * @param event what Lambda was called with
   * @param remaining milliseconds until Lambda ends the invocation
   * @throws CronFanoutError for an event that it cannot read, and for a run that has failed (it is `failed` in the ledger, and a repeated tick leaves it so)
   * @throws the error of the table, the queue or a job's `setup`; the next invocation goes on with the run
   */
  async handle(event: unknown, remaining: () => number): Promise<ScannerAnswer> {
    const read = readEvent(event);
    switch (read.kind) {
      case 'tick':
        return this.tick(read, remaining);
      case 'continuation':
        return this.continuation(read, remaining);
      case 'watchdog':
        return this.watchdog(remaining);
    }
  }

  private async tick(event: TickEvent, remaining: () => number): Promise<ScannerAnswer> {
    const runId = runIdOfTick(event);
    const { scheduledTime, scheduleArn } = event;
    const start = { runId, tick: { kind: 'tick', scheduledTime, scheduleArn } };
    const stored = await readRun(this.context, runId);
    const answer =
      stored !== undefined && stored.state !== 'scanning'
        ? this.answered(settledAnswer(stored))
        : await this.acquire({ runId, start, hops: 0, isHandedOver: false }, remaining);
    if (answer.outcome !== 'continued') {
      await this.dueWork();
    }
    return answer;
  }

  private async continuation(
    { runId, fence, hops }: ContinuationEvent,
    remaining: () => number,
  ): Promise<ScannerAnswer> {
    const stored = await readRun(this.context, runId);
    return stored?.state === 'scanning'
      ? this.acquire({ runId, hops, isHandedOver: true }, remaining, fence)
      : this.answered({ outcome: 'duplicate', runId });
  }

  private async watchdog(remaining: () => number): Promise<ScannerAnswer> {
    const { scanning } = await this.dueWork();
    const lock = await this.context.store.get<LockItem>(ITEM_KEYS.lock(this.context.fanoutId));
    const runId = lock?.runId ?? scanning[0];
    return runId === undefined || (lock !== undefined && !isFree(lock, this.context.clock.now()))
      ? { outcome: 'idle' }
      : this.acquire({ runId, hops: 0, isHandedOver: false }, remaining);
  }

  private async acquire(errand: Errand, remaining: () => number, fence?: number): Promise<ScannerAnswer> {
    const { runId, start } = errand;
    const acquisition = await acquireLock(this.context, { runId, ...(fence !== undefined && { fence }) });
    if (acquisition.kind === 'acquired') {
      return this.hold(acquisition.lock, errand, remaining);
    }
    const { holder } = acquisition;
    if (holder.runId === runId) {
      return this.answered({ outcome: 'duplicate', runId });
    }
    if (start === undefined) {
      return this.answered({ outcome: 'lost', runId });
    }
    await skipRun(this.context, start, `run ${holder.runId ?? ''} is being scanned`);
    return this.answered({ outcome: 'skipped', runId });
  }

  /** Works under the lock; whatever happens, the lock is given back, handed over or known to be lost afterwards. */
  private async hold(lock: HeldLock, errand: Errand, remaining: () => number): Promise<ScannerAnswer> {
    const { context } = this;
    const budget = new TimeBudget(context.clock, remaining);
    lock.keep(() => {
      budget.stop();
    });
    try {
      const claimed = await this.claim(lock, errand);
      if (claimed?.run.state !== 'scanning') {
        await lock.release();
        return this.answered(claimed === undefined ? { outcome: 'idle' } : settledAnswer(claimed.run));
      }
      return this.answered(await scanRun({ context, lock, budget, claimed, hops: errand.hops }));
    } catch (error) {
      return await this.stopped(lock, errand, error);
    } finally {
      lock.stop();
      budget.stop();
      budget.end();
    }
  }

  /** The run to scan, under this lock's fence; `undefined` where there is none. */
  private async claim(lock: HeldLock, { runId, start, isHandedOver }: Errand): Promise<ClaimedRun | undefined> {
    const { context } = this;
    if (lock.runId !== runId || start === undefined) {
      const run = await takeOverRun(context, lock.runId, lock.fence, !isHandedOver);
      if (run?.state === 'scanning') {
        if (start !== undefined) {
          await skipRun(context, start, `run ${lock.runId} was unfinished; this tick went on with it`);
        }
        return { run, isNew: false };
      }
      if (run !== undefined) {
        await completeRunIfDue(context, run.runId);
      }
      if (start === undefined) {
        return undefined;
      }
      await lock.retarget(runId);
    }
    return startRun(context, start, lock.fence);
  }

  private async stopped(lock: HeldLock, { runId }: Errand, error: unknown): Promise<ScannerAnswer> {
    const { logger } = this.context;
    if (error instanceof LockLost) {
      logger.warn("the scan stops: it is another invocation's by now", { runId: lock.runId, error });
      return { outcome: 'lost', runId: lock.runId };
    }
    if (error instanceof RunFailure) {
      logger.error('the run failed', { runId: lock.runId, error: error.cause });
      throw error.cause;
    }
    logger.error('the scan was interrupted, the next invocation goes on with it', {
      runId: lock.runId,
      tick: runId,
      error,
    });
    await lock.abandon().catch((failure: unknown) => {
      // The lease lapses by itself; the error that is thrown is the one that matters.
      logger.warn('the lock could not be given back', { error: failure });
    });
    throw error;
  }

  private async dueWork(): Promise<DueWork> {
    try {
      return await doDueWork(this.context);
    } catch (error) {
      this.context.logger.warn('due work is left to the next invocation', { error });
      return { scanning: [] };
    }
  }

  private answered(answer: ScannerAnswer): ScannerAnswer {
    this.context.logger.info('scanner answers', { ...answer });
    return answer;
  }
}

/** What a tick is answered whose run is not to be scanned any more. */
function settledAnswer({ state, runId }: RunItem): ScannerAnswer {
  return { outcome: state === 'skipped' ? 'skipped' : 'duplicate', runId };
}
