import type { SqsEngineOptions, SqsEvent } from '../../../../lambda/simulation/sqs';
import { receive, send, SqsEngine, SqsError, type Queue, type ReceiveRequest } from '../../../../lambda/simulation/sqs';
import { SeededRandomness } from '../../../../lambda/simulation/seeded-randomness';
import { VirtualClock } from '../../../../lambda/simulation/virtual-clock';

/** An engine on a clock of its own, and what it told. */
export interface Fixture {
  readonly clock: VirtualClock;
  readonly engine: SqsEngine;
  readonly events: SqsEvent[];
}

/** An engine for one test. */
export function fixture(options: Partial<SqsEngineOptions> = {}): Fixture {
  const clock = new VirtualClock();
  const events: SqsEvent[] = [];
  const onEvent = (event: SqsEvent): void => void events.push(event);
  return { clock, events, engine: new SqsEngine({ clock, randomness: new SeededRandomness(3), onEvent, ...options }) };
}

/** A FIFO queue of an engine. */
export function fifoQueue(engine: SqsEngine, attributes: Record<string, string> = {}, name = 'work.fifo'): Queue {
  return engine.createQueue(name, { FifoQueue: 'true', ...attributes });
}

/** A FIFO queue with a dead-letter queue. */
export function withDeadLetters(
  engine: SqsEngine,
  maxReceiveCount: number,
  attributes: Record<string, string> = {},
): { queue: Queue; deadLetters: Queue } {
  const deadLetters = fifoQueue(engine, {}, 'dead.fifo');
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadLetters.arn, maxReceiveCount });
  return { queue: fifoQueue(engine, { RedrivePolicy, ...attributes }), deadLetters };
}

let sent = 0;

/** Sends bodies to a group, each with a deduplication id of its own. */
export function sendAll(queue: Queue, bodies: readonly string[], groupId = 'g'): void {
  for (const body of bodies) {
    sent += 1;
    send(queue, { body, attributes: {}, groupId, ...(queue.fifo ? { deduplicationId: `d${sent}` } : {}) });
  }
}

/** Receives, and answers the bodies. */
export function bodies(queue: Queue, request: Partial<ReceiveRequest> = {}): string[] {
  return receive(queue, { limit: 10, ...request }).map(({ body }) => body);
}

/** Code of the error that a call must throw. */
export function codeOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof SqsError) {
      return error.code;
    }
    throw error;
  }
  throw new Error('the call was not refused');
}
