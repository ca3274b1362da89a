/** Outcomes of a record that was written down; each is settled exactly once, in the PAGE item. */
export const SETTLED_OUTCOMES = [
  'succeeded',
  'dead',
  'cancelled',
  'expired',
  'obsolete',
  'withdrawn',
  'rejected',
  'skipped',
] as const;

/**
 * What became of a record after it was written down.
 *
 * `succeeded`: the handler returned. `dead`: it is in the dead-letter queue, with its cause. `cancelled`: its run was
 * cancelled before it started. `expired`: it was older than `expiresAfter` before it started. `obsolete`: `stillEligible`
 * said no, or `load` found no record. `withdrawn`: written down before a crash, no longer eligible when read again, never claimed. `rejected`: SQS
 * refused it for good. `skipped`: a run beside this one was found to have it in flight after it was written down.
 */
export type SettledOutcome = (typeof SETTLED_OUTCOMES)[number];

/** Every outcome of an eligible record, those of records that were never enqueued included. */
export type Outcome = SettledOutcome | 'duplicate';

/**
 * The books of a run. Always:
 * `eligible = enqueued + rejected + skipped + duplicate` and
 * `enqueued = succeeded + dead + cancelled + expired + obsolete + withdrawn + in flight`.
 */
export interface RunTotals {
  /** Records that the source yielded. */
  readonly eligible: number;
  /** Records that were written down for the queue and that SQS did not refuse. */
  readonly enqueued: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly duplicate: number;
  readonly succeeded: number;
  readonly dead: number;
  readonly cancelled: number;
  readonly expired: number;
  readonly obsolete: number;
  readonly withdrawn: number;
}
