import { createHash } from 'node:crypto';
import { SqsError } from './errors';
import { inputOf, optionalInteger, optionalText, texts, type Input } from './input';
import type { MessageAttribute, MessageContent, MessageView } from './message';

/** The MD5 digest of a text in hexadecimal, as SDKs check it. */
export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/**
 * The MD5 digest of message attributes.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
export function md5OfAttributes(attributes: Readonly<Record<string, MessageAttribute>>): string | undefined {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) {
    return undefined;
  }
  const hash = createHash('md5');
  const add = (value: string | Uint8Array): void => {
    const bytes = Buffer.from(value as string);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const name of names) {
    const { dataType, stringValue, binaryValue } = attributes[name] ?? { dataType: '' };
    add(name);
    add(dataType);
    hash.update(Buffer.from([stringValue === undefined ? 2 : 1]));
    add(stringValue ?? binaryValue ?? '');
  }
  return hash.digest('hex');
}

/** Reads a message out of a `SendMessage` request or a batch entry, and its delay. */
export function contentOf(input: Input): {
  readonly content: MessageContent;
  readonly delaySeconds: number | undefined;
} {
  const system = inputOf(input.MessageSystemAttributes ?? {}, 'MessageSystemAttributes');
  const unknown = Object.keys(system).find((name) => name !== 'AWSTraceHeader');
  if (unknown !== undefined) {
    throw new SqsError(
      'InvalidParameterValue',
      `Message system attribute name '${unknown}' is invalid; known: AWSTraceHeader.`,
    );
  }
  const trace = system.AWSTraceHeader === undefined ? undefined : attributeOf(system.AWSTraceHeader);
  if (trace !== undefined && trace.dataType !== 'String') {
    throw new SqsError('InvalidParameterValue', 'The type of the system attribute AWSTraceHeader must be String.');
  }
  const attributes = inputOf(input.MessageAttributes ?? {}, 'MessageAttributes');
  return {
    content: {
      body: optionalText(input, 'MessageBody') ?? '',
      attributes: Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, attributeOf(value)])),
      traceHeader: trace?.stringValue,
      groupId: optionalText(input, 'MessageGroupId'),
      deduplicationId: optionalText(input, 'MessageDeduplicationId'),
    },
    delaySeconds: optionalInteger(input, 'DelaySeconds', 0, 900),
  };
}

function attributeOf(value: unknown): MessageAttribute {
  const input = inputOf(value, 'A message attribute');
  const stringValue = optionalText(input, 'StringValue');
  const binaryValue = optionalText(input, 'BinaryValue');
  return {
    dataType: optionalText(input, 'DataType') ?? '',
    ...(stringValue === undefined ? {} : { stringValue }),
    ...(binaryValue === undefined ? {} : { binaryValue: Buffer.from(binaryValue, 'base64') }),
  };
}

/** Value of `SenderId`: who is asked is not modelled. */
const SENDER = 'AIDAEXAMPLELOCALSENDR';

/** System attributes of a message that was received, by name. Times are epoch milliseconds. */
export function systemAttributes(message: MessageView): Readonly<Record<string, string>> {
  const values: Record<string, string | undefined> = {
    ApproximateReceiveCount: String(message.receiveCount),
    AWSTraceHeader: message.traceHeader,
    SentTimestamp: String(message.sentAt),
    SequenceNumber: message.deduplicationId === undefined ? undefined : sequenceNumber(message.serial),
    MessageGroupId: message.groupId,
    SenderId: SENDER,
    MessageDeduplicationId: message.deduplicationId,
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
    DeadLetterQueueSourceArn: message.deadLetterSourceArn,
  };
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** The large, non-consecutive number of a FIFO message: twenty digits, so that texts compare as the numbers do. */
export function sequenceNumber(serial: number): string {
  return `1886${String(serial * 256).padStart(16, '0')}`;
}

/** What a `ReceiveMessage` request wants to see of each message. */
export interface Wanted {
  readonly system: ReadonlySet<string>;
  readonly user: readonly string[];
}

/** Names of system attributes and message attributes that a request asks for. */
export function wantedOf(input: Input): Wanted {
  return {
    system: new Set([...texts(input, 'AttributeNames'), ...texts(input, 'MessageSystemAttributeNames')]),
    user: texts(input, 'MessageAttributeNames'),
  };
}

/** A message as `ReceiveMessage` answers it. */
export function wireMessage(message: MessageView, wanted: Wanted): object {
  const system = Object.entries(systemAttributes(message)).filter(
    ([name]) => wanted.system.has('All') || wanted.system.has(name),
  );
  const user = Object.fromEntries(Object.entries(message.attributes).filter(([name]) => wants(wanted.user, name)));
  const hasUser = Object.keys(user).length > 0;
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    ...(system.length > 0 ? { Attributes: Object.fromEntries(system) } : {}),
    ...(hasUser ? { MessageAttributes: wireAttributes(user), MD5OfMessageAttributes: md5OfAttributes(user) } : {}),
  };
}

function wants(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) =>
    pattern === 'All' || pattern === name
      ? true
      : pattern.endsWith('.*')
        ? name.startsWith(pattern.slice(0, -2))
        : false,
  );
}

function wireAttributes(attributes: Readonly<Record<string, MessageAttribute>>): object {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { dataType, stringValue, binaryValue }]) => [
      name,
      {
        DataType: dataType,
        ...(stringValue === undefined ? {} : { StringValue: stringValue }),
        ...(binaryValue === undefined ? {} : { BinaryValue: Buffer.from(binaryValue).toString('base64') }),
      },
    ]),
  );
}
