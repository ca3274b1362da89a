import fc from 'fast-check';
import type { Claim } from '../../../lambda/contract';
import type { Slot, Step } from '../../../lambda/consumer/slot';
import { CLOCK_SKEW_BOUND_MS } from '../../../lambda/ledger';
import { decide } from '../../../lambda/consumer/slot';

const NOW = 1_000_000;
const DYING = { at: NOW, cause: 'PermanentError', deathId: 'd1' };

const claims: fc.Arbitrary<Claim> = fc.oneof(
  fc.record({
    t: fc.constantFrom('mine', 'other'),
    a: fc.integer({ min: 1, max: 4 }),
    u: fc.integer({ min: NOW - 3 * CLOCK_SKEW_BOUND_MS, max: NOW + CLOCK_SKEW_BOUND_MS }),
    f: fc.constant(NOW - 1),
  }),
  fc.record({ a: fc.integer({ min: 0, max: 4 }), f: fc.constant(NOW - 1), e: fc.constant('Error: x') }),
  fc.record({ a: fc.integer({ min: 0, max: 4 }), f: fc.constant(NOW - 1), d: fc.constant(DYING) }),
);

const slots: fc.Arbitrary<Slot> = fc.oneof(
  fc.constant({}),
  fc.record({ claim: claims }),
  fc.record({ outcome: fc.constantFrom('succeeded', 'dead', 'cancelled') }),
);

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>({ do: 'claim', token: 'mine', leaseUntil: NOW + 1, maxAttempts: 3 }),
  fc.constant<Step>({ do: 'settle', token: 'mine', outcome: 'succeeded' }),
  fc.boolean().map<Step>((ifNeverClaimed) => ({ do: 'settleUnheld', outcome: 'cancelled', ifNeverClaimed })),
  fc.boolean().map<Step>((counted) => ({ do: 'release', token: 'mine', error: 'Error: y', counted })),
  fc.constant<Step>({ do: 'die', token: 'mine', dying: DYING, error: 'Error: y' }),
  fc.constant<Step>({ do: 'die', dying: DYING, error: 'Error: y' }),
  fc.constant<Step>({ do: 'dieExhausted', maxAttempts: 3, dying: DYING, error: 'Error: y' }),
  fc.constant<Step>({ do: 'settleDead', deathId: 'd1' }),
);

function isLive(claim: Claim | undefined): boolean {
  return claim?.t !== undefined && NOW <= (claim.u ?? 0) + CLOCK_SKEW_BOUND_MS;
}

describe('decisions on a record', () => {
  test('a settled record is never written to', () => {
    fc.assert(
      fc.property(slots, steps, (slot, step) => {
        fc.pre(slot.outcome !== undefined);
        expect(['settled', 'done']).toContain(decide(step, slot, NOW).kind);
      }),
    );
  });

  test("another's live claim is never written over", () => {
    fc.assert(
      fc.property(slots, steps, (slot, step) => {
        fc.pre(slot.outcome === undefined && slot.claim?.t === 'other' && isLive(slot.claim));
        expect(decide(step, slot, NOW).kind).not.toBe('write');
      }),
    );
  });

  test('a dying record is neither claimed nor settled otherwise, and keeps its death', () => {
    fc.assert(
      fc.property(slots, steps, (slot, step) => {
        fc.pre(slot.outcome === undefined && slot.claim?.d !== undefined);
        const decision = decide(step, slot, NOW);
        expect(decision.kind === 'write').toBe(step.do === 'settleDead');
      }),
    );
  });

  test('a decision that was carried out is recognised when it is made again', () => {
    fc.assert(
      fc.property(slots, steps, (slot, step) => {
        const decision = decide(step, slot, NOW);
        fc.pre(decision.kind === 'write' && step.do !== 'release');
        const { claim, outcome } = decision;
        const after: Slot = outcome === undefined ? { ...(claim && { claim }) } : { outcome };
        expect(['done', 'dying']).toContain(decide(step, after, NOW).kind);
      }),
    );
  });

  test('a claim counts one attempt more, never beyond the last', () => {
    fc.assert(
      fc.property(slots, (slot) => {
        const decision = decide({ do: 'claim', token: 'new', leaseUntil: NOW + 1, maxAttempts: 3 }, slot, NOW);
        if (decision.kind === 'write') {
          expect(decision.claim).toMatchObject({ t: 'new', a: (slot.claim?.a ?? 0) + 1, u: NOW + 1 });
          expect(decision.claim?.a).toBeLessThanOrEqual(3);
        }
      }),
    );
  });

  test('a record dies of its attempts exactly where it cannot be claimed any more for that reason', () => {
    fc.assert(
      fc.property(slots, (slot) => {
        const claim = decide({ do: 'claim', token: 'new', leaseUntil: NOW + 1, maxAttempts: 3 }, slot, NOW);
        const death = decide({ do: 'dieExhausted', maxAttempts: 3, dying: DYING, error: 'Error: y' }, slot, NOW);
        expect(death.kind === 'write').toBe(claim.kind === 'exhausted');
        expect(death.kind === 'attemptsLeft').toBe(claim.kind === 'write');
      }),
    );
  });

  test('an attempt that was not called is given back, and leaves the error of the call before', () => {
    const release = (e?: string) =>
      decide(
        { do: 'release', token: 'mine', error: 'TimeBudget: over', counted: false },
        { claim: { t: 'mine', a: 2, u: NOW, f: 1, ...(e !== undefined && { e }) } },
        NOW,
      );
    expect(release('Error: x')).toEqual({ kind: 'write', claim: { a: 1, f: 1, e: 'Error: x' } });
    expect(release()).toEqual({ kind: 'write', claim: { a: 1, f: 1 } });
  });

  test.each([
    ['at the end of its lease and the bound', NOW - CLOCK_SKEW_BOUND_MS, 'held'],
    ['a millisecond later', NOW - CLOCK_SKEW_BOUND_MS - 1, 'write'],
  ])('a claim %s is %s', (_, u, kind) => {
    const slot = { claim: { t: 'other', a: 1, u, f: 1 } };
    expect(decide({ do: 'claim', token: 'mine', leaseUntil: NOW, maxAttempts: 3 }, slot, NOW).kind).toBe(kind);
  });

  test('a record that was started before does not expire', () => {
    const step: Step = { do: 'settleUnheld', outcome: 'expired', ifNeverClaimed: true };
    expect(decide(step, { claim: { a: 1, f: 1 } }, NOW).kind).toBe('started');
    expect(decide(step, {}, NOW)).toEqual({ kind: 'write', outcome: 'expired' });
  });
});
