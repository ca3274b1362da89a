import type { OpenItem, PageItem } from '../contract';
import { ITEM_KEYS } from '../contract';
import { closeIfComplete, completeRunIfDue, isComplete, isUnfinished, pageOfRow } from '../ledger';
import type { ScannerContext } from './context';
import { readRun } from './run-ledger';

/** Rows of the index that one call reads, and those of them that it looks behind. */
const ROWS_READ = 1000;
const ROWS_CHECKED = 100;

/** What due work came upon. */
export interface DueWork {
  /** Runs that are not scanned to their end, or cancelled and not at rest, oldest first. */
  readonly unfinished: readonly string[];
}

/**
 * Repeats what a crash may have left undone: closes pages that are complete, completes runs, and deletes void rows of the index. Bounded; where there are more rows than it looks behind, it
 * begins at a random one, so that none is left out for ever.
 */
export async function doDueWork(context: ScannerContext): Promise<DueWork> {
  const { store, fanoutId, randomness } = context;
  const rows = await store.query<OpenItem>(ITEM_KEYS.openPartition(fanoutId), { limit: ROWS_READ });
  const runs = rows.filter(({ page }) => page === undefined);
  const pages = rows.filter(({ page }) => page !== undefined);
  const first = pages.length <= ROWS_CHECKED ? 0 : Math.floor(randomness.fraction() * pages.length);
  await checkPages(context, [...pages.slice(first), ...pages.slice(0, first)].slice(0, ROWS_CHECKED));
  const unfinished: string[] = [];
  for (const { runId } of runs.slice(0, ROWS_CHECKED)) {
    if (await needsScanner(context, runId)) {
      unfinished.push(runId);
    }
  }
  return { unfinished };
}

async function checkPages(context: ScannerContext, rows: readonly OpenItem[]): Promise<void> {
  const ids = rows.map((row) => pageOfRow(context.fanoutId, row));
  const pages = new Map(
    (await context.store.getMany<PageItem>(ids.map(ITEM_KEYS.page))).map((page) => [page.pk, page]),
  );
  for (const id of ids) {
    const page = pages.get(ITEM_KEYS.page(id).pk);
    if (page === undefined) {
      // Its page has expired, so the row has too, but for the lag of TTL.
      await context.store.delete(ITEM_KEYS.openPage(id));
    } else if (isComplete(page)) {
      await closeIfComplete(context, id, page);
    }
  }
}

async function needsScanner(context: ScannerContext, runId: string): Promise<boolean> {
  const run = await readRun(context, runId);
  if (run === undefined || run.state === 'skipped') {
    await context.store.delete(ITEM_KEYS.openRun(context.fanoutId, runId));
    return false;
  }
  if (isUnfinished(run)) {
    return true;
  }
  await completeRunIfDue(context, runId);
  return false;
}
