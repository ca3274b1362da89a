import { Token } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { CronFanoutError } from '../lambda/contract';

/** Who works with a queue, and as what. */
interface Owner {
  readonly fanout: string;
  readonly option: QueueOption;
}

/** The queues that belong to one fanout alone. */
type QueueOption = 'queue' | 'deadLetterQueue';

const REASONS = {
  queue: 'its consumer would be handed messages of jobs that it does not know',
  deadLetterQueue: 'a redrive by the console moves all of its messages to one queue',
} as const;

/** By app: the owners of its queues. */
const OWNERS = new WeakMap<IConstruct, Map<string, Owner>>();

/**
 * Notes that a fanout works with a queue, and refuses a second one.
 *
 * @throws CronFanoutError `QueueInUse`
 */
export function claimQueue(fanout: Construct, option: QueueOption, queue: IQueue): void {
  const owners = OWNERS.get(fanout.node.root) ?? new Map<string, Owner>();
  OWNERS.set(fanout.node.root, owners);
  // An imported queue can come in by several constructs; the ARN of one that is made here is a token.
  const identity = Token.isUnresolved(queue.queueArn) ? queue.node.path : queue.queueArn;
  const owner = owners.get(identity);
  if (owner !== undefined && (owner.fanout !== fanout.node.path || owner.option !== option)) {
    throw new CronFanoutError('QueueInUse', {
      what: option,
      received: `${queue.node.path}, which ${owner.fanout} works with already (as its ${owner.option})`,
      allowed: `a queue that no other fanout works with: ${REASONS[option]}`,
      change: `leave ${option} out, or declare the jobs of both in one fanout`,
    });
  }
  owners.set(identity, { fanout: fanout.node.path, option });
}
