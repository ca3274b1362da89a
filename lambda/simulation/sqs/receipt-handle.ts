import { SqsError } from './errors';

/** What a receipt handle says: which message of which queue, and which receive of it. */
export interface Receipt {
  readonly messageSerial: number;
  readonly receiptSerial: number;
}

const PREFIX = 'AQEB';

/** The handle of a receive. Handles of other queues and of other messages differ. */
export function receiptHandleOf(queueSerial: number, { messageSerial, receiptSerial }: Receipt): string {
  return PREFIX + Buffer.from(`${queueSerial}/${messageSerial}/${receiptSerial}`).toString('base64');
}

/**
 * Reads a handle.
 *
 * @throws SqsError `ReceiptHandleIsInvalid` when it is not one of this queue
 */
export function parseReceiptHandle(queueSerial: number, handle: string): Receipt {
  const text = handle.startsWith(PREFIX) ? Buffer.from(handle.slice(PREFIX.length), 'base64').toString('latin1') : '';
  const parts = /^(\d+)\/(\d+)\/(\d+)$/.exec(text);
  if (parts === null || Number(parts[1]) !== queueSerial) {
    throw new SqsError('ReceiptHandleIsInvalid', `The input receipt handle "${handle}" is not a valid receipt handle.`);
  }
  return { messageSerial: Number(parts[2]), receiptSerial: Number(parts[3]) };
}
