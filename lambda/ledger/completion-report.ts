import type { RunItem, RunTotals } from '../contract';
import type { Logger, Metrics } from '../ports';

/** Where it is reported; absent: nobody listens. */
export interface ReportTo {
  readonly metrics?: Metrics;
  readonly logger?: Logger;
}

/** Reports a run whose last record has just been settled, by the one write that made it complete. */
export function reportCompletion({ metrics, logger }: ReportTo, run: RunItem): void {
  const { runId, state, startedAt, completedAt = startedAt, totals } = run;
  if (state === 'completed') {
    metrics?.add('RunsCompleted', 1);
    metrics?.add('RunDuration', completedAt - startedAt);
  }
  if (totals !== undefined && !isBalanced(totals)) {
    metrics?.add('RunsUnbalanced', 1);
    logger?.error('the books of a run do not balance', { runId, totals });
  }
  logger?.info('every record of a run is settled', { runId, state, totals });
}

/** Whether every eligible record has an outcome, and every enqueued one a settled one. */
export function isBalanced(totals: RunTotals): boolean {
  const { eligible, enqueued, rejected, skipped, duplicate } = totals;
  const { succeeded, dead, cancelled, expired, obsolete, withdrawn } = totals;
  return (
    eligible === enqueued + rejected + skipped + duplicate &&
    enqueued === succeeded + dead + cancelled + expired + obsolete + withdrawn
  );
}
