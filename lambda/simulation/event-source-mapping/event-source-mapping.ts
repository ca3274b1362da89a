import { LAMBDA } from '../../contract';
import { sleep } from '../../ports';
import { deleteReceived, receive, SqsError, type MessageView } from '../sqs';
import { readBatchResponse } from './batch-response';
import { payloadBytesOf, recordOf, type QueueRecord } from './record';
import { checkSettings, PAYLOAD_BYTES, type EventSourceMappingOptions, type ReturnCause } from './settings';

/** First and longest pause before a throttled invocation is tried again. Lambda does not say its own. */
const THROTTLE_PAUSE_MS = { first: 100, longest: 10_000 } as const;
const THROTTLED = 'TooManyRequestsException';

type Result =
  | { readonly type: 'returned'; readonly response: unknown }
  | { readonly type: 'failed'; readonly cause: ReturnCause; readonly error: unknown };

/**
 * Lambda's event source mapping for an SQS queue. It receives while it may invoke, so that as many invocations run as there are groups with
 * messages, up to the maximum; deletes what succeeded, and leaves the rest to the visibility timeout, which the function may have changed.
 *
 * It is `stopped` until `start`, then `running`; `stop` makes it `stopped` for new batches at once and resolves when those that run are
 * settled. It acts on events only: a message that becomes receivable, an invocation that ends.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
export class EventSourceMapping {
  private readonly options: EventSourceMappingOptions;
  private readonly maximum: number;
  private readonly running = new Set<Promise<void>>();
  private readonly idleWaiters = new Set<() => void>();
  private stopListening: (() => void) | undefined;
  private stopped = new AbortController();

  /** @throws CronFanoutError when Lambda would refuse the mapping */
  constructor(options: EventSourceMappingOptions) {
    checkSettings(options);
    this.options = options;
    this.maximum = options.maximumConcurrency ?? LAMBDA.mappingConcurrency.max;
  }

  /** Begins to read the queue; without effect while running. */
  start(): void {
    if (this.stopListening !== undefined) {
      return;
    }
    this.stopped = new AbortController();
    this.stopListening = this.options.queue.onReceivable(() => {
      this.pump();
    });
    this.pump();
  }

  /** Receives nothing more, and resolves when the invocations that run have ended and their messages are settled. */
  async stop(): Promise<void> {
    this.stopListening?.();
    this.stopListening = undefined;
    this.stopped.abort();
    while (this.running.size > 0) {
      await Promise.all(this.running);
    }
    this.tellIdle();
  }

  /** Invocations that run now, throttled ones that will be tried again included. */
  get invocations(): number {
    return this.running.size;
  }

  /**
   * Whether there is nothing to do now: no invocation runs, and no message can be received. Messages that wait for a visibility timeout
   * do not count; the queue's `counts()` and `nextDueAt()` tell of them.
   */
  get idle(): boolean {
    return this.running.size === 0 && (this.stopListening === undefined || !this.options.queue.isReceivable());
  }

  /** Resolves as soon as the mapping is idle. */
  whenIdle(): Promise<void> {
    if (this.idle) {
      return Promise.resolve();
    }
    return new Promise((resolve) => this.idleWaiters.add(resolve));
  }

  private pump(): void {
    while (this.stopListening !== undefined && this.running.size < this.maximum) {
      const batch = this.receive();
      if (batch.length === 0) {
        break;
      }
      const delivery = this.deliver(batch).finally(() => {
        this.running.delete(delivery);
        this.pump();
        this.tellIdle();
      });
      this.running.add(delivery);
    }
    this.tellIdle();
  }

  private receive(): readonly MessageView[] {
    const { queue, batchSize: limit = LAMBDA.mappingBatch.max, payloadBytes = PAYLOAD_BYTES } = this.options;
    let bytes = 0;
    try {
      return receive(queue, {
        limit,
        accept: (message) => {
          bytes += payloadBytesOf(message);
          return bytes <= payloadBytes;
        },
      });
    } catch (error) {
      if (error instanceof SqsError) {
        return [];
      }
      throw error;
    }
  }

  private async deliver(messages: readonly MessageView[]): Promise<void> {
    const { queue, onEvent } = this.options;
    const records = messages.map((message) => recordOf(message, queue.arn));
    // Lambda never calls the function within the receive.
    await Promise.resolve();
    onEvent?.({ type: 'invoked', messages });
    this.settle(records, await this.invokePastThrottles(records, messages));
  }

  /** Tries a throttled invocation again until its messages are about to become visible; then they are left to come back. */
  private async invokePastThrottles(
    records: readonly QueueRecord[],
    messages: readonly MessageView[],
  ): Promise<Result> {
    const { clock } = this.options;
    const visibleAt = Math.min(...messages.map(({ availableAt }) => availableAt));
    for (let pause: number = THROTTLE_PAUSE_MS.first; ; pause = Math.min(2 * pause, THROTTLE_PAUSE_MS.longest)) {
      const result = await this.invokeOnce(records);
      const isOver = this.stopped.signal.aborted || clock.now() + pause >= visibleAt;
      if (result.type === 'returned' || result.cause !== 'throttled' || isOver) {
        return result;
      }
      await sleep(clock, pause, this.stopped.signal);
    }
  }

  private async invokeOnce(records: readonly QueueRecord[]): Promise<Result> {
    const { clock, invoke, functionTimeoutSeconds } = this.options;
    const timeout = new AbortController();
    const milliseconds = functionTimeoutSeconds === undefined ? undefined : functionTimeoutSeconds * 1000;
    const expiry = expiryOf(milliseconds, (ms, onExpiry) => clock.setTimer(ms, onExpiry));
    try {
      const deadlineAt = milliseconds === undefined ? undefined : clock.now() + milliseconds;
      const answer = invoke({ Records: records }, { signal: timeout.signal, deadlineAt });
      const response = await Promise.race([answer, expiry.reached]);
      if (response !== EXPIRED) {
        return { type: 'returned', response };
      }
      timeout.abort();
      return {
        type: 'failed',
        cause: 'timeout',
        error: new Error(`Task timed out after ${functionTimeoutSeconds ?? 0} seconds`),
      };
    } catch (error) {
      const isThrottle =
        typeof error === 'object' && error !== null && (error as { name?: unknown }).name === THROTTLED;
      return { type: 'failed', cause: isThrottle ? 'throttled' : 'error', error };
    } finally {
      expiry.cancel();
    }
  }

  private settle(records: readonly QueueRecord[], result: Result): void {
    const { queue, reportBatchItemFailures = false, onEvent } = this.options;
    const ids = records.map(({ messageId }) => messageId);
    const failure = reportBatchItemFailures ? reportedFailure(result, new Set(ids)) : plainFailure(result);
    const deleted: string[] = [];
    const late: string[] = [];
    for (const { messageId, receiptHandle } of records) {
      if (failure.failed === 'all' || failure.failed.has(messageId)) {
        continue;
      }
      try {
        deleteReceived(queue, receiptHandle);
        deleted.push(messageId);
      } catch (error) {
        if (!(error instanceof SqsError)) {
          throw error;
        }
        late.push(messageId);
      }
    }
    const returned = ids.filter((id) => failure.failed === 'all' || failure.failed.has(id));
    const { cause, error } = failure;
    onEvent?.({
      type: 'settled',
      deleted,
      returned,
      late,
      ...(cause === undefined ? {} : { cause }),
      ...(error === undefined ? {} : { error }),
    });
  }

  private tellIdle(): void {
    if (this.idleWaiters.size === 0 || !this.idle) {
      return;
    }
    const waiters = [...this.idleWaiters];
    this.idleWaiters.clear();
    for (const resolve of waiters) {
      resolve();
    }
  }
}

interface Failure {
  readonly failed: ReadonlySet<string> | 'all';
  readonly cause?: ReturnCause;
  readonly error?: unknown;
}

function plainFailure(result: Result): Failure {
  return result.type === 'returned'
    ? { failed: new Set() }
    : { failed: 'all', cause: result.cause, error: result.error };
}

function reportedFailure(result: Result, ids: ReadonlySet<string>): Failure {
  if (result.type === 'failed') {
    return plainFailure(result);
  }
  const verdict = readBatchResponse(result.response, ids);
  if (!verdict.valid) {
    return { failed: 'all', cause: 'malformedResponse', error: verdict.reason };
  }
  return { failed: verdict.failed, ...(verdict.failed.size > 0 ? { cause: 'reported' } : {}) };
}

const EXPIRED = Symbol('expired');

/** A promise that is settled when the time is over, and never without one. */
function expiryOf(
  milliseconds: number | undefined,
  setTimer: (milliseconds: number, callback: () => void) => { cancel(): void },
): { readonly reached: Promise<typeof EXPIRED>; cancel(): void } {
  let timer: { cancel(): void } | undefined;
  const reached = new Promise<typeof EXPIRED>((resolve) => {
    if (milliseconds !== undefined) {
      timer = setTimer(milliseconds, () => {
        resolve(EXPIRED);
      });
    }
  });
  return { reached, cancel: () => timer?.cancel() };
}
