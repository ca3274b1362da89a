import type { RunTotals } from '../../lambda/contract';
import type { Observed } from './observed-run';

/** The result of a run: exactly what `--json` prints. Counts of records, unless they say otherwise. */
export interface Summary {
  readonly eligible: number;
  readonly enqueued: number;
  readonly duplicate: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly succeeded: number;
  readonly dead: number;
  readonly cancelled: number;
  readonly expired: number;
  readonly obsolete: number;
  readonly withdrawn: number;
  /** Calls of a handler beyond the first of their record. */
  readonly retried: number;
  readonly handlerCalls: number;
  readonly maxConcurrentHandlers: number;
  /** Calls that began before the record ahead of them in their group was done with. */
  readonly outOfOrder: number;
  /** Calls that began after an earlier call for the same record had succeeded, or beside one. */
  readonly handledTwice: number;
  /** Real time from the tick to the end of the run. */
  readonly seconds: number;
}

/** What a run is held against besides its own books. */
export interface Expected {
  /** Records that were loaded for it; absent: not known. */
  readonly eligible?: number;
  /** Handlers at once that are allowed. */
  readonly maxHandlers: number;
}

/** Compares what was seen of a run with its ledger, both with themselves, and with what was to be expected. Every line is an error. */
export function differences(observed: Observed, ledger: RunTotals, expected: Expected): string[] {
  const same = (['eligible', 'rejected', 'skipped', 'duplicate', 'succeeded', 'dead'] as const).map((name) =>
    equation(`${name}: seen`, observed[name], 'in the ledger', ledger[name]),
  );
  const neverCalled = ledger.cancelled + ledger.expired + ledger.obsolete;
  const notEnqueued = ledger.rejected + ledger.skipped + ledger.duplicate;
  const settled = ledger.succeeded + ledger.dead + neverCalled + ledger.withdrawn;
  return [
    ...same,
    // A record that was withdrawn may or may not have been sent before.
    observed.enqueued >= ledger.enqueued - ledger.withdrawn && observed.enqueued <= ledger.enqueued
      ? undefined
      : `enqueued: ${observed.enqueued} seen, ${ledger.enqueued} in the ledger (${ledger.withdrawn} of them withdrawn)`,
    observed.setAside >= neverCalled && observed.setAside <= neverCalled + ledger.withdrawn
      ? undefined
      : `cancelled, expired or obsolete: ${observed.setAside} seen, ${neverCalled} in the ledger`,
    equation('books: eligible', ledger.eligible, 'enqueued or not', ledger.enqueued + notEnqueued),
    equation('books: enqueued', ledger.enqueued, 'settled', settled),
    expected.eligible === undefined
      ? undefined
      : equation('eligible: loaded', expected.eligible, 'read', ledger.eligible),
    observed.maxConcurrentHandlers <= expected.maxHandlers
      ? undefined
      : `handlers at once: ${expected.maxHandlers} allowed, ${observed.maxConcurrentHandlers} seen`,
    equation('order: expected', 0, 'calls out of order', observed.outOfOrder),
    equation('once: expected', 0, 'calls for a record that was handled', observed.handledTwice),
  ].filter((line) => line !== undefined);
}

/** Puts the summary together: outcomes as they were seen; those that only the ledger can tell apart, from there. */
export function summaryOf(observed: Observed, ledger: RunTotals, seconds: number): Summary {
  return {
    eligible: observed.eligible,
    enqueued: observed.enqueued,
    duplicate: observed.duplicate,
    rejected: observed.rejected,
    skipped: observed.skipped,
    succeeded: observed.succeeded,
    dead: observed.dead,
    cancelled: ledger.cancelled,
    expired: ledger.expired,
    obsolete: ledger.obsolete,
    withdrawn: ledger.withdrawn,
    retried: observed.retried,
    handlerCalls: observed.handlerCalls,
    maxConcurrentHandlers: observed.maxConcurrentHandlers,
    outOfOrder: observed.outOfOrder,
    handledTwice: observed.handledTwice,
    seconds: Math.round(seconds * 10) / 10,
  };
}

function equation(left: string, one: number, right: string, other: number): string | undefined {
  return one === other ? undefined : `${left} ${one}, ${right} ${other}`;
}
