import type { SQSClient } from '@aws-sdk/client-sqs';
import { ChangeMessageVisibilityBatchCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { SQS } from '../contract';
import type { MessageQueue, SendBatchResult, SendEntry, VisibilityChange } from '../ports';

/** One SQS queue. Does I/O only: what is sent again, and when, is the policies' business. */
export class SqsMessageQueue implements MessageQueue {
  constructor(
    private readonly client: SQSClient,
    private readonly queueUrl: string,
  ) {}

  async sendBatch(entries: readonly SendEntry[], signal?: AbortSignal): Promise<SendBatchResult> {
    const answer = await this.client.send(
      new SendMessageBatchCommand({
        QueueUrl: this.queueUrl,
        Entries: entries.map((entry) => ({
          Id: entry.id,
          MessageBody: entry.body,
          MessageGroupId: entry.groupId,
          MessageDeduplicationId: entry.deduplicationId,
          ...(entry.traceHeader !== undefined && {
            MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: entry.traceHeader } },
          }),
        })),
      }),
      signal === undefined ? {} : { abortSignal: signal },
    );
    return {
      accepted: (answer.Successful ?? []).map((entry) => entry.Id ?? ''),
      failed: (answer.Failed ?? []).map((entry) => ({
        id: entry.Id ?? '',
        code: entry.Code ?? 'Unknown',
        message: entry.Message ?? '',
        senderFault: entry.SenderFault === true,
      })),
    };
  }

  async changeVisibility(changes: readonly VisibilityChange[]): Promise<number> {
    const calls: Promise<number>[] = [];
    for (let start = 0; start < changes.length; start += SQS.batchEntries) {
      calls.push(this.changeBatch(changes.slice(start, start + SQS.batchEntries)));
    }
    return (await Promise.all(calls)).reduce((sum, failed) => sum + failed, 0);
  }

  private async changeBatch(changes: readonly VisibilityChange[]): Promise<number> {
    try {
      const answer = await this.client.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl: this.queueUrl,
          Entries: changes.map((change, place) => ({
            Id: String(place),
            ReceiptHandle: change.receiptHandle,
            VisibilityTimeout: change.seconds,
          })),
        }),
      );
      return changes.length - (answer.Successful ?? []).length;
    } catch {
      // Best effort by contract: without the change the message comes back after the queue's visibility timeout.
      return changes.length;
    }
  }
}
