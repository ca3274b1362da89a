import { SQS } from '../../../contract';
import { batchEntries, eachEntry, type BatchResult } from '../batch';
import { checkContent, sizeOf } from '../content';
import { invalidParameter, missingParameter, SqsError } from '../errors';
import type { MessageContent } from '../message';
import type { Queue, RecentSend } from '../queue';
import { contentOf, md5, md5OfAttributes, sequenceNumber } from '../wire-message';
import type { Action, Call } from './call';
import { queueOf } from './queue-url';

const NOT_FOR_THIS_TYPE = 'The request include parameter that is not valid for this queue type.';

/**
 * Sends one message. On a FIFO queue, one whose deduplication id was sent within five minutes is accepted and dropped: the answer
 * names the message that was sent first, whatever became of it.
 *
 * @throws SqsError
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
export function send(queue: Queue, content: MessageContent, delaySeconds?: number): RecentSend {
  checkContent(content);
  const { attributes, host } = queue;
  if (sizeOf(content) > attributes.messageBytes) {
    throw new SqsError(
      'InvalidParameterValue',
      `One or more parameters are invalid. Reason: Message must be shorter than ${attributes.messageBytes} bytes.`,
    );
  }
  checkForType(queue, content, delaySeconds);
  const now = queue.settle();
  const deduplicationKey = queue.deduplicationKey(content);
  const earlier = deduplicationKey === undefined ? undefined : queue.sends.get(deduplicationKey, now);
  if (earlier !== undefined) {
    host.emit({ type: 'deduplicated', queue: queue.name, messageId: earlier.messageId, content });
    return earlier;
  }
  const message = queue.store(content, host.newMessageId(), now, delaySeconds ?? attributes.delaySeconds);
  if (deduplicationKey !== undefined) {
    queue.sends.set(deduplicationKey, { messageId: message.messageId, serial: message.serial }, now);
  }
  host.emit({ type: 'sent', queue: queue.name, message });
  return message;
}

function checkForType(
  queue: Queue,
  { groupId, deduplicationId }: MessageContent,
  delaySeconds: number | undefined,
): void {
  if (!queue.fifo) {
    if (deduplicationId !== undefined) {
      throw invalidParameter('MessageDeduplicationId', deduplicationId, NOT_FOR_THIS_TYPE);
    }
    return;
  }
  if (groupId === undefined) {
    throw missingParameter('MessageGroupId');
  }
  if (delaySeconds !== undefined) {
    throw invalidParameter('DelaySeconds', delaySeconds, NOT_FOR_THIS_TYPE);
  }
  if (deduplicationId === undefined && !queue.attributes.contentBasedDeduplication) {
    throw new SqsError(
      'InvalidParameterValue',
      'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly.',
    );
  }
}

/**
 * Refuses a batch whose messages together are too large, whatever the queue's own limit for one message is.
 *
 * @throws SqsError `BatchRequestTooLong`
 */
export function checkBatchSize(contents: readonly MessageContent[]): void {
  const bytes = contents.reduce((sum, content) => sum + sizeOf(content), 0);
  if (bytes > SQS.messageBytes) {
    throw new SqsError(
      'BatchRequestTooLong',
      `Batch requests cannot be longer than ${SQS.messageBytes} bytes. You have sent ${bytes} bytes.`,
    );
  }
}

interface SendAnswer {
  readonly MessageId: string;
  readonly MD5OfMessageBody: string;
}

/** Sends one message. */
export const sendMessage: Action = (call) => {
  const queue = queueOf(call);
  queue.host.admit(queue, 'SendMessage');
  return sendEntry(queue, call.input);
};

/** Sends up to ten messages; each is accepted or refused on its own. */
export const sendMessageBatch: Action = (call: Call): BatchResult<SendAnswer> => {
  const queue = queueOf(call);
  const entries = batchEntries(call.input);
  checkBatchSize(entries.map(({ entry }) => contentOf(entry).content));
  queue.host.admit(queue, 'SendMessage');
  return eachEntry(entries, (entry) => sendEntry(queue, entry));
};

function sendEntry(queue: Queue, input: Call['input']): SendAnswer {
  const { content, delaySeconds } = contentOf(input);
  const message = send(queue, content, delaySeconds);
  const { traceHeader } = content;
  return {
    MessageId: message.messageId,
    // The digests are of what was sent now: a duplicate may have another body, and the sender checks its own.
    MD5OfMessageBody: md5(content.body),
    ...optional('MD5OfMessageAttributes', md5OfAttributes(content.attributes)),
    ...optional(
      'MD5OfMessageSystemAttributes',
      traceHeader === undefined
        ? undefined
        : md5OfAttributes({ AWSTraceHeader: { dataType: 'String', stringValue: traceHeader } }),
    ),
    ...optional('SequenceNumber', queue.fifo ? sequenceNumber(message.serial) : undefined),
  };
}

function optional(name: string, value: string | undefined): object {
  return value === undefined ? {} : { [name]: value };
}
