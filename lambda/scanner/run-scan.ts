import type { Lane, RunItem, ScannerAnswer } from '../contract';
import { CronFanoutError } from '../contract';
import { completeRunIfDue, laneName } from '../ledger';
import type { ScannerContext } from './context';
import { RunFailure, TimeIsShort } from './interruptions';
import { bringToRest } from './lane-rest';
import { scanLane } from './lane-scan';
import type { LaneEnd } from './lane-scan';
import type { AnyJob } from '../job/job';
import { jobInRun } from './job-in-run';
import type { HeldLock } from './lock';
import type { ClaimedRun, LaneCount } from './run-ledger';
import { markFailed, markScanned, recordLanes } from './run-ledger';
import { noCounts } from './scan-signal';
import type { TimeBudget } from './time-budget';

/** Continuations of one run before it fails: more than two days of scanning at 15 minutes each. */
const MAX_HOPS = 200;
/** Holders of one run that ended without handing over before it fails: whatever ends them will not go away by itself. */
const MAX_TAKEOVERS = 50;
const CAUSE_LENGTH = 1000;

/** What a run is scanned under. */
export interface RunScan {
  readonly context: ScannerContext;
  readonly lock: HeldLock;
  readonly budget: TimeBudget;
  readonly claimed: ClaimedRun;
  /** Continuations of the run until now. */
  readonly hops: number;
}

/**
 * Scans a run from where it stands until it is scanned, or the time of the invocation is nearly over: then a continuation is sent, and the lock is kept for it.
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
    for (const [lane, job] of await lanesToScan(context, claimed.run)) {
      const end = await untilTimeIsShort(scanLane({ ...scan, job, lane, counts }));
      if (end.kind === 'stopped') {
        await recordLanes(context, claimed.run, lock.fence, ended);
        await handOver(scan);
        return { outcome: 'continued', runId, counts: { ...counts } };
      }
      ended.push({ lane, pages: end.pages });
    }
    await markScanned(context, claimed.run, lock.fence, ended);
  } catch (error) {
    if (error instanceof RunFailure) {
      await fail(scan, error, ended);
    }
    throw error;
  }
  await completeRunIfDue(context, runId);
  await lock.release();
  return { outcome: 'scanned', runId, counts: { ...counts } };
}

async function lanesToScan(context: ScannerContext, run: RunItem): Promise<[Lane, AnyJob][]> {
  const lanes: [Lane, AnyJob][] = [];
  for (const declared of context.registry.values()) {
    const job = await jobInRun(context, run, declared);
    const lane = { fanoutId: context.fanoutId, runId: run.runId, jobType: job.jobType, segment: 0 };
    if (run.pages[laneName(lane)] === undefined) {
      lanes.push([lane, job]);
    }
  }
  return lanes;
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

/** The lease is renewed first: it must last until Lambda starts the continuation. */
async function handOver({ context, lock, claimed, hops }: RunScan): Promise<void> {
  await lock.renew();
  lock.stop();
  await context.invoker.continueScan({
    kind: 'continuation',
    runId: claimed.run.runId,
    fence: lock.fence,
    hops: hops + 1,
  });
}

/** Pages are brought to rest before the run fails: a crash in between leaves a run that simply goes on. */
async function fail({ context, lock, claimed }: RunScan, failure: RunFailure, ended: LaneCount[]): Promise<void> {
  const { run } = claimed;
  await recordLanes(context, run, lock.fence, ended);
  for (const [lane] of await lanesToScan(context, run)) {
    await bringToRest(context, lane, lock.fence);
  }
  await markFailed(context, run, lock.fence, failure.message.slice(0, CAUSE_LENGTH));
  await lock.release();
}

function checkBounds({ claimed, hops }: RunScan): void {
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
