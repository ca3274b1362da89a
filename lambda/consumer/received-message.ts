import type { SqsRecord } from './sqs-event';
import type { DeadEnvelope, Envelope, PageId, RunItem, TraceContext } from '../contract';
import { isXrayHeader, traceContext } from '../contract';
import { decodeEnvelope } from '../ledger/envelope';

/** What every message of a batch has. */
interface MessageFrame {
  /** What the answer names it by. */
  readonly messageId: string;
  readonly receiptHandle: string;
  /** Times it was received, this one included; at least 1. */
  readonly receiveCount: number;
  /** When it was first received, epoch milliseconds. */
  readonly firstReceivedAt: number;
  /** When it was sent, epoch milliseconds; absent where the event does not say. */
  readonly sentAt?: number;
  /** SQS group; absent where the event does not name it. */
  readonly sqsGroup?: string;
  /** X-Ray header that the message was sent with; absent where it has none. */
  readonly traceHeader?: string;
}

/** What a message says. */
export type Content =
  | { readonly kind: 'record'; readonly envelope: Envelope }
  /** Nothing can be done with it here: what it is, and what would be allowed. */
  | { readonly kind: 'unusable'; readonly what: string };

/** A message whose record is known. */
export interface RecordMessage extends MessageFrame {
  readonly content: Extract<Content, { kind: 'record' }>;
}

/** A message of a batch. */
export type ReceivedMessage =
  RecordMessage | (MessageFrame & { readonly content: Extract<Content, { kind: 'unusable' }> });

/** Whether a message's record is known. */
export function isRecordMessage(message: ReceivedMessage): message is RecordMessage {
  return message.content.kind === 'record';
}

/**
 * Reads one message of a batch; never throws, so that a message that is wrong is wrong alone.
 *
 * @param now epoch milliseconds; stands in for a time that the event does not name
 */
export function readMessage(record: SqsRecord, fanoutId: string, now: number): ReceivedMessage {
  const attributes = (record as Partial<SqsRecord>).attributes as Partial<SqsRecord['attributes']> | undefined;
  const sqsGroup = attributes?.MessageGroupId;
  const traceHeader = attributes?.AWSTraceHeader;
  const sentAt = positive(attributes?.SentTimestamp);
  const content = readContent(record.body, fanoutId);
  const frame = {
    messageId: record.messageId,
    receiptHandle: record.receiptHandle,
    // Without a count nothing is assumed of the record: as if it had been received before.
    receiveCount: positive(attributes?.ApproximateReceiveCount) ?? 2,
    firstReceivedAt: positive(attributes?.ApproximateFirstReceiveTimestamp) ?? now,
    ...(sentAt !== undefined && { sentAt }),
    ...(typeof sqsGroup === 'string' && sqsGroup !== '' ? { sqsGroup } : {}),
    ...(isXrayHeader(traceHeader) ? { traceHeader } : {}),
  };
  return content.kind === 'record' ? { ...frame, content } : { ...frame, content };
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
}

function readContent(body: string, fanoutId: string): Content {
  const decoded = decodeEnvelope(body);
  switch (decoded.kind) {
    case 'unreadable':
      return { kind: 'unusable', what: `its body is no message of a fanout: ${decoded.cause}` };
    case 'newer':
      return {
        kind: 'unusable',
        what: `its envelope has version ${decoded.version}, which this code does not know yet`,
      };
    case 'valid':
      return decoded.envelope.fanout === fanoutId
        ? { kind: 'record', envelope: decoded.envelope }
        : { kind: 'unusable', what: `it belongs to fanout ${JSON.stringify(decoded.envelope.fanout)}` };
  }
}

/** The trace that a message's run belongs to. A redrive may lose the attribute of the message; the run has it. */
export function traceOf({ content, traceHeader }: RecordMessage, { trace }: Pick<RunItem, 'trace'>): TraceContext {
  return traceContext({
    traceparent: content.envelope.traceparent ?? trace?.traceparent,
    xray: trace?.xray ?? traceHeader,
  });
}

/** The page of a message. */
export function pageOf(envelope: Envelope): PageId {
  const { fanout: fanoutId, run: runId, job: jobType, segment, page } = envelope;
  return { fanoutId, runId, jobType, segment, page };
}

/** When the death that a message redrives took place, epoch milliseconds; `undefined` where the body does not say. */
export function deathTime(envelope: Envelope): number | undefined {
  const { death } = envelope as Partial<DeadEnvelope>;
  const at = typeof death?.diedAt === 'string' ? Date.parse(death.diedAt) : NaN;
  return Number.isNaN(at) ? undefined : at;
}
