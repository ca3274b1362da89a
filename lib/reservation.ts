import { Stack } from 'aws-cdk-lib';
import type { CfnFunction, Function } from 'aws-cdk-lib/aws-lambda';
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

/** At synth time: the same for reserved concurrency that was set past the options, by an aspect or on the L1. */
export function checkReservation(consumer: Function, concurrency: Concurrency): string[] {
  const resource = consumer.node.defaultChild as CfnFunction;
  const reserved: unknown = Stack.of(resource).resolve(resource.reservedConcurrentExecutions);
  const error = typeof reserved === 'number' ? reservationError(reserved, concurrency) : undefined;
  return error === undefined ? [] : [error.message];
}
