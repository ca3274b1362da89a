import { SQS } from '../contract';
import type { ErrorTexts } from '../job/error-texts';
import type { Clock, FailedEntry, Logger, MessageQueue, Randomness, SendBatchResult } from '../ports';
import { sleep } from '../ports';
import { SendOrder } from './send-order';
import type { OutgoingMessage } from './send-order';

/** Calls in flight at once. */
const CONCURRENT_CALLS = 8;
/** Calls that carry one message before the send is given up; with the delays below they spread over about 12 s. */
const MAX_CALLS = 10;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 3000;

/** What a send works with. */
export interface Sending {
  readonly queue: MessageQueue;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** What may be told of errors. */
  readonly errors: ErrorTexts;
  /** X-Ray header of the run; absent where it is in no trace. */
  readonly traceHeader?: string;
  /** Asked before each call; throws when nothing more may be sent. */
  readonly guard: () => void;
}

/** A message that SQS refuses for good. */
export interface RefusedMessage {
  readonly message: OutgoingMessage;
  readonly cause: string;
}

/**
 * Sends messages until SQS has accepted each one or refused it for good. Batches are bounded by count and by UTF-8 bytes, several calls are in flight, and the messages of a
 * group follow one another in their order. A message that is sent again carries the same bytes and ids.
 *
 * @returns what SQS refused for good
 * @throws what the guard throws; the error of a message or a call that failed {@link MAX_CALLS} times
 */
export async function sendMessages(messages: readonly OutgoingMessage[], sending: Sending): Promise<RefusedMessage[]> {
  const order = new SendOrder(messages, { entries: SQS.batchEntries, bytes: SQS.messageBytes });
  const refused: RefusedMessage[] = [];
  // All of them are waited for: no call of this page may be on its way when its lock is given back.
  const ends = await Promise.allSettled(Array.from({ length: CONCURRENT_CALLS }, () => work(order, sending, refused)));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
  return refused;
}

async function work(order: SendOrder, sending: Sending, refused: RefusedMessage[]): Promise<void> {
  for (;;) {
    const batch = order.take();
    if (batch === 'done') {
      return;
    }
    if (batch === 'wait') {
      await order.change();
      continue;
    }
    try {
      await deliver(batch, order, sending, refused);
    } catch (error) {
      order.abandon();
      throw error;
    }
  }
}

async function deliver(
  batch: readonly OutgoingMessage[],
  order: SendOrder,
  sending: Sending,
  refused: RefusedMessage[],
): Promise<void> {
  let pending = batch;
  for (let calls = 1; !order.isAbandoned; calls++) {
    sending.guard();
    const { rest, error } = await call(pending, order, sending, refused);
    if (rest.length === 0) {
      return;
    }
    if (calls === MAX_CALLS) {
      throw error;
    }
    pending = rest;
    order.delay(rest);
    await sleep(sending.clock, delayAfter(calls, sending.randomness));
  }
}

/** One call; answers the messages that it left unsettled, and why. */
async function call(
  pending: readonly OutgoingMessage[],
  order: SendOrder,
  { queue, logger, errors, traceHeader }: Sending,
  refused: RefusedMessage[],
): Promise<{ rest: readonly OutgoingMessage[]; error: unknown }> {
  let answer: SendBatchResult;
  try {
    answer = await queue.sendBatch(
      pending.map(({ body, groupId, deduplicationId }, place) => ({
        id: String(place),
        body,
        groupId,
        deduplicationId,
        ...(traceHeader !== undefined && { traceHeader }),
      })),
    );
  } catch (error) {
    logger.warn('a batch could not be sent', { messages: pending.length, error: errors.describe(error) });
    return { rest: pending, error };
  }
  const accepted = new Set(answer.accepted);
  const failures = new Map(answer.failed.map((entry) => [entry.id, entry]));
  const rest = pending.filter((message, place) => {
    const failure = failures.get(String(place));
    if (failure?.senderFault === true) {
      refused.push({ message, cause: errors.text(causeOf(failure)) });
    } else if (failure !== undefined || !accepted.has(String(place))) {
      return true;
    }
    order.settle(message);
    return false;
  });
  if (rest.length > 0) {
    logger.warn('SQS did not accept a part of a batch', { messages: pending.length, left: rest.length });
  }
  return { rest, error: new Error(`SQS did not accept ${rest.length} messages: ${reasonOf(answer.failed)}`) };
}

function causeOf({ code, message }: FailedEntry): string {
  return `SQS refuses it: ${code} ${message}`.trimEnd();
}

function reasonOf(failed: readonly FailedEntry[]): string {
  const first = failed.find(({ senderFault }) => !senderFault);
  return first === undefined ? 'they are in neither list of its answer' : `${first.code} ${first.message}`.trimEnd();
}

/** Exponential back-off, half of it random. */
function delayAfter(calls: number, randomness: Randomness): number {
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (calls - 1));
  return delay * (1 - randomness.fraction() / 2);
}
