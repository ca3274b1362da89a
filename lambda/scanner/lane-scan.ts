import type { Lane, PageId } from '../contract';
import { CronFanoutError } from '../contract';
import type { AnyJob } from '../job/job';
import { RunFailure } from './interruptions';
import { segmentsOf } from './jobs-of-run';
import { bringToRest } from './lane-rest';
import { loadMemory } from './lane-memory';
import type { PageDraft, PagePosition } from './page-draft';
import type { LaneStart } from './page-fence';
import { takeOverLane } from './page-fence';
import { countPage } from './page-counts';
import { PageReader } from './page-reader';
import type { PageWriting } from './page-writer';
import { writePage } from './page-writer';
import type { ScanCounts } from './scan-signal';
import { reportPage } from './scan-signal';

/** Pages of a lane: their number has six digits in the keys of the table. */
const MAX_PAGES = 1_000_000;

/** Invocations in a row in which a page may fail to be read again to its end. */
const IDLE_REREADS = 2;

/** What a lane is scanned for. */
export interface LaneScan extends PageWriting {
  readonly job: AnyJob;
  readonly lane: Lane;
  readonly counts: ScanCounts;
  /** Invocations in a row until now that brought the run no further. */
  readonly idle: number;
}

/** Whether the lane is read to its end, or the time of the invocation ended first. */
export type LaneEnd = { readonly kind: 'end'; readonly pages: number } | { readonly kind: 'stopped' };

/**
 * Scans one lane of a run, from where it stands: page by page, each written down before it is sent and accepted by SQS before the next one is written down.
 *
 * @throws LockLost, TimeIsShort, RunFailure, what the job's `setup` threw, or the error of the table or the queue
 */
export async function scanLane(scan: LaneScan): Promise<LaneEnd> {
  const { context, lane, job, claimed, budget } = scan;
  const start = claimed.isNew
    ? { kind: 'page' as const, position: { id: { ...lane, page: 0 }, before: undefined, isReserved: false } }
    : await lanePlace(scan);
  if (start.kind === 'end') {
    return start;
  }
  const dependencies = await context.setup.dependenciesOf(job);
  const memory = await loadMemory(context, lane, start.position.id.page);
  const segment = { index: lane.segment, count: segmentsOf(claimed.run, lane.jobType) };
  const source = { run: claimed.run, job, segment, dependencies, signal: budget.signal };
  const reader = new PageReader(context, source, memory);
  try {
    return await scanPages(scan, reader, start.position);
  } finally {
    await reader.close();
  }
}

/** Where the lane goes on. */
async function lanePlace({ context, lane, lock, idle }: LaneScan): Promise<LaneStart> {
  const start = await takeOverLane(context, lane, lock.fence);
  if (start.kind === 'end' || start.position.known === undefined || idle < IDLE_REREADS) {
    return start;
  }
  // It cannot be read again to its end in one invocation. A page that is new may end early, so the records move to new pages.
  const { page } = start.position.id;
  context.logger.warn('a page takes too long to be read again, its records move to new ones', { ...lane, page });
  await bringToRest(context, lane, lock.fence, 'withdrawn');
  return takeOverLane(context, lane, lock.fence);
}

async function scanPages(scan: LaneScan, reader: PageReader, start: PagePosition): Promise<LaneEnd> {
  const { lock, budget, counts } = scan;
  let position = start;
  for (;;) {
    lock.assertWanted();
    if (budget.isShort && counts.pages > 0) {
      return { kind: 'stopped' };
    }
    const { draft, isStopped } = await reader.read(position);
    // What was written down and not reached in time may come yet: the page is left for the continuation.
    if (isStopped && (!draft.hasMoved || draft.isBehind)) {
      return { kind: 'stopped' };
    }
    if (draft.last && draft.records === 0 && position.known === undefined) {
      return { kind: 'end', pages: position.id.page };
    }
    await finishPage(scan, draft);
    if (draft.last || isStopped) {
      return draft.last ? { kind: 'end', pages: position.id.page + 1 } : { kind: 'stopped' };
    }
    position = { id: nextPage(position.id), before: draft.after, isReserved: false };
  }
}

async function finishPage(scan: LaneScan, draft: PageDraft): Promise<void> {
  const { page, refused } = await writePage(scan, draft);
  draft.remember(page.withdrawn);
  const signal = reportPage(draft, refused, scan.counts);
  countPage(scan.context.metrics, signal);
  const { runId, jobType, ...numbers } = signal;
  const logger = scan.context.logger.with({ runId, jobType });
  logger.debug('a page is in the queue', numbers);
  if (draft.rejectedCount > 0) {
    logger.warn('records were rejected', { page: numbers.page, rejected: draft.rejectedCount, first: draft.told });
    logger.debug('records were rejected, with what was said of them', { page: numbers.page, first: draft.rejected });
  }
}

function nextPage(id: PageId): PageId {
  const page = id.page + 1;
  if (page < MAX_PAGES) {
    return { ...id, page };
  }
  const failure = new CronFanoutError('TooManyPages', {
    what: `pages of job ${JSON.stringify(id.jobType)} in one run`,
    received: `more than ${MAX_PAGES}`,
    allowed: `at most ${MAX_PAGES}`,
    change: 'raise pageSize, or see whether the source ever ends',
  });
  throw new RunFailure(failure);
}
