import { Token } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { CronFanoutError } from '../lambda/contract';
import { FIXED } from './bounds';
import { isImportedQueue } from './brought';
import type { Warning } from './warnings';

/** Refuses a visibility timeout below the timeout of the consumer: Lambda does, and a message would be handled twice at once. Both in seconds. */
export function visibilityError(path: string, visibilityTimeout: number, timeout: number): CronFanoutError | undefined {
  if (visibilityTimeout >= timeout) {
    return undefined;
  }
  const right = FIXED.visibilityFactor * timeout;
  return new CronFanoutError('VisibilityTooShort', {
    what: `visibilityTimeout of queue ${path}`,
    received: `${visibilityTimeout} seconds, with a consumer timeout of ${timeout} seconds`,
    allowed: `${right} seconds (six times the timeout), never less than the timeout`,
    change: `set visibilityTimeout: Duration.seconds(${right}) on the queue, or lower timeout`,
  });
}

/** What a fanout needs of its work queue. Durations are in seconds. */
export interface QueueNeeds {
  /** Of the consumer. */
  readonly timeout: number;
  /** The most of any job. */
  readonly maxAttempts: number;
  readonly visibilityTimeout: number;
  readonly maxReceiveCount: number;
}

/** Refuses a queue without a dead-letter queue (`maxReceiveCount` 0), or with fewer receives than there are attempts. */
export function receivesError(
  path: string,
  maxReceiveCount: number,
  needs: Pick<QueueNeeds, 'maxAttempts' | 'maxReceiveCount'>,
): CronFanoutError | undefined {
  if (maxReceiveCount === 0) {
    return new CronFanoutError('DeadLetterQueueRequired', {
      what: `redrive policy of queue ${path}`,
      received: 'none',
      allowed: 'a FIFO dead-letter queue',
      change: `give the queue deadLetterQueue: { queue, maxReceiveCount: ${needs.maxReceiveCount} }`,
    });
  }
  if (maxReceiveCount < needs.maxAttempts) {
    return new CronFanoutError('TooFewReceives', {
      what: `maxReceiveCount of queue ${path}`,
      received: `${maxReceiveCount}, with retry.maxAttempts ${needs.maxAttempts}`,
      allowed: `${needs.maxReceiveCount}, never less than maxAttempts: waiting takes receives too`,
      change: `set maxReceiveCount: ${needs.maxReceiveCount} on the queue, or lower retry.maxAttempts`,
    });
  }
  return undefined;
}

/**
 * Says of a failure queue that it cannot be known whether it is a standard queue: the CDK takes a queue that is imported by a token for one, whatever it is.
 *
 * @see https://github.com/aws/aws-cdk/issues/12466
 */
export function unknownType(failureQueue: IQueue | undefined): Warning[] {
  if (failureQueue === undefined || !isImportedQueue(failureQueue) || !Token.isUnresolved(failureQueue.queueArn)) {
    return [];
  }
  return [
    {
      id: 'cron-fanout:unknownQueueType',
      message: `failureQueue ${failureQueue.node.path} was imported by a token, so that it is not known whether it is a standard queue: neither EventBridge Scheduler nor Lambda delivers failures to a FIFO queue. Acknowledge this if it is one, or import it by an ARN that is known`,
    },
  ];
}

/**
 * Refuses a standard queue where a FIFO queue is needed.
 *
 * @throws CronFanoutError `FifoQueueRequired`
 */
export function requireFifo(path: string, queue: IQueue): void {
  if (queue.fifo) {
    return;
  }
  const imported = isImportedQueue(queue);
  throw new CronFanoutError('FifoQueueRequired', {
    what: path,
    received: imported
      ? `${queue.node.path}, an imported queue that does not say it is FIFO`
      : `${queue.node.path}, a standard queue`,
    allowed: 'a FIFO queue',
    change: imported
      ? 'import it with Queue.fromQueueAttributes(scope, id, { queueArn, fifo: true }), if it is one'
      : 'create it with `fifo: true`',
  });
}

/**
 * Refuses a FIFO queue where the service takes a standard queue alone.
 *
 * @throws CronFanoutError `StandardQueueRequired`
 */
export function requireStandard(path: string, queue: IQueue): void {
  if (queue.fifo) {
    throw new CronFanoutError('StandardQueueRequired', {
      what: path,
      received: `${queue.node.path}, a FIFO queue`,
      allowed: 'a standard queue: neither EventBridge Scheduler nor Lambda delivers failures to a FIFO queue',
      change: 'create one without `fifo`, or leave the option out',
    });
  }
}
