import { Token } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import { CronFanoutError } from '../lambda/contract';

/** By app: queue to the path of the fanout that works with it. */
const OWNERS = new WeakMap<IConstruct, Map<string, string>>();

/**
 * Notes that a fanout works with a queue, and refuses a second one: its consumer would be handed messages of jobs that it does not know.
 *
 * @throws CronFanoutError `QueueInUse`
 */
export function claimQueue(fanout: Construct, queue: IQueue): void {
  const owners = OWNERS.get(fanout.node.root) ?? new Map<string, string>();
  OWNERS.set(fanout.node.root, owners);
  // An imported queue can come in by several constructs; the ARN of one that is made here is a token.
  const identity = Token.isUnresolved(queue.queueArn) ? queue.node.path : queue.queueArn;
  const owner = owners.get(identity);
  if (owner !== undefined && owner !== fanout.node.path) {
    throw new CronFanoutError('QueueInUse', {
      what: 'queue',
      received: `${queue.node.path}, which ${owner} works with already`,
      allowed: 'a queue that no other fanout works with',
      change: 'leave queue out, or declare the jobs of both in one fanout',
    });
  }
  owners.set(identity, fanout.node.path);
}
