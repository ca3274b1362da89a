import type { RetryConfiguration, RetryDelays } from '../contract';
import { SQS } from '../contract';
import { retryLaterSeconds } from '../job/failures';
import type { Randomness } from '../ports';

/**
 * Part of the twelve hours that is left unused: SQS counts them from the receive, which is a little before the invocation, and refuses a change
 * beyond them as a whole.
 */
const RECEIVE_ALLOWANCE_SECONDS = 60;

/**
 * Seconds to wait after an attempt that failed.
 *
 * @param attempt the attempt that failed, from 1
 * @param thrown what the handler threw; a `RetryLater` chooses the delay itself, without jitter
 */
export function backOffSeconds(
  retry: RetryConfiguration,
  attempt: number,
  thrown: unknown,
  randomness: Randomness,
): number {
  const chosen = retryLaterSeconds(thrown);
  if (chosen !== undefined) {
    return bounded(chosen);
  }
  return bounded(plannedDelay(retry.delays, attempt) * (1 - retry.jitter * randomness.fraction()));
}

/** Longest visibility, from now, that SQS accepts for a message of an invocation that began `elapsedMs` ago; in seconds. */
export function longestVisibility(elapsedMs: number): number {
  return Math.max(0, SQS.visibilitySeconds - RECEIVE_ALLOWANCE_SECONDS - Math.ceil(elapsedMs / 1000));
}

function plannedDelay(delays: RetryDelays, attempt: number): number {
  const retries = Math.max(0, attempt - 1);
  switch (delays.kind) {
    case 'exponential':
      return delays.initial === 0 ? 0 : Math.min(delays.max, delays.initial * delays.factor ** retries);
    case 'linear':
      return Math.min(delays.max, delays.initial + delays.step * retries);
    case 'fixed':
      return delays.delay;
    case 'list':
      return delays.delays[Math.min(retries, delays.delays.length - 1)] ?? 0;
  }
}

/** A thrown value may be anything: what is no number is no delay. */
function bounded(seconds: unknown): number {
  return typeof seconds === 'number' && !Number.isNaN(seconds)
    ? Math.min(Math.max(0, seconds), SQS.visibilitySeconds)
    : 0;
}
