import type { Place } from './linked-list';

/** A message attribute: the user's typed name-value pair beside the body. */
export interface MessageAttribute {
  /** `String`, `Number` or `Binary`, with an optional label after a dot. */
  readonly dataType: string;
  readonly stringValue?: string;
  readonly binaryValue?: Uint8Array;
}

/** What a sender gives; checked by `checkContent` before it is stored. */
export interface MessageContent {
  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  /** X-Ray trace header, the only system attribute that can be sent. */
  readonly traceHeader?: string | undefined;
  readonly groupId?: string | undefined;
  readonly deduplicationId?: string | undefined;
}

/** A message as observers and consumers see it. */
export interface MessageView extends MessageContent {
  readonly messageId: string;
  /** Place in the queue; grows with every message that is stored. */
  readonly serial: number;
  /** Epoch milliseconds. On the way to a FIFO dead-letter queue and by a move task it is set anew. */
  readonly sentAt: number;
  /** Receives so far, over all queues. */
  readonly receiveCount: number;
  /** Epoch milliseconds of the first receive. */
  readonly firstReceivedAt: number | undefined;
  /** Handle of the latest receive. */
  readonly receiptHandle: string | undefined;
  /** Epoch milliseconds at which a message that is delayed or in flight becomes visible. */
  readonly availableAt: number;
  /** Queue that the message was moved from, once it is in a dead-letter queue. */
  readonly deadLetterSourceArn: string | undefined;
}

/**
 * Where a message is: `delayed` (sent, its delay not over) to `visible` (may be received) to `inFlight` (received, neither deleted nor
 * timed out) and back to `visible`, until it is `gone` (deleted, expired or moved). Only `Queue` changes it.
 */
export type MessageState = 'delayed' | 'visible' | 'inFlight' | 'gone';

/** A message in a queue. */
export class StoredMessage implements MessageView {
  state: MessageState = 'gone';
  receiveCount = 0;
  firstReceivedAt: number | undefined;
  /** Epoch milliseconds of the latest receive: the 12 hours of visibility count from it. */
  receivedAt = 0;
  receiptHandle: string | undefined;
  /** Number of the latest receive, part of its handle. */
  receiptSerial = 0;
  /** Visibility was changed since the latest receive, so that the receive can't be repeated. */
  visibilityChanged = false;
  availableAt = 0;
  deadLetterSourceArn: string | undefined;
  /** Place in its group (FIFO). */
  place: Place<StoredMessage> | undefined;
  /** Index among the visible messages (standard). */
  slot = -1;

  readonly body: string;
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
  readonly traceHeader: string | undefined;
  readonly groupId: string | undefined;

  constructor(
    readonly messageId: string,
    readonly serial: number,
    content: MessageContent,
    readonly deduplicationId: string | undefined,
    readonly sentAt: number,
  ) {
    this.body = content.body;
    this.attributes = content.attributes;
    this.traceHeader = content.traceHeader;
    this.groupId = content.groupId;
  }
}
