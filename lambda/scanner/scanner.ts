import type { ContinuationEvent, LockItem, ResumeEvent, ScannerAnswer, TickEvent, WaitingTick } from '../contract';
import { CronFanoutError, ITEM_KEYS } from '../contract';
import { TellingLogger } from '../job/telling-logger';
import { isUnfinished } from '../ledger';
import type { ScannerContext } from './context';
import type { DueWork } from './due-work';
import { doDueWork } from './due-work';
import { callerTrace, readEvent, runIdOfTick } from './event';
import { acquireLock, isFree } from './lock';
import type { Errand } from './lock-holding';
import { LockHolding, settledAnswer } from './lock-holding';
import { cancelRun, readRun } from './run-ledger';
import { isOlder, queueTick, refuseTick } from './waiting-tick';
import type { Queueing } from './waiting-tick';

/** Times that a tick is tried to be run or queued; each but the last met a lock that changed hands meanwhile. */
const MAX_TRIES = 4;

/** The scanner of one fanout: reads an event, and does what it asks for. */
export class Scanner {
  private readonly context: ScannerContext;

  constructor(context: ScannerContext) {
    this.context = { ...context, logger: new TellingLogger(context.logger, context.errors) };
  }

  /**
   * Handles one invocation.
   *
   * @param event what Lambda was called with
   * @param remaining milliseconds until Lambda ends the invocation
   * @throws CronFanoutError for an event that it cannot read, for a run that cannot be resumed, and for a run that has failed (it is `failed` in the ledger, and a repeated tick leaves it so)
   * @throws the error of the table, the queue or a job's `setup`; the next invocation goes on with the run. Of each, what may be told
   */
  async handle(event: unknown, remaining: () => number): Promise<ScannerAnswer> {
    const { errors, metrics, tracer } = this.context;
    try {
      return await tracer.run(callerTrace(event) ?? tracer.current(), () => this.answerTo(event, remaining));
    } catch (error) {
      throw errors.toThrow(error);
    } finally {
      metrics.flush();
    }
  }

  private async answerTo(event: unknown, remaining: () => number): Promise<ScannerAnswer> {
    const read = readEvent(event);
    switch (read.kind) {
      case 'tick':
        return this.tick(read, remaining);
      case 'continuation':
        return this.continuation(read, remaining);
      case 'resume':
        return this.resume(read, remaining);
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
      stored !== undefined && !isUnfinished(stored)
        ? this.answered(settledAnswer(stored))
        : await this.acquire({ runId, start, hops: 0, idle: 0, isHandedOver: false }, remaining);
    if (answer.outcome !== 'continued') {
      await this.dueWork();
    }
    return answer;
  }

  private async continuation(
    { runId, fence, hops, idle = 0 }: ContinuationEvent,
    remaining: () => number,
  ): Promise<ScannerAnswer> {
    const stored = await readRun(this.context, runId);
    return stored !== undefined && isUnfinished(stored)
      ? this.acquire({ runId, hops, idle, isHandedOver: true }, remaining, fence)
      : this.answered({ outcome: 'duplicate', runId });
  }

  private async resume({ runId }: ResumeEvent, remaining: () => number): Promise<ScannerAnswer> {
    const stored = await readRun(this.context, runId);
    if (stored === undefined || stored.state === 'skipped' || stored.state === 'cancelled') {
      throw new CronFanoutError('RunNotResumable', {
        what: `run ${runId}`,
        received: stored === undefined ? 'no such run, or its retention is over' : `a run that is ${stored.state}`,
        allowed: 'a run that failed',
        change: 'resume a failed run, or let the next tick find its records',
      });
    }
    if (stored.state !== 'failed') {
      return this.answered({ outcome: 'duplicate', runId });
    }
    const lock = await this.lock();
    return lock?.runId !== undefined && lock.runId !== runId
      ? this.answered({ outcome: 'busy', runId })
      : this.acquire({ runId, isResume: true, hops: 0, idle: 0, isHandedOver: true }, remaining);
  }

  private async watchdog(remaining: () => number): Promise<ScannerAnswer> {
    const { unfinished } = await this.dueWork();
    const lock = await this.lock();
    const runId = lock?.runId ?? lock?.waiting?.runId ?? unfinished[0];
    return runId === undefined || (lock !== undefined && !isFree(lock, this.context.clock.now()))
      ? { outcome: 'idle' }
      : this.acquire({ runId, hops: 0, idle: 0, isHandedOver: false }, remaining);
  }

  private async acquire(errand: Errand, remaining: () => number, fence?: number): Promise<ScannerAnswer> {
    const { runId, start, isResume } = errand;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const acquisition = await acquireLock(this.context, { runId, ...(fence !== undefined && { fence }) });
      if (acquisition.kind === 'acquired') {
        return this.answered(await new LockHolding(this.context, acquisition.lock, errand, remaining).work());
      }
      const { holder } = acquisition;
      if (tries === 0) {
        this.context.metrics.add('LockRefused', 1);
      }
      if (holder.runId === runId || holder.waiting?.runId === runId) {
        return this.answered({ outcome: 'duplicate', runId });
      }
      if (start === undefined) {
        return this.answered({ outcome: isResume === true ? 'busy' : 'lost', runId });
      }
      const outcome = await this.refuse(start, holder);
      if (outcome !== 'moved') {
        return this.answered({ outcome, runId });
      }
    }
    throw new Error(`tick ${runId} found another holder of the lock ${MAX_TRIES} times`);
  }

  /** Another run is on: what becomes of the tick is the overlap policy's choice. */
  private async refuse(tick: WaitingTick, holder: LockItem): Promise<Queueing> {
    const { context } = this;
    const { overlap = 'skip' } = context.configuration;
    const { runId: running = '' } = holder;
    const run = overlap === 'cancelRunning' ? await readRun(context, running) : undefined;
    if (overlap === 'skip' || (run !== undefined && isOlder(tick, run))) {
      return refuseTick(context, tick, `run ${running} is being scanned`);
    }
    if (overlap === 'queueOne') {
      return queueTick(context, holder, tick);
    }
    await cancelRun(context, running, `tick ${tick.runId} took its place`);
    context.logger.warn('a tick cancels the run that is being scanned', { runId: running, tick: tick.runId });
    return queueTick(context, holder, { ...tick, cancels: running });
  }

  private lock(): Promise<LockItem | undefined> {
    return this.context.store.get<LockItem>(ITEM_KEYS.lock(this.context.fanoutId));
  }

  private async dueWork(): Promise<DueWork> {
    try {
      return await doDueWork(this.context);
    } catch (error) {
      this.context.logger.warn('due work is left to the next invocation', { error });
      return { unfinished: [] };
    }
  }

  private answered(answer: ScannerAnswer): ScannerAnswer {
    this.context.logger.info('scanner answers', { ...answer });
    return answer;
  }
}
