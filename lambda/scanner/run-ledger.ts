import type { JsonObject, Lane, OpenItem, RunItem } from '../contract';
import { ITEM_KEYS } from '../contract';
import { laneName } from '../ledger';
import type { Attribute, Path } from '../ports';
import { when } from '../ports';
import type { ScannerContext } from './context';
import { expiryOf } from './context';
import { LockLost } from './interruptions';
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

/** Reads a run. */
export function readRun({ store, fanoutId }: ScannerContext, runId: string): Promise<RunItem | undefined> {
  return store.get<RunItem>(ITEM_KEYS.run(fanoutId, runId));
}

/**
 * Writes a run down, or takes over one that is written down already.
 *
 * @throws LockLost where a newer fence holds it
 */
export async function startRun(context: ScannerContext, start: RunStart, fence: number): Promise<ClaimedRun> {
  const run = runItem(context, start, 'scanning', fence);
  if (await context.store.put(run, when.newItem)) {
    await putOpenRow(context, start.runId);
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
  if (raised.item.state === 'scanning') {
    // The holder before may have ended between the run and its row.
    await putOpenRow(context, runId);
  }
  return raised.item;
}

/** Writes a refused tick down, so that it cannot run when it is delivered again. */
export async function skipRun(context: ScannerContext, start: RunStart, cause: string): Promise<void> {
  const skipped: RunItem = { ...runItem(context, start, 'skipped', 0), cause };
  await context.store.put(skipped, when.newItem);
}

/** Notes that lanes are read to their end. @throws LockLost */
export function recordLanes(context: ScannerContext, run: RunItem, fence: number, lanes: LaneCount[]): Promise<void> {
  return changeScanning(context, run, fence, pagesOf(lanes));
}

/** Makes a run `scanned`: SQS has accepted every page. @throws LockLost */
export function markScanned(context: ScannerContext, run: RunItem, fence: number, lanes: LaneCount[]): Promise<void> {
  return changeScanning(context, run, fence, [
    ...pagesOf(lanes),
    [['state'], 'scanned'],
    [['scannedAt'], context.clock.now()],
  ]);
}

/** Makes a run `failed`. @throws LockLost */
export function markFailed(context: ScannerContext, run: RunItem, fence: number, cause: string): Promise<void> {
  return changeScanning(context, run, fence, [
    [['state'], 'failed'],
    [['cause'], cause],
  ]);
}

function pagesOf(lanes: LaneCount[]): [Path, Attribute][] {
  return lanes.map(({ lane, pages }) => [['pages', laneName(lane)], pages]);
}

async function changeScanning(
  { store, fanoutId }: ScannerContext,
  run: RunItem,
  fence: number,
  set: readonly (readonly [Path, Attribute])[],
): Promise<void> {
  const key = ITEM_KEYS.run(fanoutId, run.runId);
  if (set.length === 0) {
    return;
  }
  const { applied } = await store.update(
    key,
    { set },
    when.all(when.compare('state', '=', 'scanning'), notNewerThan(fence)),
  );
  if (applied) {
    return;
  }
  const stored = await store.get<RunItem>(key);
  const wanted = set.find(([path]) => path[0] === 'state')?.[1];
  // The reply of the first try was lost where the run is as it should be, under this fence.
  if (stored?.fence !== fence || stored.state !== wanted) {
    throw new LockLost('a newer fence holds the run');
  }
}

function runItem(
  context: ScannerContext,
  { runId, tick }: RunStart,
  state: 'scanning' | 'skipped',
  fence: number,
): RunItem {
  const { clock, configuration, fanoutId } = context;
  return {
    ...ITEM_KEYS.run(fanoutId, runId),
    runId,
    state,
    fence,
    tick,
    lanes: configuration.lanes,
    startedAt: clock.now(),
    pages: {},
    expiresAt: expiryOf(context),
  };
}

async function putOpenRow(context: ScannerContext, runId: string): Promise<void> {
  const row: OpenItem = { ...ITEM_KEYS.openRun(context.fanoutId, runId), runId, expiresAt: expiryOf(context) };
  await context.store.put(row);
}
