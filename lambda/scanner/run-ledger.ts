import type { JsonObject, Lane, OpenItem, RunItem } from '../contract';
import { ITEM_KEYS, jobConfiguration } from '../contract';
import { isUnfinished, laneName, moveRun } from '../ledger';
import type { Attribute, Path } from '../ports';
import { when } from '../ports';
import type { ScannerContext } from './context';
import { expiryOf } from './context';
import { LockLost, RunCancelled } from './interruptions';
import { notNewerThan } from './page-fence';

/** What a run is started by. */
export interface RunStart {
  readonly runId: string;
  readonly tick: JsonObject;
}

/** A run under the fence of this invocation. */
export interface ClaimedRun {
  readonly run: RunItem;
  /** Whether this invocation wrote it down: then nobody can have written pages of it. */
  readonly isNew: boolean;
}

/** A lane that is read to its end. */
export interface LaneCount {
  readonly lane: Lane;
  readonly pages: number;
}

/** Number of pages of lanes that are at rest, by name of the lane. */
export type RestingPages = Readonly<Record<string, number>>;

/** Reads a run. */
export function readRun({ store, fanoutId }: ScannerContext, runId: string): Promise<RunItem | undefined> {
  return store.get<RunItem>(ITEM_KEYS.run(fanoutId, runId));
}

/**
 * Writes a run down, or takes over one that is written down already. Its row of the index comes first: a run that turns up late, when others have found it missing and gave the lock back, is
 * found by its row alone.
 *
 * @throws LockLost where a newer fence holds it
 */
export async function startRun(context: ScannerContext, start: RunStart, fence: number): Promise<ClaimedRun> {
  const run = runItem(context, start, 'scanning', fence);
  await putOpenRow(context, start.runId);
  if (await context.store.put(run, when.newItem)) {
    countStart(context, run);
    return { run, isNew: true };
  }
  const stored = await takeOverRun(context, start.runId, fence, true);
  if (stored === undefined) {
    throw new Error(`run ${start.runId} is neither new nor stored`);
  }
  return { run: stored, isNew: false };
}

/**
 * Raises the fence of a run, so that an earlier holder can bring it no further.
 *
 * @param isUnplanned whether the holder before ended without handing over
 * @returns the run, whatever its state; `undefined` where it was never written down
 * @throws LockLost where a newer fence holds it
 */
export async function takeOverRun(
  context: ScannerContext,
  runId: string,
  fence: number,
  isUnplanned: boolean,
): Promise<RunItem | undefined> {
  const { store, fanoutId } = context;
  const key = ITEM_KEYS.run(fanoutId, runId);
  const raised = await store.update<RunItem>(
    key,
    { set: [[['fence'], fence]], ...(isUnplanned && { add: [[['takeovers'], 1]] }) },
    notNewerThan(fence),
  );
  if (!raised.applied) {
    if ((await store.get(key)) === undefined) {
      return undefined;
    }
    throw new LockLost('a newer fence holds the run');
  }
  if (isUnfinished(raised.item)) {
    if (isUnplanned) {
      context.metrics.add('RunsTakenOver', 1);
    }
    // The holder before may have ended between the run and its row.
    await putOpenRow(context, runId);
  }
  return raised.item;
}

/**
 * Writes a refused tick down, so that it cannot run when it is delivered again.
 *
 * @returns whether it is skipped now; false where another delivery of it has a run that goes on or is over
 */
export async function skipRun(context: ScannerContext, start: RunStart, cause: string): Promise<boolean> {
  const skipped: RunItem = { ...runItem(context, start, 'skipped', 0), cause };
  if (await context.store.put(skipped, when.newItem)) {
    context.metrics.add('TicksSkipped', 1);
    return true;
  }
  return (await readRun(context, start.runId))?.state === 'skipped';
}

/** Notes that lanes are read to their end. @throws LockLost, RunCancelled */
export function recordLanes(context: ScannerContext, run: RunItem, fence: number, lanes: LaneCount[]): Promise<void> {
  return lanes.length === 0 ? Promise.resolve() : changeScanning(context, run, fence, 'scanning', pagesOf(lanes));
}

/**
 * Notes the job types of a run, where a deployment has added some: only what is noted is brought to rest when the next deployment removes it again.
 *
 * @throws LockLost, RunCancelled
 */
export function recordJobs(
  context: ScannerContext,
  run: RunItem,
  fence: number,
  jobs: readonly string[],
): Promise<void> {
  return jobs.length === run.jobs?.length
    ? Promise.resolve()
    : changeScanning(context, run, fence, 'scanning', [[['jobs'], jobs]]);
}

/** Makes a run `scanned`: SQS has accepted every page. @throws LockLost, RunCancelled */
export async function markScanned(
  context: ScannerContext,
  run: RunItem,
  fence: number,
  lanes: LaneCount[],
): Promise<void> {
  const scannedAt = context.clock.now();
  await changeScanning(context, run, fence, 'scanned', [...pagesOf(lanes), [['scannedAt'], scannedAt]]);
  context.metrics.add('ScanDuration', scannedAt - run.startedAt);
}

/** Makes a run `failed`, its pages being at rest. @throws LockLost, RunCancelled */
export async function markFailed(
  context: ScannerContext,
  run: RunItem,
  fence: number,
  { cause, rest }: { readonly cause: string; readonly rest: RestingPages },
): Promise<void> {
  await changeScanning(context, run, fence, 'failed', [
    [['cause'], cause],
    [['rest'], rest],
  ]);
  context.metrics.add('RunsFailed', 1);
}

/**
 * Cancels a run that is being scanned; its holder, or whoever takes over from it, brings it to rest. A run in another state is left as it is.
 *
 * @param cause why
 */
export async function cancelRun(context: ScannerContext, runId: string, cause: string): Promise<void> {
  const { store, fanoutId, metrics } = context;
  const set = [[['cause'], cause]] as const;
  const step = { from: 'scanning', to: 'cancelled', set } as const;
  if ((await moveRun(store, ITEM_KEYS.run(fanoutId, runId), step)) !== undefined) {
    metrics.add('RunsCancelled', 1);
  }
}

/** Cancels a run that is scanned: its pages are at rest already, and what is in the queue of it is settled as it is received. One that is completed is left as it is. */
export async function cancelScannedRun(
  { store, fanoutId, metrics }: ScannerContext,
  runId: string,
  cause: string,
): Promise<void> {
  const set = [
    [['cause'], cause],
    [['rest'], {}],
  ] as const;
  if (await moveRun(store, ITEM_KEYS.run(fanoutId, runId), { from: 'scanned', to: 'cancelled', set })) {
    metrics.add('RunsCancelled', 1);
  }
}

/** Notes that the pages of a cancelled run are at rest. @throws LockLost */
export async function markRested(
  { store, fanoutId }: ScannerContext,
  run: RunItem,
  fence: number,
  rest: RestingPages,
): Promise<void> {
  const key = ITEM_KEYS.run(fanoutId, run.runId);
  const step = { from: 'cancelled', to: 'cancelled', condition: notNewerThan(fence) } as const;
  if ((await moveRun(store, key, { ...step, set: [[['rest'], rest]] })) === undefined) {
    throw new LockLost('a newer fence holds the run');
  }
}

/** Lets a failed run go on: it is `scanning` again, under this fence. @throws LockLost */
export async function resumeRun(context: ScannerContext, runId: string, fence: number): Promise<RunItem> {
  const resumed = await moveRun(context.store, ITEM_KEYS.run(context.fanoutId, runId), {
    from: 'failed',
    to: 'scanning',
    // What ended its holders before is taken to be mended.
    set: [[['takeovers'], 0]],
    remove: [['cause'], ['rest'], ['totals'], ['completedAt']],
    condition: when.compare('fence', '=', fence),
  });
  const run = resumed ?? (await readRun(context, runId));
  if (run?.state !== 'scanning' || run.fence !== fence) {
    throw new LockLost('a newer fence holds the run');
  }
  await putOpenRow(context, runId);
  return run;
}

function pagesOf(lanes: LaneCount[]): [Path, Attribute][] {
  return lanes.map(({ lane, pages }) => [['pages', laneName(lane)], pages]);
}

async function changeScanning(
  { store, fanoutId }: ScannerContext,
  run: RunItem,
  fence: number,
  to: 'scanning' | 'scanned' | 'failed',
  set: readonly (readonly [Path, Attribute])[],
): Promise<void> {
  const key = ITEM_KEYS.run(fanoutId, run.runId);
  if (await moveRun(store, key, { from: 'scanning', to, set, condition: notNewerThan(fence) })) {
    return;
  }
  const stored = await store.get<RunItem>(key);
  if (stored?.state === 'cancelled' && stored.fence <= fence) {
    throw new RunCancelled();
  }
  // The reply of the first try was lost where the run is as it should be, under this fence.
  if (stored?.fence !== fence || stored.state !== to) {
    throw new LockLost('a newer fence holds the run');
  }
}

function runItem(
  context: ScannerContext,
  { runId, tick }: RunStart,
  state: 'scanning' | 'skipped',
  fence: number,
): RunItem {
  const { clock, configuration, fanoutId, registry } = context;
  const trace = context.tracer.current();
  return {
    ...ITEM_KEYS.run(fanoutId, runId),
    runId,
    state,
    fence,
    tick,
    lanes: configuration.lanes,
    jobs: [...registry.keys()],
    ...segmentsOfJobs(context),
    ...(Object.keys(trace).length > 0 && { trace }),
    startedAt: clock.now(),
    pages: {},
    expiresAt: expiryOf(context),
  };
}

function countStart({ metrics }: ScannerContext, { tick, startedAt }: RunItem): void {
  metrics.add('RunsStarted', 1);
  const scheduled = typeof tick.scheduledTime === 'string' ? Date.parse(tick.scheduledTime) : Number.NaN;
  if (!Number.isNaN(scheduled)) {
    metrics.add('TickDelay', Math.max(0, startedAt - scheduled));
  }
}

/** Segments by every name that a run may know a job by; absent where all have one. */
function segmentsOfJobs({ configuration, registry }: ScannerContext): Pick<RunItem, 'segments'> {
  const jobs = [...registry.values()].map(({ jobType }) => jobType);
  const counts = jobs.map((jobType) => [jobType, jobConfiguration(configuration, jobType).segments ?? 1] as const);
  const several = counts.filter(([, count]) => count > 1);
  return several.length === 0 ? {} : { segments: Object.fromEntries(several) };
}

async function putOpenRow(context: ScannerContext, runId: string): Promise<void> {
  const row: OpenItem = { ...ITEM_KEYS.openRun(context.fanoutId, runId), runId, expiresAt: expiryOf(context) };
  await context.store.put(row);
}
