/** One entry of a batch send to a FIFO queue. */
export interface SendEntry {
  /** Unique in the call: `[A-Za-z0-9_-]{1,80}`; positional, never a record key. */
  readonly id: string;
  /** At most 1 MiB of UTF-8, of the characters that SQS allows. */
  readonly body: string;
  /** 1 to 128 characters that SQS allows. */
  readonly groupId: string;
  /** 1 to 128 characters that SQS allows. */
  readonly deduplicationId: string;
  /** X-Ray header, as the system attribute `AWSTraceHeader`; it does not count as part of the message's size. */
  readonly traceHeader?: string;
}

/** An entry that SQS did not accept. */
export interface FailedEntry {
  readonly id: string;
  readonly code: string;
  readonly message: string;
  /** True: the entry is wrong, another try is futile. */
  readonly senderFault: boolean;
}

/** Answer of a batch call. An entry that is in neither list was not sent. */
export interface SendBatchResult {
  readonly accepted: readonly string[];
  readonly failed: readonly FailedEntry[];
}

/** One change of the visibility of a message that was received. */
export interface VisibilityChange {
  readonly receiptHandle: string;
  /** From now; 0 to 43,200, and at most 12 h after the receive. */
  readonly seconds: number;
}

/** One SQS FIFO queue. */
export interface MessageQueue {
  /**
   * Sends 1 to 10 entries whose bodies are 1 MiB or less together.
   *
   * @throws when the call as a whole failed, be it before or after its effect
   */
  sendBatch(entries: readonly SendEntry[], signal?: AbortSignal): Promise<SendBatchResult>;
  /** Changes visibility, best effort, in calls of ten; what fails keeps the queue's visibility timeout. Answers the number that failed. */
  changeVisibility(changes: readonly VisibilityChange[]): Promise<number>;
}
