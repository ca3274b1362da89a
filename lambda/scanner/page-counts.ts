import type { KeysItem, ScanSignal } from '../contract';
import type { Metrics } from '../ports';

/** Counts a page that SQS has accepted, and publishes: a scan takes minutes, and its rate is to be seen meanwhile. */
export function countPage(metrics: Metrics, { eligible, enqueued, rejected, skipped, duplicate }: ScanSignal): void {
  add(metrics, { Eligible: eligible, Enqueued: enqueued, Rejected: rejected, Skipped: skipped, Duplicate: duplicate });
  metrics.flush();
}

/**
 * Counts a page of a run that was brought to rest before SQS had accepted it: as the books have it. What was refused on a page whose records are withdrawn is counted when it is read again.
 *
 * @param keys what was written down; absent: nothing
 */
export function countRestingPage(
  metrics: Metrics,
  keys: KeysItem | undefined,
  outcome: 'withdrawn' | 'cancelled',
): void {
  const { count = 0, rejectedCount = 0, skippedCount = 0, duplicateCount = 0 } = keys ?? {};
  const [rejected, skipped, duplicate] =
    outcome === 'withdrawn' ? [0, 0, 0] : [rejectedCount, skippedCount, duplicateCount];
  const eligible = count + rejected + skipped + duplicate;
  add(metrics, { Eligible: eligible, Enqueued: count, Rejected: rejected, Skipped: skipped, Duplicate: duplicate });
}

function add(
  metrics: Metrics,
  counts: Readonly<Record<'Eligible' | 'Enqueued' | 'Rejected' | 'Skipped' | 'Duplicate', number>>,
): void {
  for (const name of ['Eligible', 'Enqueued', 'Rejected', 'Skipped', 'Duplicate'] as const) {
    if (counts[name] > 0) {
      metrics.add(name, counts[name]);
    }
  }
}
