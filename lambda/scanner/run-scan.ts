import type { Lane, RunItem, ScannerAnswer } from '../contract';
import { CronFanoutError } from '../contract';
import { completeRunIfDue, laneName } from '../ledger';
import type { ScannerContext } from './context';
import { LockLost, RunCancelled, RunFailure, TimeIsShort } from './interruptions';
import { bringToRest } from './lane-rest';
import { scanLane } from './lane-scan';
import type { LaneEnd } from './lane-scan';
import type { AnyJob } from '../job/job';
import { jobsOfRun, segmentsOf } from './jobs-of-run';
import type { HeldLock } from './lock';
import type { ClaimedRun, LaneCount, RestingPages } from './run-ledger';
import { cancelRun, markFailed, markRested, markScanned, recordJobs, recordLanes } from './run-ledger';
import type { ScanCounts } from './scan-signal';
import { noCounts } from './scan-signal';
import type { TimeBudget } from './time-budget';

/** Continuations of one run before it fails: more than two days of scanning at 15 minutes each. */
const MAX_HOPS = 200;
/** Holders of one run that ended without handing over before it fails: whatever ends them will not go away by itself. */
const MAX_TAKEOVERS = 50;
/** Invocations in a row that may bring a run no further. */
const MAX_IDLE = 10;
/** Lanes that are scanned at once: each holds a page of up to 16 MiB in memory. */
const LANES_AT_ONCE = 4;
const CAUSE_LENGTH = 1000;

/** What a run is scanned under. */
export interface RunScan {
  readonly context: ScannerContext;
  readonly lock: HeldLock;
  readonly budget: TimeBudget;
  readonly claimed: ClaimedRun;
  /** Continuations of the run until now. */
  readonly hops: number;
  /** Invocations in a row until now that brought the run no further. */
  readonly idle: number;
}

/**
 * Scans a run from where it stands until it is scanned, or the time of the invocation is nearly over: then a continuation is sent, and the lock is kept for it. A run that a later tick
 * cancelled is brought to rest.
 *
 * @throws LockLost, or the error of the table or the queue, both of which leave the run to the next holder; RunFailure where the run has become `failed`
 */
export async function scanRun(scan: RunScan): Promise<ScannerAnswer> {
  const { context, lock, claimed } = scan;
  const { runId } = claimed.run;
  const counts = noCounts();
  const ended: LaneCount[] = [];
  try {
    checkBounds(scan);
    if (claimed.run.state === 'cancelled') {
      throw new RunCancelled();
    }
    // Before anything is written down of a job type that is new.
    await recordJobs(context, claimed.run, lock.fence, jobTypesOf(scan));
    if (!(await scanLanes(scan, counts, ended))) {
      lock.assertWanted();
      await recordLanes(context, claimed.run, lock.fence, ended);
      await handOver(scan, counts.pages + ended.length === 0 ? scan.idle + 1 : 0);
      return { outcome: 'continued', runId, counts: { ...counts } };
    }
    await markScanned(context, claimed.run, lock.fence, ended);
  } catch (error) {
    if (error instanceof RunCancelled) {
      await cancel(scan);
      return { outcome: 'cancelled', runId, counts: { ...counts } };
    }
    if (error instanceof RunFailure) {
      await fail(scan, error, ended);
    }
    throw error;
  }
  await completeRunIfDue(context, runId);
  return { outcome: 'scanned', runId, counts: { ...counts } };
}

/**
 * Scans the lanes that are left, a few at once. All of them are waited for: none may write on when the lock is given back.
 *
 * @returns whether all are read to their end
 */
async function scanLanes(scan: RunScan, counts: ScanCounts, ended: LaneCount[]): Promise<boolean> {
  const lanes = lanesToScan(scan.context, scan.claimed.run);
  let isStopped = false;
  const work = async (): Promise<void> => {
    for (let next = lanes.shift(); next !== undefined && !isStopped; next = lanes.shift()) {
      const [lane, job] = next;
      try {
        const end = await (job === undefined
          ? endRemovedLane(scan, lane)
          : untilTimeIsShort(scanLane({ ...scan, job, lane, counts })));
        if (end.kind === 'end') {
          ended.push({ lane, pages: end.pages });
        } else {
          isStopped = true;
        }
      } catch (error) {
        isStopped = true;
        scan.budget.stop();
        throw error;
      }
    }
  };
  const segments = Math.max(...lanes.map(([{ jobType }]) => segmentsOf(scan.claimed.run, jobType)), 1);
  const ends = await Promise.allSettled(Array.from({ length: Math.min(LANES_AT_ONCE, segments) }, work));
  const failures = ends.flatMap((end): unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  if (failures.length > 0) {
    throw weightiest(failures);
  }
  return !isStopped;
}

/**
 * The error that decides over the others. An outage comes before what brings the lanes to rest: a write that failed in it may land yet, and only a newer fence keeps it out of a page at rest. Whoever takes the
 * run over has one.
 */
function weightiest(failures: readonly unknown[]): unknown {
  const isOutage = (error: unknown): boolean => !(error instanceof RunCancelled || error instanceof RunFailure);
  return (
    failures.find((error) => error instanceof LockLost) ??
    failures.find(isOutage) ??
    failures.find((error) => error instanceof RunCancelled) ??
    failures[0]
  );
}

/** The lanes that are not read to their end; one without a job is of a job type that a deployment removed. */
function lanesToScan({ registry, fanoutId }: ScannerContext, run: RunItem): [Lane, AnyJob | undefined][] {
  return jobsOfRun(registry, run).flatMap(({ jobType, job }) =>
    Array.from({ length: segmentsOf(run, jobType) }, (_, segment): [Lane, AnyJob | undefined] => [
      { fanoutId, runId: run.runId, jobType, segment },
      job,
    ]).filter(([lane]) => run.pages[laneName(lane)] === undefined),
  );
}

function jobTypesOf({ context, claimed }: RunScan): string[] {
  return jobsOfRun(context.registry, claimed.run).map(({ jobType }) => jobType);
}

/** Nobody can read on for a job type that is gone: what is in the queue of it waits for its code, and dies without; the rest is for runs of a deployment that has it again. */
async function endRemovedLane({ context, lock }: RunScan, lane: Lane): Promise<LaneEnd> {
  const known = [...context.registry.keys()];
  context.logger.warn('a deployment removed a job type of the run, its pages are brought to rest', { ...lane, known });
  return { kind: 'end', pages: await bringToRest(context, lane, lock.fence, 'withdrawn') };
}

async function untilTimeIsShort(scanning: Promise<LaneEnd>): Promise<LaneEnd> {
  try {
    return await scanning;
  } catch (error) {
    if (error instanceof TimeIsShort) {
      return { kind: 'stopped' };
    }
    throw error;
  }
}

/**
 * Hands the run over to a continuation, and keeps the lock for it. The lease is renewed first: it must last until Lambda starts the continuation.
 *
 * @param idle invocations in a row, this one included, that brought the run no further
 */
export async function handOver(
  { context, lock, claimed, hops }: Omit<RunScan, 'budget' | 'idle'>,
  idle: number,
): Promise<void> {
  await lock.renew();
  lock.stop();
  await context.invoker.continueScan({
    kind: 'continuation',
    runId: claimed.run.runId,
    fence: lock.fence,
    hops: hops + 1,
    ...(idle > 0 && { idle }),
  });
}

/** Pages are brought to rest before the run fails: a crash in between leaves a run that simply goes on. */
async function fail({ context, lock, claimed }: RunScan, failure: RunFailure, ended: LaneCount[]): Promise<void> {
  const { run } = claimed;
  await recordLanes(context, run, lock.fence, ended);
  const rest = await restLanes(context, run, lock.fence, 'withdrawn');
  await markFailed(context, run, lock.fence, { cause: failure.message.slice(0, CAUSE_LENGTH), rest });
  await completeRunIfDue(context, run.runId);
}

/** A crash in between leaves a run that is cancelled and not at rest: whoever comes next repeats this. */
async function cancel({ context, lock, claimed: { run } }: RunScan): Promise<void> {
  // Where the tick that cancels it came before the run was written down.
  await cancelRun(context, run.runId, new RunCancelled().message);
  await markRested(context, run, lock.fence, await restLanes(context, run, lock.fence, 'cancelled'));
  await completeRunIfDue(context, run.runId);
}

async function restLanes(
  context: ScannerContext,
  run: RunItem,
  fence: number,
  outcome: 'withdrawn' | 'cancelled',
): Promise<RestingPages> {
  const rest: Record<string, number> = {};
  for (const [lane] of lanesToScan(context, run)) {
    rest[laneName(lane)] = await bringToRest(context, lane, fence, outcome);
  }
  return rest;
}

function checkBounds({ claimed, hops, idle }: RunScan): void {
  checkProgress(claimed.run, idle);
  const { runId, takeovers = 0 } = claimed.run;
  if (hops > MAX_HOPS) {
    throw new RunFailure(
      new CronFanoutError('TooManyContinuations', {
        what: `scan of run ${runId}`,
        received: `${hops} continuations`,
        allowed: `at most ${MAX_HOPS}`,
        change: 'give the scanner more time or memory, or see whether the source ever ends',
      }),
    );
  }
  if (takeovers > MAX_TAKEOVERS) {
    throw new RunFailure(
      new CronFanoutError('RunKeepsStalling', {
        what: `scan of run ${runId}`,
        received: `${takeovers} invocations that ended without handing over`,
        allowed: `at most ${MAX_TAKEOVERS}`,
        change: 'look into the log of the scanner for what ends it: memory, timeout, setup, table or queue',
      }),
    );
  }
}

function checkProgress({ runId }: RunItem, idle: number): void {
  if (idle > MAX_IDLE) {
    throw new RunFailure(
      new CronFanoutError('ScanMakesNoProgress', {
        what: `scan of run ${runId}`,
        received: `${idle} invocations in a row without a page that was read and sent`,
        allowed: `at most ${MAX_IDLE}`,
        change: 'give the scanner more time, or let the source yield its first records sooner',
      }),
    );
  }
}
