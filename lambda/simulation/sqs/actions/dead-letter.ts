import type { MessageContent, StoredMessage } from '../message';
import type { Queue } from '../queue';

/**
 * Moves a message that was received as often as its queue allows to the dead-letter queue. In a FIFO one it is enqueued now, in its
 * group, and its deduplication id is the message's id; in a standard one it keeps the time at which it was sent.
 *
 * @returns whether it was moved; not when the dead-letter queue is gone
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 */
export function deadLetter(queue: Queue, message: StoredMessage): boolean {
  const { redrive } = queue.attributes;
  if (redrive === undefined || message.receiveCount < redrive.maxReceiveCount) {
    return false;
  }
  const target = queue.host.byArn(redrive.targetArn);
  if (target === undefined) {
    return false;
  }
  queue.remove(message);
  const now = target.settle();
  const content: MessageContent = queue.fifo
    ? { ...contentOf(message), deduplicationId: message.messageId }
    : contentOf(message);
  const moved = target.store(
    content,
    message.messageId,
    queue.fifo ? now : message.sentAt,
    target.attributes.delaySeconds,
  );
  moved.receiveCount = message.receiveCount;
  moved.firstReceivedAt = message.firstReceivedAt;
  moved.deadLetterSourceArn = queue.arn;
  const key = target.deduplicationKey(content);
  if (key !== undefined) {
    target.sends.set(key, { messageId: moved.messageId, serial: moved.serial }, now);
  }
  queue.host.emit({ type: 'deadLettered', queue: queue.name, target: target.name, message: moved });
  return true;
}

/** What a move keeps of a message. */
export function contentOf({ body, attributes, traceHeader, groupId }: StoredMessage): MessageContent {
  return { body, attributes, traceHeader, groupId };
}
