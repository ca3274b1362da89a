import type { Claim } from '../contract';
import type { Condition, Path } from '../ports';
import { when } from '../ports';

/** Bound on the difference of two clocks, in milliseconds: a claim holds until its lease and this much longer. */
export const CLOCK_SKEW_BOUND_MS = 5_000;

/** Whether a handler may still hold the record, and until when, epoch milliseconds; `undefined` where nobody does. */
export function heldUntil(claim: Claim | undefined, now: number): number | undefined {
  const until = (claim?.u ?? 0) + CLOCK_SKEW_BOUND_MS;
  return claim?.t !== undefined && now <= until ? until : undefined;
}

/** The claim at `path` is the one that was seen. */
export function claimGuard(path: Path, seen: Claim | undefined): Condition {
  if (seen === undefined) {
    return when.absent(...path);
  }
  if (seen.t !== undefined) {
    return when.compare([...path, 't'], '=', seen.t);
  }
  if (seen.d !== undefined) {
    return when.compare([...path, 'd', 'deathId'], '=', seen.d.deathId);
  }
  return when.all(when.compare([...path, 'a'], '=', seen.a), when.absent(...path, 't'), when.absent(...path, 'd'));
}
