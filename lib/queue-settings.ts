import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { SQS } from '../lambda/contract';
import type { FanoutConfiguration } from '../lambda/contract';
import { BOUNDS, FIXED } from './bounds';
import { ownDeadLetterQueue, queueFacts } from './brought';
import { checkDuration, checkKnown, refuseBoth } from './checks';
import type { StorageOptions } from './props';
import { receivesError, requireFifo, requireStandard, unknownType, visibilityError } from './queue-checks';
import type { QueueNeeds } from './queue-checks';
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
  const { configuration, warnings } =
    options.queue === undefined
      ? { configuration: configured(visibilityTimeout, maxReceiveCount, ownRetention(options)), warnings: [] }
      : broughtQueue(options.queue, { timeout, maxAttempts, visibilityTimeout, maxReceiveCount });
  return {
    configuration,
    warnings: [...warnings, ...deadLetterWarnings(options, configuration), ...unknownType(options.failureQueue)],
  };
}

function ownRetention(options: StorageOptions): number {
  const queueRetention =
    options.queueRetention === undefined
      ? BOUNDS.queueRetention.default
      : checkDuration('queueRetention', options.queueRetention);
  checkKnown('queueRetention', queueRetention, 'the retention of the ledger is derived from it');
  return queueRetention;
}

function configured(visibilityTimeout: number, maxReceiveCount: number, queueRetention: number): QueueConfiguration {
  // A dead-letter queue that is brought may keep its messages for less; longer than ours it cannot.
  const ledgerRetention = queueRetention + FIXED.deadLetterRetention + FIXED.ledgerMargin;
  return { visibilityTimeout, maxReceiveCount, queueRetention, ledgerRetention };
}

/** Attributes of the work queue as it is synthesized, where they can be known; what the runtime is told follows from them. */
export function queueAsSynthesized(queue: IQueue, settings: QueueConfiguration): QueueConfiguration {
  const facts = queueFacts(queue);
  return configured(
    facts.visibilityTimeout ?? settings.visibilityTimeout,
    facts.maxReceiveCount ?? settings.maxReceiveCount,
    facts.retention ?? SQS.retentionSeconds.max,
  );
}

function checkTypes(options: StorageOptions): void {
  if (options.queue !== undefined) {
    requireFifo('queue', options.queue);
    refuseBoth(options, 'queue', 'queueRetention', 'a queue that is brought has a retention of its own');
  }
  const own = ownDeadLetterQueue(options.queue);
  if (own !== undefined) {
    requireFifo('dead-letter queue of queue', own);
  }
  if (options.deadLetterQueue !== undefined) {
    requireFifo('deadLetterQueue', options.deadLetterQueue);
  }
  if (options.failureQueue !== undefined) {
    requireStandard('failureQueue', options.failureQueue);
  }
}

/** What a dead-letter queue that is brought keeps too short to be of use. A message starts to age anew there, as it does in any FIFO queue that it is sent to. */
function deadLetterWarnings(options: StorageOptions, configuration: QueueConfiguration): Warning[] {
  const queue = options.deadLetterQueue ?? ownDeadLetterQueue(options.queue);
  const retention = queue === undefined ? undefined : queueFacts(queue).retention;
  const queueRetention =
    options.queue === undefined ? configuration.queueRetention : queueFacts(options.queue).retention;
  if (queue === undefined || retention === undefined || queueRetention === undefined || retention > queueRetention) {
    return [];
  }
  return retention === SQS.retentionSeconds.max
    ? []
    : [
        {
          id: 'cron-fanout:deadLetterRetention',
          message: `deadLetterQueue ${queue.node.path} keeps messages for ${retention} seconds, and the queue for ${queueRetention}: dead records should stay longer than live ones, so that there is time to mend and redrive them. Set retentionPeriod: Duration.days(14) on it`,
        },
      ];
}

function broughtQueue(queue: NonNullable<StorageOptions['queue']>, needs: QueueNeeds): QueueSettings {
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

function checkVisibility(path: string, visibilityTimeout: number, needs: QueueNeeds, warnings: Warning[]): void {
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

function checkReceives(path: string, maxReceiveCount: number, needs: QueueNeeds, warnings: Warning[]): void {
  const error = receivesError(path, maxReceiveCount, needs);
  if (error !== undefined) {
    throw error;
  }
  if (maxReceiveCount < needs.maxReceiveCount) {
    warnings.push({
      id: 'cron-fanout:maxReceiveCount',
      message: `maxReceiveCount of queue ${path} is ${maxReceiveCount}: records that wait for others take receives too, so that SQS may move some to the dead-letter queue before their attempts are over; ${needs.maxReceiveCount} is far enough away`,
    });
  }
}
