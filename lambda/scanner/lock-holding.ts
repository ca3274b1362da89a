import type { RunItem, ScannerAnswer, WaitingTick } from '../contract';
import { completeRunIfDue, isUnfinished } from '../ledger';
import type { ScannerContext } from './context';
import { LockLost, RunFailure } from './interruptions';
import type { HeldLock } from './lock';
import type { ClaimedRun } from './run-ledger';
import { cancelRun, cancelScannedRun, readRun, resumeRun, startRun, takeOverRun } from './run-ledger';
import { handOver, scanRun } from './run-scan';
import { TimeBudget } from './time-budget';
import { isOlder, queueBehind, refuseTick } from './waiting-tick';

/** What an invocation holds the lock for. */
export interface Errand {
  /** The run that it is for; a run that an earlier holder left unfinished comes first. */
  readonly runId: string;
  /** Present for a tick: how its run is written down. */
  readonly start?: WaitingTick;
  /** Whether a failed run is to go on. */
  readonly isResume?: boolean;
  readonly hops: number;
  /** Invocations in a row until now that brought the run no further. */
  readonly idle: number;
  /** Whether the holder before handed over. */
  readonly isHandedOver: boolean;
}

/** One invocation's work under the lock. */
export class LockHolding {
  private budget: TimeBudget;
  /** What the tick is answered that finds a run on which is scanned already. */
  private refusal: ScannerAnswer | undefined;

  /** @param remaining milliseconds until Lambda ends the invocation */
  constructor(
    private readonly context: ScannerContext,
    private readonly lock: HeldLock,
    private readonly errand: Errand,
    private readonly remaining: () => number,
  ) {
    this.budget = new TimeBudget(context.clock, remaining);
  }

  /**
   * Scans the run that the lock is held for, and then those of ticks that wait for it, while there is time. Whatever happens, the lock is given back, handed over or known to be lost afterwards.
   *
   * @returns what became of the last run that was scanned
   * @throws what ended the scan
   */
  async work(): Promise<ScannerAnswer> {
    const { lock } = this;
    lock.keep(() => {
      this.budget.stop();
    });
    try {
      return await this.scanInTurn(await this.claim());
    } catch (error) {
      return await this.stopped(error);
    } finally {
      lock.stop();
      this.budget.stop();
      this.budget.end();
    }
  }

  private async scanInTurn(first: ClaimedRun | undefined): Promise<ScannerAnswer> {
    const { context, lock, errand } = this;
    let [claimed, hops, idle] = [first, errand.hops, errand.idle];
    let answer = claimed === undefined ? (this.refusal ?? { outcome: 'idle' as const }) : settledAnswer(claimed.run);
    for (;;) {
      if (claimed !== undefined && isUnfinished(claimed.run)) {
        answer = await scanRun({ context, lock, budget: this.budget, claimed, hops, idle });
        if (answer.outcome === 'continued') {
          return answer;
        }
      }
      const waiting = await this.giveBack();
      if (waiting === undefined) {
        return answer;
      }
      context.logger.info('scanner answers', { ...answer });
      claimed = await this.startWaiting(waiting);
      [hops, idle] = [0, 0];
      if (isUnfinished(claimed.run) && this.budget.isShort) {
        await handOver({ context, lock, claimed, hops }, 0);
        return { outcome: 'continued', runId: waiting.runId };
      }
    }
  }

  /** Gives the lock back. Answers the tick that waits, where it is to run now: then the lock is kept for it. */
  private async giveBack(): Promise<WaitingTick | undefined> {
    if (!(await this.isStillOn())) {
      return this.lock.release();
    }
    await this.lock.abandon();
    return undefined;
  }

  /** Written down before it is taken out of the lock, so that a crash in between leaves it in one of the two. */
  private async startWaiting(waiting: WaitingTick): Promise<ClaimedRun> {
    const { context, lock } = this;
    // The scan before may have been told to stop; this one begins anew.
    this.budget.end();
    this.budget = new TimeBudget(context.clock, this.remaining);
    const claimed = await startRun(context, waiting, lock.fence);
    await lock.retarget(waiting.runId);
    return claimed;
  }

  /** The run to scan, under this lock's fence; `undefined` where there is none. */
  private async claim(): Promise<ClaimedRun | undefined> {
    const { context, lock } = this;
    const { runId, start, isHandedOver, isResume } = this.errand;
    if (lock.runId === runId && start !== undefined) {
      return startRun(context, start, lock.fence);
    }
    const scanned = await this.scannedRun();
    const run = scanned ?? (await takeOverRun(context, lock.runId, lock.fence, !isHandedOver));
    if (run !== undefined && isUnfinished(run)) {
      return { run: start === undefined ? run : await this.meet(run, start), isNew: false };
    }
    if (run?.state === 'failed' && isResume === true && run.runId === runId) {
      return { run: await resumeRun(context, runId, lock.fence), isNew: false };
    }
    const isCompleted = run !== undefined && (await completeRunIfDue(context, run.runId));
    if (start === undefined || (scanned !== undefined && !isCompleted && (await this.isRefusedBy(scanned, start)))) {
      return undefined;
    }
    if (lock.waiting !== undefined) {
      await queueBehind(context, lock, start);
      return undefined;
    }
    await lock.retarget(runId);
    return startRun(context, start, lock.fence);
  }

  /** The run in the lock, if it is scanned and on until it is completed. Nobody has anything to write into it any more, so it needs no new fence. */
  private async scannedRun(): Promise<RunItem | undefined> {
    const { context, lock } = this;
    const run = context.configuration.overlapUntil === 'completed' ? await readRun(context, lock.runId) : undefined;
    return run?.state === 'scanned' ? run : undefined;
  }

  /** Whether the lock must keep its run, whose records are not all settled: a tick that waits goes on waiting then, but for one that takes the run's place. */
  private async isStillOn(): Promise<boolean> {
    const { context, lock } = this;
    const run = await this.scannedRun();
    const { waiting } = (run === undefined ? undefined : await lock.stored()) ?? {};
    if (run === undefined || waiting === undefined || context.configuration.overlap !== 'cancelRunning') {
      return run !== undefined;
    }
    await this.takePlaceOf(run, waiting);
    return false;
  }

  /** A tick meets a run that is scanned and on: what becomes of the tick is the overlap policy's choice. Answers false where it takes the run's place. */
  private async isRefusedBy(run: RunItem, start: WaitingTick): Promise<boolean> {
    const { context, lock } = this;
    const { overlap = 'skip' } = context.configuration;
    const { runId } = start;
    if (overlap === 'queueOne') {
      this.refusal = { outcome: await queueBehind(context, lock, start), runId };
      return true;
    }
    if (overlap === 'skip' || isOlder(start, run)) {
      this.refusal = { outcome: await refuseTick(context, start, `run ${run.runId} is not completed`), runId };
      return true;
    }
    await this.takePlaceOf(run, start);
    return false;
  }

  private async takePlaceOf({ runId }: RunItem, tick: WaitingTick): Promise<void> {
    const { context } = this;
    await cancelScannedRun(context, runId, `tick ${tick.runId} took its place`);
    context.logger.warn('a tick cancels the run that is not completed', { runId, tick: tick.runId });
    await completeRunIfDue(context, runId);
  }

  /** A tick meets a run that an earlier holder left unfinished, which comes first. */
  private async meet(run: RunItem, start: WaitingTick): Promise<RunItem> {
    const { context, lock } = this;
    const { overlap = 'skip' } = context.configuration;
    if (overlap === 'skip' || (overlap === 'cancelRunning' && isOlder(start, run))) {
      await refuseTick(context, start, `run ${run.runId} was unfinished; this tick went on with it`);
      return run;
    }
    if (overlap === 'cancelRunning') {
      await cancelRun(context, run.runId, `tick ${start.runId} took its place`);
    }
    await queueBehind(context, lock, start);
    return (await readRun(context, run.runId)) ?? run;
  }

  private async stopped(error: unknown): Promise<ScannerAnswer> {
    const { lock } = this;
    const { logger } = this.context;
    const runId = lock.runId;
    if (error instanceof LockLost) {
      logger.warn("the scan stops: it is another invocation's by now", { runId, error });
      return { outcome: 'lost', runId };
    }
    if (error instanceof RunFailure) {
      logger.error('the run failed', { runId, error: error.cause });
      await this.passOn();
      throw error.cause;
    }
    const tick = this.errand.runId;
    logger.error('the scan was interrupted, the next invocation goes on with it', { runId, tick, error });
    await this.abandon();
    throw error;
  }

  /** A run that failed ends its invocation with an error: a tick that waits runs in one of its own. */
  private async passOn(): Promise<void> {
    const { context, lock } = this;
    try {
      const waiting = await lock.release();
      if (waiting !== undefined) {
        const claimed = await this.startWaiting(waiting);
        await handOver({ context, lock, claimed, hops: 0 }, 0);
      }
    } catch (failure) {
      context.logger.warn('the lock could not be passed on', { error: failure });
      await this.abandon();
    }
  }

  private async abandon(): Promise<void> {
    await this.lock.abandon().catch((failure: unknown) => {
      // The lease lapses by itself; the error that is thrown is the one that matters.
      this.context.logger.warn('the lock could not be given back', { error: failure });
    });
  }
}

/** What a tick is answered whose run is not to be scanned any more. */
export function settledAnswer({ state, runId }: RunItem): ScannerAnswer {
  return { outcome: state === 'skipped' || state === 'cancelled' ? state : 'duplicate', runId };
}
