import {
  EventSourceMapping,
  type EventSourceMappingOptions,
  type InvokeFunction,
  type MappingEvent,
  type QueueEvent,
} from '../../../../lambda/simulation/event-source-mapping';
import type { Queue, SqsEngine } from '../../../../lambda/simulation/sqs';
import type { VirtualClock } from '../../../../lambda/simulation/virtual-clock';
import { fixture, withDeadLetters } from '../sqs/fixtures';

/** A mapping under test and all that it touches. */
export interface Harness {
  readonly clock: VirtualClock;
  readonly engine: SqsEngine;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly mapping: EventSourceMapping;
  /** Bodies of every invocation, in order. */
  readonly batches: string[][];
  readonly events: MappingEvent[];
}

/** A mapping on a queue with a dead-letter queue and a visibility timeout of 30 seconds. */
export function harness(
  invoke: InvokeFunction,
  options: Partial<EventSourceMappingOptions> & { receives?: number } = {},
): Harness {
  const { engine, clock } = fixture();
  const { queue, deadLetters } = withDeadLetters(engine, options.receives ?? 2);
  const batches: string[][] = [];
  const events: MappingEvent[] = [];
  const mapping = new EventSourceMapping({
    queue,
    clock,
    reportBatchItemFailures: true,
    onEvent: (event) => void events.push(event),
    ...options,
    invoke: (event, invocation) => {
      batches.push(event.Records.map(({ body }) => body));
      return invoke(event, invocation);
    },
  });
  return { clock, engine, queue, deadLetters, mapping, batches, events };
}

/** A function that fails the messages whose body is listed. */
export function failing(...failures: string[]): InvokeFunction {
  return ({ Records }) =>
    Promise.resolve({
      batchItemFailures: Records.filter(({ body }) => failures.includes(body)).map(({ messageId }) => ({
        itemIdentifier: messageId,
      })),
    });
}

/** Invocations that end when the test says so. */
export function held(): {
  invoke: InvokeFunction;
  running: { event: QueueEvent; end: (response?: unknown) => void }[];
} {
  const running: { event: QueueEvent; end: (response?: unknown) => void }[] = [];
  return {
    running,
    invoke: (event) =>
      new Promise((resolve) => {
        running.push({ event, end: resolve });
      }),
  };
}

/** The error of a throttled invocation. */
export function throttled(): Error {
  return Object.assign(new Error('Rate Exceeded.'), { name: 'TooManyRequestsException' });
}
