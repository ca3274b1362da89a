import type { RetryConfiguration } from '../../contract';
import { jobConfiguration } from '../../contract';
import { isPermanentError, retryLaterSeconds } from '../../job/failures';
import type { HandlerCall } from '../world/observation';
import type { Watched } from './invariant';

/** Milliseconds by which a message may come sooner than it was asked for: delays are whole seconds. */
const ROUNDING_MS = 1_000;

/** A record that failed waits for its back-off before it is tried again, whatever else is in its batch. */
export function checkBackOff(watched: Watched, previous: HandlerCall | undefined, call: HandlerCall): void {
  const { world, ledger, fanouts, violated } = watched;
  const isExcused = (world.spec.faults.redelivery ?? 0) > 0 || ledger.troubled.has(previous?.instance.name ?? '');
  if (
    previous?.endedAt === undefined ||
    previous.result !== 'failed' ||
    // One that goes on after its signal is given up: its record waits for the end of its claim.
    previous.isStopped === true ||
    isPermanentError(previous.thrown) ||
    isExcused
  ) {
    return;
  }
  const spec = fanouts.find(({ id }) => id === call.fanoutId)?.spec;
  if (spec === undefined || spec.deploys.length > 0 || call.attempt !== previous.attempt + 1) {
    return;
  }
  const { retry } = jobConfiguration(spec.configuration, call.jobType);
  const seconds = retryLaterSeconds(previous.thrown) ?? shortestDelay(retry, previous.attempt);
  const waitedMs = call.startedAt - previous.endedAt;
  if (waitedMs < seconds * 1000 - ROUNDING_MS) {
    violated(`${call.key} of run ${call.runId} is tried again after ${waitedMs} ms, its back-off is ${seconds} s`);
  }
}

/** Seconds after a failed attempt, as little as the jitter allows. */
function shortestDelay({ delays, jitter }: RetryConfiguration, attempt: number): number {
  return plannedDelay(delays, attempt - 1) * (1 - jitter);
}

function plannedDelay(delays: RetryConfiguration['delays'], retries: number): number {
  switch (delays.kind) {
    case 'exponential':
      return Math.min(delays.max, delays.initial * delays.factor ** retries);
    case 'linear':
      return Math.min(delays.max, delays.initial + delays.step * retries);
    case 'fixed':
      return delays.delay;
    case 'list':
      return delays.delays[Math.min(retries, delays.delays.length - 1)] ?? 0;
  }
}
