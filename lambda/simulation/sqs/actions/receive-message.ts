import { SQS } from '../../../contract';
import { checkIdentifier } from '../content';
import { invalidParameter, SqsError } from '../errors';
import { optionalInteger, optionalText } from '../input';
import type { StoredMessage } from '../message';
import type { Queue } from '../queue';
import { wantedOf, wireMessage } from '../wire-message';
import type { Action } from './call';
import { deadLetter } from './dead-letter';
import { queueOf } from './queue-url';

/** One receive. */
export interface ReceiveRequest {
  /** Most messages to hand out; 1 to 10. */
  readonly limit: number;
  /** Seconds for which they are hidden; 0 to 43,200. @default - the queue's visibility timeout */
  readonly visibilitySeconds?: number | undefined;
  /** Names the receive, so that it can be repeated within five minutes when its answer was lost (FIFO). */
  readonly attemptId?: string | undefined;
  /** Asked before each message; `false` ends the receive without it, unless it is the first. @default - all are accepted */
  readonly accept?: (message: StoredMessage) => boolean;
}

/**
 * Receives what can be received now, perhaps nothing. A message that was received too often goes to the dead-letter queue instead.
 *
 * @throws SqsError `OverLimit` on a standard queue with too many messages in flight; a FIFO queue then hands out nothing
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
 */
export function receive(queue: Queue, request: ReceiveRequest): readonly StoredMessage[] {
  const now = queue.settle();
  const seconds = request.visibilitySeconds ?? queue.attributes.visibilitySeconds;
  const repeated = repeat(queue, request.attemptId, now, seconds);
  if (repeated !== undefined) {
    return repeated;
  }
  if (!queue.fifo && queue.isAtInFlightLimit()) {
    throw new SqsError('OverLimit', 'Too many messages are in flight: delete some that were received.');
  }
  const received: StoredMessage[] = [];
  for (const message of queue.isAtInFlightLimit() ? [] : queue.candidates()) {
    if (deadLetter(queue, message)) {
      continue;
    }
    if (request.accept?.(message) === false && received.length > 0) {
      break;
    }
    queue.receive(message, seconds);
    queue.host.emit({ type: 'received', queue: queue.name, message });
    if (received.push(message) === request.limit || queue.isAtInFlightLimit()) {
      break;
    }
  }
  if (request.attemptId !== undefined && received.length > 0) {
    const messages = received.map((message) => ({ message, receiptSerial: message.receiptSerial }));
    queue.attempts.set(request.attemptId, { messages }, now);
  }
  return received;
}

/** Repeats a receive whose answer may have been lost: same messages, same handles, visibility anew, nothing counted. */
function repeat(
  queue: Queue,
  attemptId: string | undefined,
  now: number,
  seconds: number,
): readonly StoredMessage[] | undefined {
  const attempt = attemptId === undefined ? undefined : queue.attempts.get(attemptId, now);
  const isUnchanged = attempt?.messages.every(
    ({ message, receiptSerial }) =>
      message.state === 'inFlight' && message.receiptSerial === receiptSerial && !message.visibilityChanged,
  );
  if (attempt === undefined || isUnchanged !== true) {
    return undefined;
  }
  for (const { message } of attempt.messages) {
    queue.hideUntil(message, now + seconds * 1000);
  }
  return attempt.messages.map(({ message }) => message);
}

/**
 * Receives, and waits for a message where there is none: one that is sent, becomes visible, or whose group is set free ends the wait.
 *
 * @param waitMilliseconds how long at most
 * @param signal ends the wait with nothing
 */
export function receiveWaiting(
  queue: Queue,
  request: ReceiveRequest,
  waitMilliseconds: number,
  signal?: AbortSignal,
): Promise<readonly StoredMessage[]> {
  const atOnce = receive(queue, request);
  if (atOnce.length > 0 || waitMilliseconds <= 0 || signal?.aborted === true) {
    return Promise.resolve(atOnce);
  }
  return new Promise((resolve, reject) => {
    const attempt = (isLast: boolean): void => {
      try {
        const messages = receive(queue, request);
        if (messages.length > 0 || isLast) {
          finish(messages);
        }
      } catch (error) {
        end();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const stopWatching = queue.onReceivable(() => {
      attempt(false);
    });
    const timer = queue.host.clock.setTimer(waitMilliseconds, () => {
      attempt(true);
    });
    const onAbort = (): void => {
      finish([]);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    function end(): void {
      stopWatching();
      timer.cancel();
      signal?.removeEventListener('abort', onAbort);
    }
    function finish(messages: readonly StoredMessage[]): void {
      end();
      resolve(messages);
    }
  });
}

/** Receives up to ten messages. */
export const receiveMessage: Action = async (call) => {
  const { input, signal } = call;
  const queue = queueOf(call);
  const limit = optionalInteger(input, 'MaxNumberOfMessages', 1, SQS.batchEntries) ?? 1;
  const visibilitySeconds = optionalInteger(input, 'VisibilityTimeout', 0, SQS.visibilitySeconds);
  const waitSeconds = optionalInteger(input, 'WaitTimeSeconds', 0, 20) ?? queue.attributes.waitSeconds;
  const attemptId = optionalText(input, 'ReceiveRequestAttemptId');
  checkIdentifier('ReceiveRequestAttemptId', attemptId);
  if (attemptId !== undefined && !queue.fifo) {
    throw invalidParameter(
      'ReceiveRequestAttemptId',
      attemptId,
      'The request include parameter that is not valid for this queue type.',
    );
  }
  const wanted = wantedOf(input);
  queue.host.admit(queue, 'ReceiveMessage');
  const messages = await receiveWaiting(queue, { limit, visibilitySeconds, attemptId }, waitSeconds * 1000, signal);
  return messages.length === 0 ? {} : { Messages: messages.map((message) => wireMessage(message, wanted)) };
};
