import { COMPUTED_ATTRIBUTES, SETTABLE_ATTRIBUTES } from '../attributes';
import { invalidParameter, SqsError } from '../errors';
import { textMap, texts } from '../input';
import { parseRedrivePolicy } from '../redrive-policy';
import type { Queue } from '../queue';
import type { Action } from './call';
import { queueOf } from './queue-url';

/**
 * Sets attributes of a queue; all or none. A redrive policy must name an existing queue of the same type that allows it.
 *
 * @throws SqsError
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
 */
export function setAttributes(queue: Queue, changes: Readonly<Record<string, string>>): void {
  const isFifoKept = !Object.hasOwn(changes, 'FifoQueue') || changes.FifoQueue === String(queue.fifo);
  if (!isFifoKept) {
    throw new SqsError('InvalidAttributeName', 'You can specify the FifoQueue only during queue creation.');
  }
  if (changes.RedrivePolicy !== undefined && changes.RedrivePolicy !== '') {
    checkDeadLetterTarget(queue, changes.RedrivePolicy);
  }
  const delayBefore = queue.attributes.delaySeconds;
  queue.attributes.set(changes);
  queue.modifiedAt = queue.host.clock.now();
  if (queue.fifo && queue.attributes.delaySeconds !== delayBefore) {
    queue.redelay();
  }
}

function checkDeadLetterTarget(queue: Queue, policy: string): void {
  const targetArn = parseRedrivePolicy(policy)?.targetArn ?? '';
  const target = queue.host.byArn(targetArn);
  const refuse = (reason: string): SqsError => invalidParameter('RedrivePolicy', policy, reason);
  if (target === undefined) {
    throw refuse('Dead letter target does not exist.');
  }
  if (target.fifo !== queue.fifo) {
    throw refuse('Dead-letter queue must be same type of queue as the source.');
  }
  if (target === queue) {
    throw refuse('Dead letter target cannot be the queue itself.');
  }
  const { permission, sourceArns = [] } = target.attributes.allow;
  if (permission === 'denyAll' || (permission === 'byQueue' && !sourceArns.includes(queue.arn))) {
    throw refuse(`Queue ${queue.arn} is not allowed to use ${targetArn} as its dead-letter queue.`);
  }
}

/** All attributes of a queue as the service reports them. */
export function reportAttributes(queue: Queue): Readonly<Record<string, string>> {
  const counts = queue.counts();
  return {
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(counts.visible),
    ApproximateNumberOfMessagesNotVisible: String(counts.inFlight),
    ApproximateNumberOfMessagesDelayed: String(counts.delayed),
    CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
    LastModifiedTimestamp: String(Math.floor(queue.modifiedAt / 1000)),
    ...Object.fromEntries(queue.attributes.entries()),
  };
}

/** Answers attributes of a queue. */
export const getQueueAttributes: Action = (call) => {
  const queue = queueOf(call);
  const names = texts(call.input, 'AttributeNames');
  const known = ['All', ...COMPUTED_ATTRIBUTES, ...SETTABLE_ATTRIBUTES];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new SqsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
  }
  const chosen = Object.entries(reportAttributes(queue)).filter(
    ([name]) => names.includes('All') || names.includes(name),
  );
  return chosen.length === 0 ? {} : { Attributes: Object.fromEntries(chosen) };
};

/** Sets attributes of a queue. */
export const setQueueAttributes: Action = (call) => {
  setAttributes(queueOf(call), textMap(call.input, 'Attributes'));
  return {};
};
