import { SQS } from '../../contract';
import { invalidParameter, missingParameter, SqsError } from './errors';
import type { MessageAttribute, MessageContent } from './message';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
/** Letters, digits and punctuation; no space, nothing beyond ASCII. */
const IDENTIFIER = /^[\x21-\x7e]{1,128}$/;
const ATTRIBUTE_NAME = /^(?!\.)(?!.*\.\.)(?!.*\.$)[A-Za-z0-9_.-]{1,256}$/;
const ATTRIBUTE_RESERVED = /^(aws|amazon)\./i;
const ATTRIBUTE_TYPE = /^(String|Number|Binary)(\.[^\s]+)?$/;
/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const MAX_ATTRIBUTES = 10;
const MAX_TYPE_LENGTH = 256;

/** Whether `value` is a legal deduplication id, group id or receive request attempt id. */
export function isIdentifier(value: string): boolean {
  return IDENTIFIER.test(value);
}

/** Bytes that count towards the size limits: body, and names, types and values of attributes. System attributes are free. */
export function sizeOf({ body, attributes }: Pick<MessageContent, 'body' | 'attributes'>): number {
  let bytes = Buffer.byteLength(body);
  for (const [name, { dataType, stringValue, binaryValue }] of Object.entries(attributes)) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(dataType);
    bytes += stringValue === undefined ? (binaryValue?.byteLength ?? 0) : Buffer.byteLength(stringValue);
  }
  return bytes;
}

/**
 * Checks what can be said of a message without its queue: characters, attributes, identifiers.
 *
 * @throws SqsError in the service's wording
 */
export function checkContent(content: MessageContent): void {
  if (content.body === '') {
    throw missingParameter('MessageBody');
  }
  checkCharacters(content.body, 'the body');
  const names = Object.keys(content.attributes);
  if (names.length > MAX_ATTRIBUTES) {
    throw new SqsError(
      'InvalidParameterValue',
      `Number of message attributes [${names.length}] exceeds the allowed maximum [${MAX_ATTRIBUTES}].`,
    );
  }
  for (const name of names) {
    checkAttribute(name, content.attributes[name]);
  }
  checkIdentifier('MessageGroupId', content.groupId);
  checkIdentifier('MessageDeduplicationId', content.deduplicationId);
}

/** @throws SqsError `InvalidParameterValue` when an identifier that is given is too long, empty, or has other characters */
export function checkIdentifier(parameter: string, value: string | undefined): void {
  if (value !== undefined && !isIdentifier(value)) {
    const reason = `${parameter} can only include alphanumeric and punctuation characters. 1 to ${SQS.identifierLength} in length.`;
    throw invalidParameter(parameter, value, reason);
  }
}

function checkCharacters(text: string, where: string): void {
  const at = text.search(FORBIDDEN);
  if (at >= 0) {
    const point = text.codePointAt(at)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
    throw new SqsError(
      'InvalidMessageContents',
      `Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF (U+${point} at ${at} of ${where})`,
    );
  }
}

function checkAttribute(name: string, attribute: MessageAttribute | undefined): void {
  if (!ATTRIBUTE_NAME.test(name) || ATTRIBUTE_RESERVED.test(name)) {
    throw invalidParameter('MessageAttributeName', name, 'The name is not a legal message attribute name.');
  }
  const type = attribute?.dataType ?? '';
  if (!ATTRIBUTE_TYPE.test(type) || type.length > MAX_TYPE_LENGTH) {
    throw new SqsError(
      'InvalidParameterValue',
      `The type of message (user) attribute '${name}' is invalid. You must use only the following supported type prefixes: Binary, Number, String.`,
    );
  }
  const value = type.startsWith('Binary') ? attribute?.binaryValue : attribute?.stringValue;
  if (value === undefined || value.length === 0) {
    throw new SqsError(
      'InvalidParameterValue',
      `The message attribute '${name}' must contain non-empty message attribute value for message attribute type '${type}'.`,
    );
  }
  if (typeof value === 'string') {
    checkCharacters(value, `attribute '${name}'`);
    if (type.startsWith('Number') && (value.trim() === '' || !Number.isFinite(Number(value)))) {
      throw new SqsError(
        'InvalidParameterValue',
        `Can't cast the value of message (user) attribute '${name}' to a number.`,
      );
    }
  }
}
