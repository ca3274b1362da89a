import type { JsonValue } from './json';

/** Version of the envelope that this code writes. It reads this one and the one before. */
export const ENVELOPE_VERSION = 1;

/**
 * The body of a message on the work queue: a record and its place in the run.
 *
 * It holds no time, and nothing that differs from one sender to the next, so that a send that is repeated carries the same bytes and the same
 * deduplication id. What makes a message "the same" is (`run`, `job`, `segment`, `page`, `ordinal`), never an SQS attribute: SQS rewrites
 * the deduplication id and the message id on the way to a dead-letter queue and back.
 */
export interface Envelope {
  /** {@link ENVELOPE_VERSION}. */
  readonly v: number;
  /** The fanout that sent it. */
  readonly fanout: string;
  /** `jobType` of the job that handles it. */
  readonly job: string;
  /** `runId`. */
  readonly run: string;
  /** Segment of the source, from 0. */
  readonly segment: number;
  /** Page within the segment, from 0. */
  readonly page: number;
  /** Place within the page, from 0. */
  readonly ordinal: number;
  /** Identity of the record. */
  readonly key: string;
  /** Logical ordering lane. The SQS group may be coarser (`maxConcurrency: 1`). */
  readonly group: string;
  /** The record itself, or what the job's `queuePayload` made of it. */
  readonly payload: JsonValue;
  /** `payloadVersion` of the job that enqueued it; absent: 1. */
  readonly payloadVersion?: number;
  /** W3C `traceparent` of the run; absent where the scanner was in no trace. */
  readonly traceparent?: string;
  /** Present on a message that was redriven from the dead-letter queue: the death that it redrives. */
  readonly deathId?: string;
}

/** The body of a message in the dead-letter queue that the consumer put there: the envelope and why the record died. */
export interface DeadEnvelope extends Envelope {
  readonly deathId: string;
  /** Why the record died. */
  readonly death: Death;
}

/** Why and how a record died. */
export interface Death {
  /** `PermanentError`, `NotRetryable`, `AttemptsExhausted`, `InvalidPayload`, `UnknownJobType`, `Backstop` or `Lost`. */
  readonly cause: string;
  /** Calls of the handler that were counted. */
  readonly attempts: number;
  /** Name of the last error. */
  readonly errorName: string;
  /** Message of the last error, cut. */
  readonly errorMessage: string;
  /** Stack of the last error, cut; absent where the thrown value had none. */
  readonly errorStack?: string;
  /** When the record was first received, as an ISO 8601 time in UTC. */
  readonly firstReceivedAt: string;
  /** When it died, as an ISO 8601 time in UTC. */
  readonly diedAt: string;
}
