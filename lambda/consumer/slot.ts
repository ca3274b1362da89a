import type { Claim, Dying } from '../contract';
import { heldUntil } from '../ledger/claim-guard';

/*
 * The rules of PROTOCOL.md section 4 for one record, as pure functions: what may be done to the record's slot (its ordinal in a PAGE, or its
 * DEAD item while it is redriven), given what is known of it. Writing is the books' business: they write under the condition that the slot is
 * still what the decision assumed.
 */

/** What is known of a record. */
export interface Slot {
  /** Outcome, once it is settled. */
  readonly outcome?: string;
  /** Its claim; absent where it was never claimed. */
  readonly claim?: Claim;
}

/** Something to be done to a record. */
export type Step =
  | {
      readonly do: 'claim';
      readonly token: string;
      readonly leaseUntil: number;
      readonly maxAttempts: number;
    }
  | { readonly do: 'settle'; readonly token: string; readonly outcome: string }
  /** Settles a record that no handler holds; `ifNeverClaimed` leaves one alone that was started before. */
  | { readonly do: 'settleUnheld'; readonly outcome: string; readonly ifNeverClaimed: boolean }
  /** Ends a failed attempt that was not the last: the claim keeps its attempts and loses its lease. Not `counted`: the handler was not called. */
  | { readonly do: 'release'; readonly token: string; readonly error: string; readonly counted: boolean }
  /** Begins a death; without a token only where no handler holds the record. */
  | { readonly do: 'die'; readonly token?: string; readonly dying: Dying; readonly error: string }
  /** Begins the death of a record that no handler holds, if its attempts are used up still. Its error is the last one of its claim; `error` where that has none. */
  | { readonly do: 'dieExhausted'; readonly maxAttempts: number; readonly dying: Dying; readonly error: string }
  | { readonly do: 'settleDead'; readonly deathId: string };

/** What is to be written: the claim (absent: none is left) and the outcome, if the slot is settled by it. */
export interface SlotWrite {
  readonly kind: 'write';
  readonly claim?: Claim;
  readonly outcome?: string;
}

/** Why there is nothing to write. */
export type Refusal =
  /** It is in effect already: the reply was lost, or somebody else did the same. */
  | { readonly kind: 'done'; readonly claim?: Claim }
  | { readonly kind: 'settled'; readonly outcome: string }
  /** Another's claim is live; it can be taken over after `until`, epoch milliseconds. */
  | { readonly kind: 'held'; readonly until: number }
  | { readonly kind: 'dying'; readonly claim: Claim; readonly dying: Dying }
  /** All attempts are used and the last one's lease has lapsed: the record must die. */
  | { readonly kind: 'exhausted' }
  /** The last attempt was given back: its handler was not called. */
  | { readonly kind: 'attemptsLeft' }
  /** The record was started before. */
  | { readonly kind: 'started' }
  /** The token's claim is gone. */
  | { readonly kind: 'lost' };

/** Decides a step. */
export function decide(step: Step, slot: Slot, now: number): SlotWrite | Refusal {
  switch (step.do) {
    case 'claim':
      return decideClaim(step, slot, now);
    case 'settle':
      return decideSettle(step, slot);
    case 'settleUnheld':
      return decideSettleUnheld(step, slot, now);
    case 'release':
      return decideRelease(step, slot);
    case 'die':
      return decideDie(step, slot, now);
    case 'dieExhausted':
      return decideDieExhausted(step, slot, now);
    case 'settleDead':
      return decideSettleDead(step, slot);
  }
}

type StepOf<K extends Step['do']> = Extract<Step, { do: K }>;

function decideClaim(step: StepOf<'claim'>, slot: Slot, now: number): SlotWrite | Refusal {
  const claim = slot.claim;
  if (slot.outcome === undefined && claim?.t === step.token) {
    return { kind: 'done', claim };
  }
  const refusal = unclaimable(slot, now);
  if (refusal !== undefined) {
    return refusal;
  }
  if (claim !== undefined && claim.a >= step.maxAttempts) {
    return { kind: 'exhausted' };
  }
  const { f = now, e } = claim ?? {};
  const next: Claim = { t: step.token, a: (claim?.a ?? 0) + 1, u: step.leaseUntil, f };
  return { kind: 'write', claim: e === undefined ? next : { ...next, e } };
}

function decideSettle(step: StepOf<'settle'>, slot: Slot): SlotWrite | Refusal {
  if (slot.outcome !== undefined) {
    return settledAs(slot.outcome, step.outcome);
  }
  return slot.claim?.t === step.token ? { kind: 'write', outcome: step.outcome } : { kind: 'lost' };
}

function decideSettleUnheld(step: StepOf<'settleUnheld'>, slot: Slot, now: number): SlotWrite | Refusal {
  if (slot.outcome !== undefined) {
    return settledAs(slot.outcome, step.outcome);
  }
  const refusal = unclaimable(slot, now);
  if (refusal !== undefined) {
    return refusal;
  }
  return step.ifNeverClaimed && slot.claim !== undefined
    ? { kind: 'started' }
    : { kind: 'write', outcome: step.outcome };
}

function decideRelease(step: StepOf<'release'>, slot: Slot): SlotWrite | Refusal {
  if (slot.outcome !== undefined) {
    return { kind: 'settled', outcome: slot.outcome };
  }
  if (slot.claim?.t !== step.token) {
    return { kind: 'lost' };
  }
  const { a, f, e } = slot.claim;
  if (step.counted) {
    return { kind: 'write', claim: { a, f, e: step.error } };
  }
  // Should the record die, its last error is that of a call, not of one that it did not come to.
  return { kind: 'write', claim: { a: a - 1, f, ...(e === undefined ? {} : { e }) } };
}

function decideDie(step: StepOf<'die'>, slot: Slot, now: number): SlotWrite | Refusal {
  const { claim, outcome } = slot;
  if (outcome !== undefined) {
    return { kind: 'settled', outcome };
  }
  if (claim?.d !== undefined) {
    return { kind: 'dying', claim, dying: claim.d };
  }
  if (step.token !== undefined && claim?.t !== step.token) {
    return { kind: 'lost' };
  }
  const refusal = step.token === undefined ? unclaimable(slot, now) : undefined;
  return refusal ?? { kind: 'write', claim: { a: claim?.a ?? 0, f: claim?.f ?? now, e: step.error, d: step.dying } };
}

function decideDieExhausted(step: StepOf<'dieExhausted'>, slot: Slot, now: number): SlotWrite | Refusal {
  const refusal = unclaimable(slot, now);
  if (refusal !== undefined) {
    return refusal;
  }
  const { claim } = slot;
  if (claim === undefined || claim.a < step.maxAttempts) {
    return { kind: 'attemptsLeft' };
  }
  const { a, f, e = step.error } = claim;
  return { kind: 'write', claim: { a, f, e, d: step.dying } };
}

function decideSettleDead(step: StepOf<'settleDead'>, slot: Slot): SlotWrite | Refusal {
  if (slot.outcome !== undefined) {
    return settledAs(slot.outcome, 'dead');
  }
  return slot.claim?.d?.deathId === step.deathId ? { kind: 'write', outcome: 'dead' } : { kind: 'lost' };
}

function settledAs(stored: string, wanted: string): Refusal {
  return stored === wanted ? { kind: 'done' } : { kind: 'settled', outcome: stored };
}

/** Why nobody may take hold of a record now; `undefined` where it is free. */
function unclaimable(slot: Slot, now: number): Refusal | undefined {
  const { claim, outcome } = slot;
  if (outcome !== undefined) {
    return { kind: 'settled', outcome };
  }
  if (claim?.d !== undefined) {
    return { kind: 'dying', claim, dying: claim.d };
  }
  const until = heldUntil(claim, now);
  return until === undefined ? undefined : { kind: 'held', until };
}
