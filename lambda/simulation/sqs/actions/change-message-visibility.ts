import { SQS } from '../../../contract';
import { batchEntries, eachEntry } from '../batch';
import { invalidParameter, missingParameter, SqsError } from '../errors';
import { optionalInteger, text, type Input } from '../input';
import type { Queue } from '../queue';
import { parseReceiptHandle } from '../receipt-handle';
import type { Action } from './call';
import { queueOf } from './queue-url';

/**
 * Sets for how long from now a message stays in flight; with 0 it is visible at once. Its group stays locked while others of it are in flight.
 *
 * @throws SqsError `InvalidParameterValue` when the handle has expired or the 12 hours since the receive would be exceeded
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
 */
export function changeVisibility(queue: Queue, handle: string, seconds: number): void {
  const { messageSerial, receiptSerial } = parseReceiptHandle(queue.serial, handle);
  const now = queue.settle();
  const message = queue.bySerial(messageSerial);
  if (message === undefined) {
    const reason = 'Message does not exist or is not available for visibility timeout change.';
    throw invalidParameter('ReceiptHandle', handle, reason);
  }
  const isInFlight = message.state === 'inFlight';
  if (message.receiptSerial !== receiptSerial || (queue.fifo && !isInFlight)) {
    throw invalidParameter('ReceiptHandle', handle, 'The receipt handle has expired.');
  }
  if (!isInFlight) {
    throw new SqsError('MessageNotInflight', 'The specified message is not in flight.');
  }
  if (now + seconds * 1000 > message.receivedAt + SQS.visibilitySeconds * 1000) {
    const reason = `Total VisibilityTimeout for the message is beyond the limit [${SQS.visibilitySeconds} seconds].`;
    throw invalidParameter('VisibilityTimeout', seconds, reason);
  }
  message.visibilityChanged = true;
  queue.hideUntil(message, now + seconds * 1000);
  queue.settle();
  queue.host.emit({ type: 'visibilityChanged', queue: queue.name, message, seconds });
}

/** Changes the visibility of one message. */
export const changeMessageVisibility: Action = (call) => {
  const queue = queueOf(call);
  queue.host.admit(queue, 'ChangeMessageVisibility');
  return changeEntry(queue, call.input);
};

/** Changes the visibility of up to ten messages, each on its own. */
export const changeMessageVisibilityBatch: Action = (call) => {
  const queue = queueOf(call);
  const entries = batchEntries(call.input);
  queue.host.admit(queue, 'ChangeMessageVisibility');
  return eachEntry(entries, (entry) => changeEntry(queue, entry));
};

function changeEntry(queue: Queue, input: Input): object {
  const handle = text(input, 'ReceiptHandle');
  const seconds = optionalInteger(input, 'VisibilityTimeout', 0, SQS.visibilitySeconds);
  if (seconds === undefined) {
    throw missingParameter('VisibilityTimeout');
  }
  changeVisibility(queue, handle, seconds);
  return {};
}
