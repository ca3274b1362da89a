import type { SqsBatchResponse } from './sqs-event';
import type { VisibilityChange } from '../ports';
import { longestVisibility } from './back-off';
import type { ReceivedMessage } from './received-message';

/** The answer to a batch. It fails closed: a message that nobody acknowledged comes back. */
export class BatchAnswer {
  private readonly acknowledged = new Set<string>();
  private readonly visibleAt = new Map<string, number>();

  constructor(private readonly messages: readonly ReceivedMessage[]) {}

  /** The message is done with: what became of its record is stored. */
  acknowledge(message: ReceivedMessage): void {
    this.acknowledged.add(message.messageId);
  }

  /** @param at when it is to be received again, epoch milliseconds; absent: after the visibility timeout of the queue */
  comeBack(message: ReceivedMessage, at?: number): void {
    if (at !== undefined) {
      this.visibleAt.set(message.messageId, at);
    }
  }

  /** What Lambda is told. */
  response(): SqsBatchResponse {
    return {
      batchItemFailures: this.returned().map((message) => ({ itemIdentifier: message.messageId })),
    };
  }

  /**
   * The visibility of what comes back.
   *
   * @param now epoch milliseconds
   * @param start when the invocation began, epoch milliseconds
   */
  visibilityChanges(now: number, start: number): VisibilityChange[] {
    return this.returned().flatMap((message) => {
      const at = this.visibleAt.get(message.messageId);
      const seconds = at === undefined ? 0 : Math.ceil((at - now) / 1000);
      return at === undefined
        ? []
        : [
            {
              receiptHandle: message.receiptHandle,
              seconds: Math.min(Math.max(0, seconds), longestVisibility(now - start)),
            },
          ];
    });
  }

  private returned(): ReceivedMessage[] {
    return this.messages.filter((message) => !this.acknowledged.has(message.messageId));
  }
}
