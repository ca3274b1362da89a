import { Stack } from 'aws-cdk-lib';
import type { CfnFunction, Function } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { queueFacts } from './brought';
import { environmentError } from './environment';
import { receivesError, visibilityError } from './queue-checks';
import { reservationError } from './reservation';
import { mostAttempts, retriesErrorOf } from './retry-time';
import type { Settings } from './settings';

/** The children whose properties can be changed past the options: by an aspect, on the L1, or by a method such as `addEnvironment`. */
export interface Changeable {
  readonly scanner: Function;
  readonly consumer: Function;
  readonly queue: IQueue;
}

/** What is wrong with the children as they are synthesized, when everybody has changed what they want. Tokens count as right. */
export function synthesisErrors(
  { scanner, consumer, queue }: Changeable,
  { concurrency, configuration }: Pick<Settings, 'concurrency' | 'configuration'>,
): string[] {
  const { reserved, timeout } = numbersOf(consumer);
  const { visibilityTimeout, maxReceiveCount, retention } = queueFacts(queue);
  const { path } = queue.node;
  return [
    environmentError(scanner),
    environmentError(consumer),
    typeof reserved === 'number' ? reservationError(reserved, concurrency) : undefined,
    typeof timeout === 'number' && visibilityTimeout !== undefined
      ? visibilityError(path, visibilityTimeout, timeout)
      : undefined,
    maxReceiveCount === undefined
      ? undefined
      : receivesError(path, maxReceiveCount, { ...configuration, maxAttempts: mostAttempts(configuration) }),
    retention === undefined ? undefined : retriesErrorOf(configuration, retention),
  ].flatMap((error) => error?.message ?? []);
}

function numbersOf(made: Function): { readonly reserved: unknown; readonly timeout: unknown } {
  const resource = made.node.defaultChild as CfnFunction;
  const { reservedConcurrentExecutions, timeout } = resource;
  return Stack.of(resource).resolve({ reserved: reservedConcurrentExecutions, timeout }) as {
    readonly reserved: unknown;
    readonly timeout: unknown;
  };
}
