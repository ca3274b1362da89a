import { batchEntries, eachEntry } from '../batch';
import { invalidParameter } from '../errors';
import { text, type Input } from '../input';
import type { Queue } from '../queue';
import { parseReceiptHandle } from '../receipt-handle';
import type { Action } from './call';
import { queueOf } from './queue-url';

/**
 * Deletes the message of a receive. A message that is gone already is no error. On a FIFO queue the handle must be of the latest receive
 * and its visibility timeout not over; on a standard queue an old handle succeeds without effect.
 *
 * @throws SqsError `ReceiptHandleIsInvalid` for a text that is no handle of this queue, `InvalidParameterValue` for one that has expired
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html
 */
export function deleteReceived(queue: Queue, handle: string): void {
  const { messageSerial, receiptSerial } = parseReceiptHandle(queue.serial, handle);
  queue.settle();
  const message = queue.bySerial(messageSerial);
  if (message === undefined) {
    return;
  }
  const isLatest = message.receiptSerial === receiptSerial;
  if (queue.fifo && !(isLatest && message.state === 'inFlight')) {
    throw invalidParameter('ReceiptHandle', handle, 'The receipt handle has expired.');
  }
  if (isLatest) {
    queue.remove(message);
    queue.host.emit({ type: 'deleted', queue: queue.name, message });
  }
}

/** Deletes one message. */
export const deleteMessage: Action = (call) => {
  const queue = queueOf(call);
  queue.host.admit(queue, 'DeleteMessage');
  return deleteEntry(queue, call.input);
};

/** Deletes up to ten messages, each on its own. */
export const deleteMessageBatch: Action = (call) => {
  const queue = queueOf(call);
  const entries = batchEntries(call.input);
  queue.host.admit(queue, 'DeleteMessage');
  return eachEntry(entries, (entry) => deleteEntry(queue, entry));
};

function deleteEntry(queue: Queue, input: Input): object {
  deleteReceived(queue, text(input, 'ReceiptHandle'));
  return {};
}
