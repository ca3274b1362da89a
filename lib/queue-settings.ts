import { CronFanoutError, SQS } from '../lambda/contract';
import type { FanoutConfiguration } from '../lambda/contract';
import { BOUNDS, FIXED } from './bounds';
import { queueFacts, requireFifo, requireStandard, visibilityError } from './brought';
import { checkDuration, checkKnown, refuseBoth } from './checks';
import type { StorageOptions } from './props';
import type { Warning } from './warnings';

type QueueConfiguration = Pick<
  FanoutConfiguration,
  'visibilityTimeout' | 'maxReceiveCount' | 'queueRetention' | 'ledgerRetention'
>;

/** Attributes of the work queue, and what the runtime is told of them. Durations are in seconds. */
export interface QueueSettings {
  readonly configuration: QueueConfiguration;
  readonly warnings: readonly Warning[];
}

/**
 * Derives the attributes of the queue, or checks those of one that is brought.
 *
 * @param timeout of the consumer, in seconds
 * @param maxAttempts the most of any job
 * @throws CronFanoutError `FifoQueueRequired`, `StandardQueueRequired`, `VisibilityTooShort`, `DeadLetterQueueRequired`, `TooFewReceives`, `ConflictingOptions`
 */
export function readQueue(options: StorageOptions, timeout: number, maxAttempts: number): QueueSettings {
  const visibilityTimeout = FIXED.visibilityFactor * timeout;
  const maxReceiveCount = Math.min(SQS.receiveCount.max, FIXED.receivesPerAttempt * maxAttempts + FIXED.deferralBudget);
  checkTypes(options);
  if (options.queue !== undefined) {
    return broughtQueue(options.queue, { timeout, maxAttempts, visibilityTimeout, maxReceiveCount });
  }
  const queueRetention =
    options.queueRetention === undefined
      ? BOUNDS.queueRetention.default
      : checkDuration('queueRetention', options.queueRetention);
  checkKnown('queueRetention', queueRetention, 'the retention of the ledger is derived from it');
  return { configuration: configured(visibilityTimeout, maxReceiveCount, queueRetention), warnings: [] };
}

function configured(visibilityTimeout: number, maxReceiveCount: number, queueRetention: number): QueueConfiguration {
  // A dead-letter queue that is brought may keep its messages for less; longer than ours it cannot.
  const ledgerRetention = queueRetention + FIXED.deadLetterRetention + FIXED.ledgerMargin;
  return { visibilityTimeout, maxReceiveCount, queueRetention, ledgerRetention };
}

function checkTypes(options: StorageOptions): void {
  if (options.queue !== undefined) {
    requireFifo('queue', options.queue);
    refuseBoth(options, 'queue', 'queueRetention', 'a queue that is brought has a retention of its own');
  }
  if (options.deadLetterQueue !== undefined) {
    requireFifo('deadLetterQueue', options.deadLetterQueue);
  }
  if (options.failureQueue !== undefined) {
    requireStandard('failureQueue', options.failureQueue);
  }
}

interface Needs {
  readonly timeout: number;
  readonly maxAttempts: number;
  readonly visibilityTimeout: number;
  readonly maxReceiveCount: number;
}

function broughtQueue(queue: NonNullable<StorageOptions['queue']>, needs: Needs): QueueSettings {
  const facts = queueFacts(queue);
  const { visibilityTimeout = needs.visibilityTimeout, maxReceiveCount = needs.maxReceiveCount } = facts;
  const warnings: Warning[] = [];
  if (facts.visibilityTimeout === undefined || facts.maxReceiveCount === undefined) {
    warnings.push({
      id: 'cron-fanout:importedQueue',
      message: `queue ${queue.node.path} was not created here, so that its attributes are not known: it must have a visibility timeout of ${needs.visibilityTimeout} seconds, and a redrive policy to a FIFO queue with maxReceiveCount ${needs.maxReceiveCount}`,
    });
  }
  checkVisibility(queue.node.path, visibilityTimeout, needs, warnings);
  checkReceives(queue.node.path, maxReceiveCount, needs, warnings);
  const retention = facts.retention ?? SQS.retentionSeconds.max;
  return { configuration: configured(visibilityTimeout, maxReceiveCount, retention), warnings };
}

function checkVisibility(path: string, visibilityTimeout: number, needs: Needs, warnings: Warning[]): void {
  const error = visibilityError(path, visibilityTimeout, needs.timeout);
  if (error !== undefined) {
    throw error;
  }
  if (visibilityTimeout < needs.visibilityTimeout) {
    warnings.push({
      id: 'cron-fanout:visibilityTooShort',
      message: `visibilityTimeout of queue ${path} is ${visibilityTimeout} seconds: Lambda asks for six times the timeout of the consumer, ${needs.visibilityTimeout} seconds, so that a throttled message is not received twice`,
    });
  }
}

function checkReceives(path: string, maxReceiveCount: number, needs: Needs, warnings: Warning[]): void {
  if (maxReceiveCount === 0) {
    throw new CronFanoutError('DeadLetterQueueRequired', {
      what: `redrive policy of queue ${path}`,
      received: 'none',
      allowed: 'a FIFO dead-letter queue',
      change: `give the queue deadLetterQueue: { queue, maxReceiveCount: ${needs.maxReceiveCount} }`,
    });
  }
  if (maxReceiveCount < needs.maxAttempts) {
    throw new CronFanoutError('TooFewReceives', {
      what: `maxReceiveCount of queue ${path}`,
      received: `${maxReceiveCount}, with retry.maxAttempts ${needs.maxAttempts}`,
      allowed: `${needs.maxReceiveCount}, never less than maxAttempts: waiting takes receives too`,
      change: `set maxReceiveCount: ${needs.maxReceiveCount} on the queue, or lower retry.maxAttempts`,
    });
  }
  if (maxReceiveCount < needs.maxReceiveCount) {
    warnings.push({
      id: 'cron-fanout:maxReceiveCount',
      message: `maxReceiveCount of queue ${path} is ${maxReceiveCount}: records that wait for others take receives too, so that SQS may move some to the dead-letter queue before their attempts are over; ${needs.maxReceiveCount} is far enough away`,
    });
  }
}
