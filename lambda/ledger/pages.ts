import type { KeysItem, Lane, OpenItem, PageId, PageItem, RunItem, RunTotals } from '../contract';
import { ITEM_KEYS } from '../contract';
import type { Clock, StateStore } from '../ports';
import { when } from '../ports';
import type { ReportTo } from './completion-report';
import { reportCompletion } from './completion-report';
import { isCompleted, moveRun } from './run-state';

/** What the ledger's functions work with. */
export interface Ledger extends ReportTo {
  readonly store: StateStore;
  readonly clock: Clock;
  readonly fanoutId: string;
}

/** Open rows that one completion check looks at: enough to pass over a few void ones. */
const OPEN_ROWS_CHECKED = 5;

/** Whether a page is sealed and all its ordinals are settled. */
export function isComplete(page: PageItem): boolean {
  return page.sealed !== undefined && (page.settled?.size ?? 0) >= page.sealed;
}

/**
 * Closes a page that is complete: marks it, deletes its OPEN row, and makes the completion check of its run. Idempotent: whoever sees a complete page
 * calls it, also where a crash in between may have left a part undone.
 */
export async function closeIfComplete(ledger: Ledger, id: PageId, page: PageItem): Promise<boolean> {
  if (!isComplete(page)) {
    return false;
  }
  if (page.closed !== true) {
    await ledger.store.update(ITEM_KEYS.page(id), { set: [[['closed'], true]] }, when.storedItem);
  }
  await ledger.store.delete(ITEM_KEYS.openPage(id));
  await completeRunIfDue(ledger, id.runId);
  return true;
}

/**
 * The completion check: a run whose scan is over and that has no open page left gets its totals, by one conditional write. One that was scanned becomes `completed`; one that failed or
 * was cancelled, and is at rest, stays what it is. Safe to repeat at any time; a run that has its totals already only loses its own OPEN row.
 *
 * @returns whether every record of the run is settled
 */
export async function completeRunIfDue(ledger: Ledger, runId: string): Promise<boolean> {
  const { store, fanoutId, clock } = ledger;
  const key = ITEM_KEYS.run(fanoutId, runId);
  const run = await store.get<RunItem>(key);
  if (run === undefined) {
    return false;
  }
  if (!isCompleted(run)) {
    if (!isScanOver(run) || (await hasOpenPage(ledger, runId))) {
      return false;
    }
    const totals = await sumTotals(ledger, run);
    const completed = await moveRun(store, key, {
      from: run.state,
      to: run.state === 'scanned' ? 'completed' : run.state,
      set: [
        [['totals'], { ...totals }],
        [['completedAt'], clock.now()],
      ],
      // A run that was resumed meanwhile has another fence.
      condition: when.all(when.absent('completedAt'), when.compare('fence', '=', run.fence)),
    });
    if (completed === undefined) {
      return false;
    }
    reportCompletion(ledger, completed);
  }
  await store.delete(ITEM_KEYS.openRun(fanoutId, runId));
  return true;
}

function isScanOver({ state, rest }: RunItem): boolean {
  return state === 'scanned' || ((state === 'failed' || state === 'cancelled') && rest !== undefined);
}

/** Whether a page of the run is still open; void rows on the way are deleted. */
async function hasOpenPage(ledger: Ledger, runId: string): Promise<boolean> {
  for (;;) {
    const rows = await ledger.store.query<OpenItem>(ITEM_KEYS.openPartition(ledger.fanoutId), {
      prefix: ITEM_KEYS.openPagesOfRun(runId),
      limit: OPEN_ROWS_CHECKED,
    });
    if (rows.length === 0) {
      return false;
    }
    for (const row of rows) {
      const id = pageOfRow(ledger.fanoutId, row);
      const page = await ledger.store.get<PageItem>(ITEM_KEYS.page(id));
      if (page === undefined || !isComplete(page)) {
        return true;
      }
      await ledger.store.delete(ITEM_KEYS.openPage(id));
    }
  }
}

/** The page that an OPEN row of a page points at. */
export function pageOfRow(fanoutId: string, row: OpenItem): PageId {
  return {
    fanoutId,
    runId: row.runId,
    jobType: row.jobType ?? '',
    segment: row.segment ?? 0,
    page: row.page ?? 0,
  };
}

/** The lanes of a run that are read to their end or at rest, with their number of pages. */
export function lanesOf(fanoutId: string, run: RunItem): { readonly lane: Lane; readonly pages: number }[] {
  return Object.entries({ ...run.rest, ...run.pages }).map(([name, pages]) => {
    const [jobType = '', segment = '0'] = name.split('#');
    return { lane: { fanoutId, runId: run.runId, jobType, segment: Number(segment) }, pages };
  });
}

/** Name of a lane in `RunItem.pages`. */
export function laneName(lane: Lane): string {
  return `${lane.jobType}#${lane.segment}`;
}

/** Sums the books of a run over its pages; exact once the run is completed, a snapshot before. */
export async function sumTotals(ledger: Ledger, run: RunItem): Promise<RunTotals> {
  const totals = emptyTotals();
  for (const { lane, pages } of lanesOf(ledger.fanoutId, run)) {
    const keys = await ledger.store.query<KeysItem>(ITEM_KEYS.keysPartition(lane), { prefix: 'KEYS#' });
    for (const item of keys) {
      addKeys(totals, item);
    }
    const ids = Array.from({ length: pages }, (_, page) => ITEM_KEYS.page({ ...lane, page }));
    for (const item of await ledger.store.getMany<PageItem>(ids)) {
      addPage(totals, item);
    }
  }
  return totals;
}

type MutableTotals = { -readonly [name in keyof RunTotals]: number };

function emptyTotals(): MutableTotals {
  return {
    eligible: 0,
    enqueued: 0,
    rejected: 0,
    skipped: 0,
    duplicate: 0,
    succeeded: 0,
    dead: 0,
    cancelled: 0,
    expired: 0,
    obsolete: 0,
    withdrawn: 0,
  };
}

function addKeys(totals: MutableTotals, item: KeysItem): void {
  totals.eligible += item.count + item.rejectedCount + item.skippedCount + item.duplicateCount;
  totals.enqueued += item.count;
  totals.rejected += item.rejectedCount;
  totals.skipped += item.skippedCount;
  totals.duplicate += item.duplicateCount;
}

function addPage(totals: MutableTotals, item: PageItem): void {
  const notEnqueued = (item.rejected?.size ?? 0) + (item.skipped?.size ?? 0);
  totals.enqueued -= notEnqueued;
  totals.rejected += item.rejected?.size ?? 0;
  totals.skipped += item.skipped?.size ?? 0;
  totals.succeeded += item.succeeded?.size ?? 0;
  totals.dead += item.dead?.size ?? 0;
  totals.cancelled += item.cancelled?.size ?? 0;
  totals.expired += item.expired?.size ?? 0;
  totals.obsolete += item.obsolete?.size ?? 0;
  totals.withdrawn += item.withdrawn?.size ?? 0;
}
