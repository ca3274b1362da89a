import { CfnResource, Stack, Token } from 'aws-cdk-lib';
import { CfnGlobalTable, CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { CronFanoutError, TABLE } from '../lambda/contract';
import { FIXED } from './bounds';

/** What the app says about a queue that the user brought; a field is absent where that can't be known at synth time (an imported queue, a token). */
export interface QueueFacts {
  /** In seconds. */
  readonly visibilityTimeout?: number;
  /** In seconds. */
  readonly retention?: number;
  /** Receives before SQS moves a message to the dead-letter queue; 0 where there is none. */
  readonly maxReceiveCount?: number;
}

/** What SQS does when an attribute is not set. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html */
const SQS_DEFAULTS = { visibilityTimeout: 30, retention: 345_600 } as const;

/** Reads the attributes of a queue of this app. */
export function queueFacts(queue: IQueue): QueueFacts {
  const resource = declared(queue, CfnQueue.CFN_RESOURCE_TYPE_NAME) as CfnQueue | undefined;
  if (resource === undefined) {
    return {};
  }
  const redrive = Stack.of(resource).resolve(resource.redrivePolicy) as
    { readonly maxReceiveCount?: unknown } | undefined;
  return {
    ...known('visibilityTimeout', resource.visibilityTimeout ?? SQS_DEFAULTS.visibilityTimeout),
    ...known('retention', resource.messageRetentionPeriod ?? SQS_DEFAULTS.retention),
    ...known('maxReceiveCount', redrive === undefined ? 0 : redrive.maxReceiveCount),
  };
}

function known(name: keyof QueueFacts, value: unknown): QueueFacts {
  return typeof value === 'number' && !Token.isUnresolved(value) ? { [name]: value } : {};
}

/** The resource of this app behind a construct; `undefined` for one that was imported. */
function declared(construct: IConstruct, ...types: string[]): CfnResource | undefined {
  const resource = construct.node.defaultChild;
  return resource !== undefined && CfnResource.isCfnResource(resource) && types.includes(resource.cfnResourceType)
    ? resource
    : undefined;
}

/** Refuses a visibility timeout below the timeout of the consumer: Lambda does, and a message would be handled twice at once. Both in seconds. */
export function visibilityError(path: string, visibilityTimeout: number, timeout: number): CronFanoutError | undefined {
  if (visibilityTimeout >= timeout) {
    return undefined;
  }
  const right = FIXED.visibilityFactor * timeout;
  return new CronFanoutError('VisibilityTooShort', {
    what: `visibilityTimeout of queue ${path}`,
    received: `${visibilityTimeout} seconds, with a consumer timeout of ${timeout} seconds`,
    allowed: `${right} seconds (six times the timeout), never less than the timeout`,
    change: `set visibilityTimeout: Duration.seconds(${right}) on the queue, or lower timeout`,
  });
}

/**
 * Refuses a standard queue where a FIFO queue is needed.
 *
 * @throws CronFanoutError `FifoQueueRequired`
 */
export function requireFifo(path: string, queue: IQueue): void {
  if (queue.fifo) {
    return;
  }
  const imported = declared(queue, CfnQueue.CFN_RESOURCE_TYPE_NAME) === undefined;
  throw new CronFanoutError('FifoQueueRequired', {
    what: path,
    received: imported
      ? `${queue.node.path}, an imported queue that does not say it is FIFO`
      : `${queue.node.path}, a standard queue`,
    allowed: 'a FIFO queue',
    change: imported
      ? 'import it with Queue.fromQueueAttributes(scope, id, { queueArn, fifo: true }), if it is one'
      : 'create it with `fifo: true`',
  });
}

/**
 * Refuses a FIFO queue where the service takes a standard queue alone.
 *
 * @throws CronFanoutError `StandardQueueRequired`
 */
export function requireStandard(path: string, queue: IQueue): void {
  if (queue.fifo) {
    throw new CronFanoutError('StandardQueueRequired', {
      what: path,
      received: `${queue.node.path}, a FIFO queue`,
      allowed: 'a standard queue: neither EventBridge Scheduler nor Lambda delivers failures to a FIFO queue',
      change: 'create one without `fifo`, or leave the option out',
    });
  }
}

interface DeclaredTable {
  readonly keySchema: readonly { readonly attributeName: string; readonly keyType: string }[];
  readonly attributeDefinitions: readonly { readonly attributeName: string; readonly attributeType: string }[];
  readonly timeToLiveSpecification?: { readonly attributeName?: string };
}

/**
 * Refuses a table of this app that has other keys, or another time to live, than the runtime works with.
 *
 * @throws CronFanoutError `UnfitStateTable`
 */
export function checkStateTable(table: ITable): void {
  const resource = declared(table, CfnGlobalTable.CFN_RESOURCE_TYPE_NAME, CfnTable.CFN_RESOURCE_TYPE_NAME) as
    CfnGlobalTable | CfnTable | undefined;
  if (resource === undefined) {
    return;
  }
  const { keySchema, attributeDefinitions, timeToLiveSpecification } = Stack.of(resource).resolve({
    keySchema: resource.keySchema,
    attributeDefinitions: resource.attributeDefinitions,
    timeToLiveSpecification: resource.timeToLiveSpecification,
  }) as DeclaredTable;
  const keys = keySchema.map(({ attributeName, keyType }) => {
    const type = attributeDefinitions.find((attribute) => attribute.attributeName === attributeName)?.attributeType;
    return `${attributeName} (${keyType}, ${type ?? '?'})`;
  });
  const received = `${keys.join(', ')}; time to live: ${timeToLiveSpecification?.attributeName ?? 'none'}`;
  const allowed = `${TABLE.partitionKey} (HASH, S), ${TABLE.sortKey} (RANGE, S); time to live: ${TABLE.timeToLive}`;
  if (received !== allowed) {
    throw new CronFanoutError('UnfitStateTable', {
      what: `stateTable ${table.node.path}`,
      received,
      allowed,
      change: `create it with partitionKey '${TABLE.partitionKey}', sortKey '${TABLE.sortKey}' and timeToLiveAttribute '${TABLE.timeToLive}'`,
    });
  }
}
