import { CronFanoutError } from '../lambda/contract';
import type { Concurrency } from './concurrency';

/** Refuses reserved concurrency below the invocations at once of the mapping. */
export function reservationError(
  reserved: number,
  { mappingConcurrency = 1 }: Concurrency,
): CronFanoutError | undefined {
  if (reserved >= mappingConcurrency) {
    return undefined;
  }
  return new CronFanoutError('ConflictingOptions', {
    what: 'reserved concurrency of the consumer and maxConcurrency',
    received: `${reserved}, and ${mappingConcurrency} invocations at once`,
    allowed: `${mappingConcurrency} or more: messages that are throttled use up their receives`,
    change: 'leave reserved concurrency out: maxConcurrency limits the handlers without it',
  });
}
