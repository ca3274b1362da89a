import { CronFanoutError, LAMBDA } from '../../contract';
import type { Clock } from '../../ports';
import type { MessageView, Queue } from '../sqs';
import type { QueueEvent } from './record';

/** Circumstances of one invocation. */
export interface Invocation {
  /** Aborted when the function's timeout is over: its result is no longer waited for. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds at which the timeout is over; `undefined` without one. */
  readonly deadlineAt: number | undefined;
}

/**
 * Calls the function. Resolves with what it answers, rejects when it throws, crashes or runs out of time. A rejection whose `name` is
 * `TooManyRequestsException` means that it was throttled and has not run.
 */
export type InvokeFunction = (event: QueueEvent, invocation: Invocation) => Promise<unknown>;

/** Why messages of an invocation come back. */
export type ReturnCause = 'reported' | 'malformedResponse' | 'error' | 'timeout' | 'throttled';

/** What the mapping does, told to its observer. */
export type MappingEvent =
  | { readonly type: 'invoked'; readonly messages: readonly MessageView[] }
  | {
      readonly type: 'settled';
      /** Ids of messages that were deleted. */
      readonly deleted: readonly string[];
      /** Ids of messages that are left to their visibility timeout. */
      readonly returned: readonly string[];
      /** Ids of messages that succeeded after their visibility timeout was over: they could not be deleted and may run twice. */
      readonly late: readonly string[];
      /** Why messages came back; absent when none did. */
      readonly cause?: ReturnCause;
      /** The error of the function, or what is wrong with its response. */
      readonly error?: unknown;
    };

/** Options of `EventSourceMapping`. */
export interface EventSourceMappingOptions {
  /** The queue to read. */
  readonly queue: Queue;
  readonly clock: Clock;
  readonly invoke: InvokeFunction;
  /** Most messages of one invocation; 1 to 10. @default 10 */
  readonly batchSize?: number;
  /** Most invocations at once; 2 to 1000. @default 1000, what an account allows unless raised */
  readonly maximumConcurrency?: number;
  /** The function's answer names the messages that failed (`FunctionResponseTypes`). @default false */
  readonly reportBatchItemFailures?: boolean;
  /**
   * Seconds after which an invocation counts as failed, whatever it still does; 1 to 900, and at most the queue's visibility timeout.
   * @default - `invoke` limits itself
   */
  readonly functionTimeoutSeconds?: number;
  /** Most bytes of one invocation's payload. @default 6291456 (6 MB, the limit of a synchronous invocation) */
  readonly payloadBytes?: number;
  /** Told of invocations and what became of their messages. @default - nobody */
  readonly onEvent?: (event: MappingEvent) => void;
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
export const PAYLOAD_BYTES = 6 * 1024 * 1024;

/** @throws CronFanoutError when Lambda would refuse the mapping */
export function checkSettings(options: EventSourceMappingOptions): void {
  check('batchSize', options.batchSize, LAMBDA.mappingBatch);
  check('maximumConcurrency', options.maximumConcurrency, LAMBDA.mappingConcurrency);
  check('functionTimeoutSeconds', options.functionTimeoutSeconds, { min: 1, max: LAMBDA.timeoutSeconds });
  const timeout = options.functionTimeoutSeconds;
  const visibility = options.queue.attributes.visibilitySeconds;
  if (timeout !== undefined && timeout > visibility) {
    throw new CronFanoutError('FunctionTimeoutAboveVisibility', {
      what: `functionTimeoutSeconds of the event source mapping on ${options.queue.name}`,
      received: `${timeout} s, with a visibility timeout of ${visibility} s`,
      allowed: 'at most the visibility timeout of the queue',
      change: 'raise VisibilityTimeout of the queue to six times the timeout of the function',
    });
  }
}

function check(
  name: string,
  value: number | undefined,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max)) {
    throw new CronFanoutError('InvalidMappingOption', {
      what: `${name} of the event source mapping`,
      received: String(value),
      allowed: `a whole number from ${min} to ${max}`,
      change: `set ${name} within these bounds`,
    });
  }
}
