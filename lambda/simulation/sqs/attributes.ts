import { SQS } from '../../contract';
import { invalidParameter, SqsError } from './errors';
import {
  parseAllowPolicy,
  parseRedrivePolicy,
  redrivePolicyText,
  type AllowPolicy,
  type RedrivePolicy,
} from './redrive-policy';

/** Whole-number attributes of a queue: bounds and default. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html */
const NUMBERS = {
  DelaySeconds: { min: 0, max: 900, initial: 0 },
  KmsDataKeyReusePeriodSeconds: { min: 60, max: 86_400, initial: 300 },
  MaximumMessageSize: { min: 1024, max: SQS.messageBytes, initial: SQS.messageBytes },
  MessageRetentionPeriod: { ...SQS.retentionSeconds, initial: 345_600 },
  ReceiveMessageWaitTimeSeconds: { min: 0, max: 20, initial: 0 },
  VisibilityTimeout: { min: 0, max: SQS.visibilitySeconds, initial: 30 },
} as const;

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  ContentBasedDeduplication: ['true', 'false'],
  DeduplicationScope: ['queue', 'messageGroup'],
  FifoThroughputLimit: ['perQueue', 'perMessageGroupId'],
  FifoQueue: ['true'],
  SqsManagedSseEnabled: ['true', 'false'],
};
const FIFO_ONLY = new Set(['ContentBasedDeduplication', 'DeduplicationScope', 'FifoThroughputLimit', 'FifoQueue']);
/** Attributes that an empty value removes. */
const REMOVABLE = new Set(['RedrivePolicy', 'RedriveAllowPolicy', 'Policy', 'KmsMasterKeyId']);

/** Attributes that the service computes; they can be read only. */
export const COMPUTED_ATTRIBUTES = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
  'CreatedTimestamp',
  'LastModifiedTimestamp',
  'QueueArn',
] as const;

/** Names of the attributes that can be set. */
export const SETTABLE_ATTRIBUTES: readonly string[] = [
  ...Object.keys(NUMBERS),
  ...Object.keys(CHOICES),
  ...REMOVABLE,
].sort();

/** The attributes of one queue: the texts that were set, and what they mean. */
export class QueueAttributes {
  private texts: ReadonlyMap<string, string>;
  redrive: RedrivePolicy | undefined;
  allow: AllowPolicy = { permission: 'allowAll' };

  constructor(readonly fifo: boolean) {
    const initial = Object.entries(NUMBERS)
      .filter(([name]) => name !== 'KmsDataKeyReusePeriodSeconds')
      .map(([name, { initial }]): [string, string] => [name, String(initial)]);
    this.texts = new Map([...initial, ['SqsManagedSseEnabled', 'true'], ...(fifo ? FIFO_DEFAULTS : [])]);
  }

  /** Seconds before a message that was sent can be received; 0 to 900. */
  get delaySeconds(): number {
    return Number(this.texts.get('DelaySeconds'));
  }

  /** Bytes of the largest message. */
  get messageBytes(): number {
    return Number(this.texts.get('MaximumMessageSize'));
  }

  /** Seconds after which a message is lost. */
  get retentionSeconds(): number {
    return Number(this.texts.get('MessageRetentionPeriod'));
  }

  /** Seconds that a receive waits unless it says otherwise; 0 to 20. */
  get waitSeconds(): number {
    return Number(this.texts.get('ReceiveMessageWaitTimeSeconds'));
  }

  /** Seconds for which a received message is hidden unless the receive says otherwise. */
  get visibilitySeconds(): number {
    return Number(this.texts.get('VisibilityTimeout'));
  }

  /** A body without deduplication id is its own: the SHA-256 of it. */
  get contentBasedDeduplication(): boolean {
    return this.texts.get('ContentBasedDeduplication') === 'true';
  }

  /** Whether deduplication ids are compared within a group only. */
  get deduplicationPerGroup(): boolean {
    return this.texts.get('DeduplicationScope') === 'messageGroup';
  }

  /** Texts of all attributes that are set or have a default, by name. */
  entries(): ReadonlyMap<string, string> {
    return this.texts;
  }

  /**
   * Checks and sets attributes; all or none.
   *
   * @throws SqsError when a name is unknown, a value is out of bounds, or two attributes contradict each other
   */
  set(changes: Readonly<Record<string, string>>): void {
    const texts = new Map(this.texts);
    for (const [name, text] of Object.entries(changes)) {
      this.check(name, text);
      if (REMOVABLE.has(name) && text === '') {
        texts.delete(name);
      } else {
        texts.set(name, text);
      }
    }
    if (
      texts.get('FifoThroughputLimit') === 'perMessageGroupId' &&
      texts.get('DeduplicationScope') !== 'messageGroup'
    ) {
      throw new SqsError(
        'InvalidParameterValue',
        'The perMessageGroupId value is allowed only when the value for DeduplicationScope is messageGroup.',
      );
    }
    const redrive = parseRedrivePolicy(texts.get('RedrivePolicy'));
    const allow = parseAllowPolicy(texts.get('RedriveAllowPolicy'));
    if (redrive !== undefined) {
      texts.set('RedrivePolicy', redrivePolicyText(redrive));
    }
    if (texts.has('KmsMasterKeyId')) {
      // One kind of encryption at a time: a key of the account replaces the service's own.
      texts.set('SqsManagedSseEnabled', 'false');
    }
    Object.assign(this, { texts, redrive, allow });
  }

  /** The first of these attributes that is not set to this very value; policies are compared by what they mean. */
  firstDifference(attributes: Readonly<Record<string, string>>): string | undefined {
    return Object.entries(attributes).find(([name, text]) => {
      const redrive = name === 'RedrivePolicy' ? parseRedrivePolicy(text === '' ? undefined : text) : undefined;
      return (this.texts.get(name) ?? '') !== (redrive === undefined ? text : redrivePolicyText(redrive));
    })?.[0];
  }

  private check(name: string, text: string): void {
    if (!SETTABLE_ATTRIBUTES.includes(name) || (FIFO_ONLY.has(name) && !this.fifo)) {
      throw new SqsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
    }
    const bounds = Object.hasOwn(NUMBERS, name) ? NUMBERS[name as keyof typeof NUMBERS] : undefined;
    if (bounds !== undefined && !(/^\d+$/.test(text) && Number(text) >= bounds.min && Number(text) <= bounds.max)) {
      throw new SqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
    }
    const choices = CHOICES[name];
    if (choices !== undefined && !choices.includes(text)) {
      throw new SqsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
    }
  }
}

const FIFO_DEFAULTS: readonly [string, string][] = [
  ['FifoQueue', 'true'],
  ['ContentBasedDeduplication', 'false'],
  ['DeduplicationScope', 'queue'],
  ['FifoThroughputLimit', 'perQueue'],
];

/** @throws SqsError `InvalidParameterValue` when a queue can't have this name */
export function checkQueueName(name: string, fifo: boolean): void {
  const stem = fifo && name.endsWith('.fifo') ? name.slice(0, -'.fifo'.length) : name;
  const isLegal = /^[A-Za-z0-9_-]+$/.test(stem) && name.length <= 80 && (!fifo || stem !== name);
  if (!isLegal) {
    const rule = fifo
      ? 'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.'
      : 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length';
    throw invalidParameter('QueueName', name, rule);
  }
}
