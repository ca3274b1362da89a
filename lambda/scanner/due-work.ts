import type { OpenItem, PageId, PageItem, RunItem } from '../contract';
import { ITEM_KEYS, LAMBDA } from '../contract';
import {
  closeIfComplete,
  completeRunIfDue,
  isComplete,
  isRedriveRow,
  isUnfinished,
  pageOfRow,
  redrivesInFlight,
  sweepPage,
} from '../ledger';
import type { ScannerContext } from './context';
import { readRun } from './run-ledger';

/** Rows of the index that one call reads, and those of them that it looks behind. */
const ROWS_READ = 1000;
const ROWS_CHECKED = 100;
/** Records that one call settles which no message will come of any more. */
const MAX_SWEPT = 500;

/** Seconds after which no write of an invocation can take effect any more: the longest invocation, and as long again for what it left on its way. */
const LONGEST_WRITE_SECONDS = 2 * LAMBDA.timeoutSeconds;

/** What due work came upon. */
export interface DueWork {
  /** Runs that are not scanned to their end, or cancelled and not at rest, oldest first. */
  readonly unfinished: readonly string[];
}

/**
 * Repeats what a crash may have left undone: closes pages that are complete, completes runs, deletes void rows of the index, and settles what is lost on pages past their deadline.
 * Bounded; where there are more rows than it looks behind, it
 * begins at a random one, so that none is left out for ever.
 */
export async function doDueWork(context: ScannerContext): Promise<DueWork> {
  const { store, fanoutId, randomness, metrics, clock } = context;
  const rows = await store.query<OpenItem>(ITEM_KEYS.openPartition(fanoutId), { limit: ROWS_READ });
  const runs = rows.filter((row) => row.page === undefined && !isRedriveRow(row));
  const pages = rows.filter(({ page }) => page !== undefined);
  const first = pages.length <= ROWS_CHECKED ? 0 : Math.floor(randomness.fraction() * pages.length);
  const checked = [...pages.slice(first), ...pages.slice(0, first)].slice(0, ROWS_CHECKED);
  const inFlight = await checkPages(context, checked);
  await redrivesInFlight(context, rows.filter(isRedriveRow).slice(0, ROWS_CHECKED));
  metrics.add('InFlight', Math.round(inFlight * (pages.length / Math.max(1, checked.length))));
  const unfinished: string[] = [];
  let oldest = clock.now();
  for (const row of runs.slice(0, ROWS_CHECKED)) {
    const run = await openRun(context, row);
    oldest = Math.min(oldest, run?.startedAt ?? oldest);
    if (run !== undefined && isUnfinished(run)) {
      unfinished.push(row.runId);
    }
  }
  metrics.add('OldestRunAge', Math.round((clock.now() - oldest) / 1000));
  return { unfinished };
}

/** @returns records of these pages that were not settled yet */
async function checkPages(context: ScannerContext, rows: readonly OpenItem[]): Promise<number> {
  const ids = rows.map((row) => pageOfRow(context.fanoutId, row));
  const pages = new Map(
    (await context.store.getMany<PageItem>(ids.map(ITEM_KEYS.page))).map((page) => [page.pk, page]),
  );
  let swept = 0;
  let inFlight = 0;
  for (const id of ids) {
    const page = pages.get(ITEM_KEYS.page(id).pk);
    if (page === undefined) {
      // Its page has expired, so the row has too, but for the lag of TTL.
      await context.store.delete(ITEM_KEYS.openPage(id));
    } else if (isComplete(page)) {
      await closeIfComplete(context, id, page);
    } else {
      inFlight += Math.max(0, (page.sealed ?? 0) - (page.settled?.size ?? 0));
      swept += swept < MAX_SWEPT ? await sweep(context, id, page, MAX_SWEPT - swept) : 0;
    }
  }
  return inFlight;
}

/** The run of a row, if it is not completed; what a crash may have left undone of one that is gets done. */
async function openRun(context: ScannerContext, row: OpenItem): Promise<RunItem | undefined> {
  const { runId } = row;
  const run = await readRun(context, runId);
  if (run === undefined && ageOf(context, row) < LONGEST_WRITE_SECONDS) {
    return undefined;
  }
  if (run === undefined || run.state === 'skipped') {
    await context.store.delete(ITEM_KEYS.openRun(context.fanoutId, runId));
    return undefined;
  }
  return !isUnfinished(run) && (await completeRunIfDue(context, runId)) ? undefined : run;
}

/** Seconds since a row was written. */
function ageOf({ clock, configuration }: ScannerContext, { expiresAt }: OpenItem): number {
  return clock.now() / 1000 - (expiresAt - configuration.ledgerRetention);
}

async function sweep(context: ScannerContext, id: PageId, page: PageItem, limit: number): Promise<number> {
  const { queueRetention, ledgerRetention } = context.configuration;
  const swept = await sweepPage(context, id, page, { queueRetention, ledgerRetention, limit });
  if (swept > 0) {
    const { runId, jobType } = id;
    context.metrics.add('Dead', swept, jobType);
    context.logger.error('records died: no message of them came', { runId, jobType, page: id.page, records: swept });
  }
  return swept;
}
