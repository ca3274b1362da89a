import fc from 'fast-check';
import { backOffSeconds, longestVisibility } from '../../../lambda/consumer/back-off';
import type { RetryDelays } from '../../../lambda/contract';
import { PermanentError, RetryLater } from '../../../lambda/job';

const fixed = (fraction: number) => ({ fraction: () => fraction, token: () => 't' });
const plan = (delays: RetryDelays, jitter = 0) => ({ maxAttempts: 5, delays, jitter });
const sequence = (delays: RetryDelays): number[] =>
  [1, 2, 3, 4, 5].map((attempt) => backOffSeconds(plan(delays), attempt, new Error(), fixed(0)));

describe('the delay after an attempt that failed', () => {
  test.each<[RetryDelays, number[]]>([
    [{ kind: 'exponential', initial: 10, factor: 2, max: 60 }, [10, 20, 40, 60, 60]],
    [{ kind: 'exponential', initial: 0, factor: 2, max: 60 }, [0, 0, 0, 0, 0]],
    [{ kind: 'linear', initial: 5, step: 10, max: 30 }, [5, 15, 25, 30, 30]],
    [{ kind: 'fixed', delay: 7 }, [7, 7, 7, 7, 7]],
    [{ kind: 'list', delays: [1, 60, 3600] }, [1, 60, 3600, 3600, 3600]],
    [{ kind: 'list', delays: [] }, [0, 0, 0, 0, 0]],
  ])('%j gives %j', (delays, expected) => {
    expect(sequence(delays)).toEqual(expected);
  });

  test('jitter takes a part of it away, at most the part that it names', () => {
    expect(backOffSeconds(plan({ kind: 'fixed', delay: 100 }, 0.5), 1, undefined, fixed(0))).toBe(100);
    expect(backOffSeconds(plan({ kind: 'fixed', delay: 100 }, 0.5), 1, undefined, fixed(0.5))).toBe(75);
    expect(backOffSeconds(plan({ kind: 'fixed', delay: 100 }, 1), 1, undefined, fixed(0.999))).toBeCloseTo(0.1);
  });

  test.each([
    [90, 90],
    [0, 0],
    [-5, 0],
    [Number.NaN, 0],
    [Number.POSITIVE_INFINITY, 43_200],
    ['a while' as never, 0],
  ])('RetryLater({ after: %p }) gives %d s, without jitter', (after, expected) => {
    const retry = plan({ kind: 'fixed', delay: 7 }, 1);
    expect(backOffSeconds(retry, 1, new RetryLater({ after }), fixed(0.9))).toBe(expected);
  });

  test('an error that chooses no delay gets that of the policy', () => {
    expect(backOffSeconds(plan({ kind: 'fixed', delay: 7 }), 1, new PermanentError('x'), fixed(0))).toBe(7);
  });

  test('it is always from 0 to 43,200 s, whatever the attempt', () => {
    const delays: fc.Arbitrary<RetryDelays> = fc.oneof(
      fc.record({
        kind: fc.constant('exponential' as const),
        initial: fc.nat(1e6),
        factor: fc.double({ min: 1, max: 1e9, noNaN: true }),
        max: fc.nat(1e9),
      }),
      fc.record({ kind: fc.constant('list' as const), delays: fc.array(fc.nat(1e9)) }),
    );
    fc.assert(
      fc.property(delays, fc.nat(1000), fc.double({ min: 0, max: 1, noNaN: true }), (one, attempt, jitter) => {
        const seconds = backOffSeconds(plan(one, jitter), attempt, 'x', fixed(0.7));
        expect(seconds).toBeGreaterThanOrEqual(0);
        expect(seconds).toBeLessThanOrEqual(43_200);
      }),
    );
  });

  test('the longest visibility ends within twelve hours of the receive', () => {
    expect(longestVisibility(0)).toBe(43_140);
    expect(longestVisibility(899_001)).toBe(43_140 - 900);
    expect(longestVisibility(1e12)).toBe(0);
  });
});
