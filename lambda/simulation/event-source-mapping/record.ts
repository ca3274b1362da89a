import { md5, md5OfAttributes, systemAttributes, type MessageView } from '../sqs';

/** A message attribute as Lambda hands it to a function. */
export interface RecordAttribute {
  readonly stringValue?: string;
  /** Base64. */
  readonly binaryValue?: string;
  readonly stringListValues: string[];
  readonly binaryListValues: string[];
  readonly dataType: string;
}

/** A message as Lambda hands it to a function. */
export interface QueueRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** System attributes: counts and times (epoch milliseconds) as texts, group, deduplication id, sequence number, trace header. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageAttributes: Readonly<Record<string, RecordAttribute>>;
  readonly md5OfBody: string;
  readonly md5OfMessageAttributes?: string;
  readonly eventSource: 'aws:sqs';
  readonly eventSourceARN: string;
  readonly awsRegion: string;
}

/** The event of an invocation: what `SQSEvent` of `@types/aws-lambda` describes. */
export interface QueueEvent {
  readonly Records: readonly QueueRecord[];
}

/** Bytes of a record beside its body and attributes, generously. */
const FRAME_BYTES = 1024;

/**
 * A message as Lambda hands it to a function.
 *
 * @param queueArn ARN of the queue that it was received from
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export function recordOf(message: MessageView, queueArn: string): QueueRecord {
  const md5OfMessageAttributes = md5OfAttributes(message.attributes);
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle ?? '',
    body: message.body,
    attributes: systemAttributes(message),
    messageAttributes: messageAttributesOf(message),
    md5OfBody: md5(message.body),
    ...(md5OfMessageAttributes === undefined ? {} : { md5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
}

/** Bytes that a message takes in the payload of an invocation, rounded up. */
export function payloadBytesOf(message: MessageView): number {
  const attributes = Object.keys(message.attributes).length === 0 ? '' : JSON.stringify(messageAttributesOf(message));
  return Buffer.byteLength(JSON.stringify(message.body)) + Buffer.byteLength(attributes) + FRAME_BYTES;
}

function messageAttributesOf({ attributes }: MessageView): Readonly<Record<string, RecordAttribute>> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { dataType, stringValue, binaryValue }]) => [
      name,
      {
        ...(stringValue === undefined ? {} : { stringValue }),
        ...(binaryValue === undefined ? {} : { binaryValue: Buffer.from(binaryValue).toString('base64') }),
        stringListValues: [],
        binaryListValues: [],
        dataType,
      },
    ]),
  );
}
