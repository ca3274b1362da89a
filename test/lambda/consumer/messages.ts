import type { DeadEnvelope, Envelope, JsonValue, PageId } from '../../../lambda/contract';
import type { SqsBatchResponse, SqsRecord } from '../../../lambda/consumer/sqs-event';
import { encodeEnvelope } from '../../../lambda/ledger/envelope';
import { groupId } from '../../../lambda/ledger/identity';

export const FANOUT = 'Shop-Reminders-1a2b3c4d';
export const RUN = 'tick-2026-01-01T00-00-00Z';
export const JOB = 'booking.reminder';
export const START = Date.UTC(2026, 0, 1);
/** Milliseconds that an invocation has, unless a test says otherwise. */
export const REMAINING = 60_000;

export function pageId(page = 0, jobType = JOB): PageId {
  return { fanoutId: FANOUT, runId: RUN, jobType, segment: 0, page };
}

/** What a test says of a message; the rest is filled in. */
export interface MessageOptions {
  readonly ordinal?: number;
  readonly page?: number;
  readonly group?: string;
  readonly key?: string;
  readonly payload?: JsonValue;
  readonly jobType?: string;
  readonly receiveCount?: number;
  /** Replaces the SQS group; `null`: the event names none. */
  readonly sqsGroup?: string | null;
  readonly envelope?: Partial<DeadEnvelope>;
  /** Replaces the body. */
  readonly body?: string;
}

export function envelopeOf(options: MessageOptions = {}): Envelope {
  const { ordinal = 0, page = 0, jobType = JOB } = options;
  const key = options.key ?? `record-${page}-${ordinal}`;
  return {
    v: 1,
    fanout: FANOUT,
    job: jobType,
    run: RUN,
    segment: 0,
    page,
    ordinal,
    key,
    group: options.group ?? key,
    payload: options.payload ?? { id: key },
    ...options.envelope,
  };
}

let received = 0;

/** A message as Lambda hands it over. */
export function message(options: MessageOptions = {}): SqsRecord {
  const envelope = envelopeOf(options);
  received += 1;
  const sqsGroup = options.sqsGroup === undefined ? groupId(envelope.job, envelope.group) : options.sqsGroup;
  return {
    messageId: `m-${received}`,
    receiptHandle: `r-${received}`,
    body: options.body ?? encodeEnvelope(envelope),
    attributes: {
      ApproximateReceiveCount: String(options.receiveCount ?? 1),
      ApproximateFirstReceiveTimestamp: String(START),
      ...(sqsGroup === null ? {} : { MessageGroupId: sqsGroup }),
    },
  };
}

/** Ids that an answer hands back. */
export function failures(response: SqsBatchResponse): string[] {
  return response.batchItemFailures.map((failure) => failure.itemIdentifier);
}

/** A promise and its resolver. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
