import { SQS } from '../../contract';
import type { MessageQueue, SendBatchResult, SendEntry, FailedEntry, VisibilityChange } from '../../ports';
import { changeVisibility } from './actions/change-message-visibility';
import { checkBatchSize, send } from './actions/send-message';
import { checkIds, failureOf } from './batch';
import { SqsError } from './errors';
import type { Queue } from './queue';

/** The {@link MessageQueue} port on a queue of the engine: what the deployed code calls through the SDK, in process. */
export class EngineMessageQueue implements MessageQueue {
  constructor(private readonly queue: Queue) {}

  sendBatch(entries: readonly SendEntry[], signal?: AbortSignal): Promise<SendBatchResult> {
    return promised(() => {
      signal?.throwIfAborted();
      const { queue } = this;
      checkIds(entries.map(({ id }) => id));
      const contents = entries.map(({ body, groupId, deduplicationId }) => ({
        body,
        attributes: {},
        groupId,
        deduplicationId,
      }));
      checkBatchSize(contents);
      queue.host.admit(queue, 'SendMessage');
      const accepted: string[] = [];
      const failed: FailedEntry[] = [];
      entries.forEach(({ id, body, groupId, deduplicationId, traceHeader }) => {
        try {
          send(queue, {
            ...{ body, attributes: {}, groupId, deduplicationId },
            ...(traceHeader !== undefined && { traceHeader }),
          });
          accepted.push(id);
        } catch (error) {
          const { Code: code, Message: message, SenderFault: senderFault } = failureOf(id, error);
          failed.push({ id, code, message, senderFault });
        }
      });
      return { accepted, failed };
    });
  }

  changeVisibility(changes: readonly VisibilityChange[]): Promise<number> {
    return promised(() => {
      let failed = 0;
      for (let first = 0; first < changes.length; first += SQS.batchEntries) {
        failed += this.changeTen(changes.slice(first, first + SQS.batchEntries));
      }
      return failed;
    });
  }

  private changeTen(changes: readonly VisibilityChange[]): number {
    try {
      this.queue.host.admit(this.queue, 'ChangeMessageVisibility');
    } catch {
      return changes.length;
    }
    return changes.filter(({ receiptHandle, seconds }) => !this.change(receiptHandle, seconds)).length;
  }

  private change(receiptHandle: string, seconds: number): boolean {
    try {
      changeVisibility(this.queue, receiptHandle, seconds);
      return true;
    } catch (error) {
      if (error instanceof SqsError) {
        return false;
      }
      throw error;
    }
  }
}

/** The result or the error of a synchronous call, as a promise. */
function promised<T>(run: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(run());
  });
}
