import { SQS } from '../../contract';
import { invalidParameter } from './errors';

/** When a message goes to which dead-letter queue. */
export interface RedrivePolicy {
  readonly targetArn: string;
  /** Receives after which the next one moves the message instead; 1 to 1000. */
  readonly maxReceiveCount: number;
}

/** Who may use a queue as its dead-letter queue. */
export interface AllowPolicy {
  readonly permission: 'allowAll' | 'denyAll' | 'byQueue';
  readonly sourceArns?: readonly string[];
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html */
const DEFAULT_RECEIVES = 10;
const MAX_SOURCES = 10;

/** @throws SqsError `InvalidParameterValue` when the text is not a redrive policy */
export function parseRedrivePolicy(text: string | undefined): RedrivePolicy | undefined {
  if (text === undefined) {
    return undefined;
  }
  const { deadLetterTargetArn, maxReceiveCount = DEFAULT_RECEIVES } = objectOf('RedrivePolicy', text);
  if (typeof deadLetterTargetArn !== 'string' || deadLetterTargetArn === '') {
    throw invalidParameter(
      'RedrivePolicy',
      text,
      'Redrive policy does not contain mandatory attribute: deadLetterTargetArn.',
    );
  }
  const receives = Number(maxReceiveCount);
  if (!Number.isInteger(receives) || receives < SQS.receiveCount.min || receives > SQS.receiveCount.max) {
    const reason = `Invalid value for maxReceiveCount: ${String(maxReceiveCount)}, valid values are from ${SQS.receiveCount.min} to ${SQS.receiveCount.max} both inclusive.`;
    throw invalidParameter('RedrivePolicy', text, reason);
  }
  return { targetArn: deadLetterTargetArn, maxReceiveCount: receives };
}

/** The text that the service reports for a redrive policy. */
export function redrivePolicyText({ targetArn, maxReceiveCount }: RedrivePolicy): string {
  return JSON.stringify({ deadLetterTargetArn: targetArn, maxReceiveCount });
}

/** @throws SqsError `InvalidParameterValue` when the text is not a redrive allow policy */
export function parseAllowPolicy(text: string | undefined): AllowPolicy {
  if (text === undefined) {
    return { permission: 'allowAll' };
  }
  const { redrivePermission: permission, sourceQueueArns: arns } = objectOf('RedriveAllowPolicy', text);
  if (permission === 'byQueue') {
    if (!Array.isArray(arns) || arns.length < 1 || arns.length > MAX_SOURCES) {
      throw invalidParameter('RedriveAllowPolicy', text, `byQueue needs 1 to ${MAX_SOURCES} sourceQueueArns.`);
    }
    return { permission, sourceArns: arns.map(String) };
  }
  if ((permission !== 'allowAll' && permission !== 'denyAll') || arns !== undefined) {
    throw invalidParameter(
      'RedriveAllowPolicy',
      text,
      'redrivePermission is allowAll, denyAll or byQueue, and sourceQueueArns belongs to byQueue.',
    );
  }
  return { permission };
}

function objectOf(parameter: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Falls through: text that is not JSON and JSON that is not an object are the same mistake.
  }
  throw invalidParameter(parameter, text, `${parameter} is not a JSON object.`);
}
