import { CronFanoutError } from '../contract';
import type { RetryConfiguration, RetryDelays } from '../contract';
import { checkMembers, checkedName, checkedNumber, shown } from './option-checks';
import { POLICY_BOUNDS } from './simulation-bounds';

/** What every retry policy has. */
export interface AnyRetryOptions {
  /**
   * Calls of the handler before a record is dead, the first one included. 1 to 100.
   *
   * @default - 5; one more than there are delays for `delays`
   */
  readonly maxAttempts?: number;
  /**
   * Part of a delay that is random. 0 (none) to 1 (all of it).
   *
   * @default - 0.5 for exponential and linear, 0 for fixed and delays
   */
  readonly jitter?: number;
}

/** `RetryPolicy.exponential` as plain data, in seconds. */
export interface ExponentialRetryOptions extends AnyRetryOptions {
  /**
   * Delays grow by a factor.
   *
   * @default 'exponential'
   */
  readonly kind?: 'exponential';
  /**
   * Seconds before the second attempt. 0 to 43200.
   *
   * @default 10
   */
  readonly initialDelay?: number;
  /**
   * What each delay is multiplied by to get the next. 1 to 10.
   *
   * @default 2
   */
  readonly factor?: number;
  /**
   * Longest delay in seconds. 0 to 43200, not below `initialDelay`.
   *
   * @default - 900, or `initialDelay` where that is longer
   */
  readonly maxDelay?: number;
}

/** `RetryPolicy.linear` as plain data, in seconds. */
export interface LinearRetryOptions extends AnyRetryOptions {
  /** Delays grow by the same step. */
  readonly kind: 'linear';
  /**
   * Seconds before the second attempt. 0 to 43200.
   *
   * @default 10
   */
  readonly initialDelay?: number;
  /**
   * Seconds that are added to each delay to get the next. 0 to 43200.
   *
   * @default 30
   */
  readonly step?: number;
  /**
   * Longest delay in seconds. 0 to 43200, not below `initialDelay`.
   *
   * @default - 900, or `initialDelay` where that is longer
   */
  readonly maxDelay?: number;
}

/** `RetryPolicy.fixed` as plain data, in seconds. */
export interface FixedRetryOptions extends AnyRetryOptions {
  /** The same delay every time. */
  readonly kind: 'fixed';
  /**
   * Seconds before each further attempt. 0 to 43200.
   *
   * @default 30
   */
  readonly delay?: number;
}

/** `RetryPolicy.delays` as plain data, in seconds. */
export interface ListedRetryOptions extends AnyRetryOptions {
  /** Delays one by one. */
  readonly kind: 'delays';
  /** Seconds before each further attempt, 1 or more of them, 0 to 43200 each; the last one holds from there on. */
  readonly delays: readonly number[];
}

/** A retry policy of the construct as plain data, in seconds. */
export type SimulatedRetry = ExponentialRetryOptions | LinearRetryOptions | FixedRetryOptions | ListedRetryOptions;

const COMMON = ['kind', 'maxAttempts', 'jitter'];
const MEMBERS = {
  exponential: [...COMMON, 'initialDelay', 'factor', 'maxDelay'],
  linear: [...COMMON, 'initialDelay', 'step', 'maxDelay'],
  fixed: [...COMMON, 'delay'],
  delays: [...COMMON, 'delays'],
} as const;
const KINDS = Object.keys(MEMBERS) as readonly (keyof typeof MEMBERS)[];

/**
 * Reads a retry policy.
 *
 * @param path as the user wrote it
 * @throws CronFanoutError `OutOfRange`, `UnknownName`, `UnknownOption`, `InvalidOption`, `ConflictingOptions`, `NoDelays`
 */
export function readRetry(path: string, retry: SimulatedRetry): RetryConfiguration {
  checkMembers(path, retry, [...new Set(Object.values(MEMBERS).flat())]);
  const kind = checkedName(`${path}.kind`, retry.kind ?? 'exponential', KINDS);
  checkMembers(path, retry, MEMBERS[kind]);
  const delays = readDelays(path, retry);
  const isRandom = kind === 'exponential' || kind === 'linear';
  return {
    maxAttempts: checkedNumber(
      'retry.maxAttempts',
      retry.maxAttempts ??
        (delays.kind === 'list' ? delays.delays.length + 1 : POLICY_BOUNDS['retry.maxAttempts'].default),
      `${path}.maxAttempts`,
    ),
    delays,
    jitter: checkedNumber(
      'retry.jitter',
      retry.jitter ?? (isRandom ? POLICY_BOUNDS['retry.jitter'].default : 0),
      `${path}.jitter`,
    ),
  };
}

function readDelays(path: string, retry: SimulatedRetry): RetryDelays {
  const numbered = (
    name: 'initialDelay' | 'maxDelay' | 'step' | 'delay' | 'factor',
    value: number | undefined,
  ): number => checkedNumber(`retry.${name}`, value ?? POLICY_BOUNDS[`retry.${name}`].default, `${path}.${name}`);
  if (retry.kind === 'fixed') {
    return { kind: 'fixed', delay: numbered('delay', retry.delay) };
  }
  if (retry.kind === 'delays') {
    return { kind: 'list', delays: listed(path, retry.delays) };
  }
  return retry.kind === 'linear'
    ? { kind: 'linear', step: numbered('step', retry.step), ...growing(path, retry, numbered) }
    : { kind: 'exponential', factor: numbered('factor', retry.factor), ...growing(path, retry, numbered) };
}

function listed(path: string, delays: unknown): readonly number[] {
  if (!Array.isArray(delays) || delays.length === 0) {
    throw new CronFanoutError('NoDelays', {
      what: `${path}.delays`,
      received: shown(delays),
      allowed: 'one delay or more, in seconds',
      change: 'list a delay, or set maxAttempts: 1',
    });
  }
  return delays.map((delay, place) => checkedNumber('retry.delay', delay, `${path}.delays[${place}]`));
}

function growing(
  path: string,
  { initialDelay, maxDelay }: ExponentialRetryOptions | LinearRetryOptions,
  numbered: (name: 'initialDelay' | 'maxDelay', value: number | undefined) => number,
): { readonly initial: number; readonly max: number } {
  const initial = numbered('initialDelay', initialDelay);
  const max = numbered('maxDelay', maxDelay);
  if (max >= initial) {
    return { initial, max };
  }
  if (maxDelay === undefined) {
    return { initial, max: initial };
  }
  throw new CronFanoutError('ConflictingOptions', {
    what: `${path}.maxDelay and ${path}.initialDelay`,
    received: `${max} and ${initial} seconds`,
    allowed: 'a maxDelay that is not below the initialDelay',
    change: 'raise maxDelay or lower initialDelay',
  });
}
