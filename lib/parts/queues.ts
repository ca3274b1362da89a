import { Duration } from 'aws-cdk-lib';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { IQueue, QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { CronFanoutError } from '../../lambda/contract';
import { FIXED } from '../bounds';
import { ownDeadLetterQueue } from '../brought';
import type { StorageOptions } from '../props';
import type { Settings } from '../settings';
import { acknowledge, OF_DEAD_LETTER_QUEUE, OF_FAILURE_QUEUE } from './findings';
import { removalPolicyOf } from './removal-policy';

/** The FIFO queues of a fanout. */
export interface WorkQueues {
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
}

/** Makes the work queue and its dead-letter queue, or takes those that are brought. Both are FIFO: SQS refuses any other pairing. */
export function createWorkQueues(scope: Construct, options: StorageOptions, settings: Settings): WorkQueues {
  if (options.queue !== undefined) {
    return { queue: options.queue, deadLetterQueue: deadLetterQueueOf(options.queue, options.deadLetterQueue) };
  }
  const deadLetterQueue = options.deadLetterQueue ?? createDeadLetterQueue(scope, options);
  const { visibilityTimeout, queueRetention, maxReceiveCount } = settings.configuration;
  const queue = new Queue(scope, 'Queue', {
    ...protection(options),
    ...FIFO,
    visibilityTimeout: Duration.seconds(visibilityTimeout),
    retentionPeriod: Duration.seconds(queueRetention),
    deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount },
  });
  return { queue, deadLetterQueue };
}

/** Makes the standard queue for what never became a run, or takes the one that is brought. */
export function createFailureQueue(scope: Construct, options: StorageOptions): IQueue {
  if (options.failureQueue !== undefined) {
    return options.failureQueue;
  }
  const queue = new Queue(scope, 'FailureQueue', {
    ...protection(options),
    retentionPeriod: Duration.seconds(FIXED.deadLetterRetention),
  });
  acknowledge(queue.node.defaultChild, OF_FAILURE_QUEUE);
  return queue;
}

function createDeadLetterQueue(scope: Construct, options: StorageOptions): Queue {
  const queue = new Queue(scope, 'DeadLetterQueue', {
    ...protection(options),
    ...FIFO,
    retentionPeriod: Duration.seconds(FIXED.deadLetterRetention),
  });
  acknowledge(queue.node.defaultChild, OF_DEAD_LETTER_QUEUE);
  return queue;
}

/** High throughput needs both settings: the service refuses the second without the first. */
const FIFO: QueueProps = {
  fifo: true,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
};

function protection({ encryptionKey, ...options }: StorageOptions): QueueProps {
  return {
    enforceSSL: true,
    removalPolicy: removalPolicyOf(options),
    ...(encryptionKey === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
  };
}

function deadLetterQueueOf(queue: IQueue, given: IQueue | undefined): IQueue {
  const own = ownDeadLetterQueue(queue);
  if (own !== undefined && given !== undefined && own !== given) {
    throw new CronFanoutError('ConflictingOptions', {
      what: 'deadLetterQueue and the dead-letter queue of queue',
      received: `${given.node.path} and ${own.node.path}`,
      allowed: 'the same queue',
      change: 'leave deadLetterQueue out',
    });
  }
  const deadLetterQueue = given ?? own;
  if (deadLetterQueue === queue) {
    throw new CronFanoutError('ConflictingOptions', {
      what: 'queue and deadLetterQueue',
      received: `${queue.node.path} as both`,
      allowed: 'two queues',
      change: 'leave deadLetterQueue out',
    });
  }
  if (deadLetterQueue === undefined) {
    throw new CronFanoutError('DeadLetterQueueRequired', {
      what: 'deadLetterQueue',
      received: `none, with queue ${queue.node.path}, whose own is not known`,
      allowed: 'the FIFO queue that the redrive policy of queue names',
      change: 'pass that queue as deadLetterQueue',
    });
  }
  return deadLetterQueue;
}
