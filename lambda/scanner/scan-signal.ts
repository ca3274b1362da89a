import { channel } from 'node:diagnostics_channel';
import type { ScanSignal } from '../contract';
import { CHANNELS } from '../contract';
import type { PageDraft } from './page-draft';

const scanChannel = channel(CHANNELS.scan);

/** Books of what one invocation scanned. */
export interface ScanCounts {
  pages: number;
  eligible: number;
  enqueued: number;
  rejected: number;
  skipped: number;
  duplicate: number;
}

/** Books of an invocation that has scanned nothing yet. */
export function noCounts(): ScanCounts {
  return { pages: 0, eligible: 0, enqueued: 0, rejected: 0, skipped: 0, duplicate: 0 };
}

/**
 * Reports a page that SQS accepted: publishes it, and adds it to the books of the invocation.
 *
 * @param refused records of the page that SQS refused for good
 * @returns what was published
 */
export function reportPage(draft: PageDraft, refused: number, counts: ScanCounts): ScanSignal {
  const { count, rejectedCount, skippedCount, duplicateCount } = draft;
  const { runId, jobType, page } = draft.position.id;
  const signal: ScanSignal = {
    runId,
    jobType,
    page,
    eligible: count + rejectedCount + skippedCount + duplicateCount,
    enqueued: count - refused,
    rejected: rejectedCount + refused,
    skipped: skippedCount,
    duplicate: duplicateCount,
  };
  counts.pages += 1;
  counts.eligible += signal.eligible;
  counts.enqueued += signal.enqueued;
  counts.rejected += signal.rejected;
  counts.skipped += signal.skipped;
  counts.duplicate += signal.duplicate;
  scanChannel.publish(signal);
  return signal;
}
