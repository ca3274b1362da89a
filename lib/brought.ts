import { CfnResource, Stack, Token } from 'aws-cdk-lib';
import { CfnGlobalTable, CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { CronFanoutError, TABLE } from '../lambda/contract';

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

/** The dead-letter queue that a queue of this app has. */
export function ownDeadLetterQueue(queue: IQueue | undefined): IQueue | undefined {
  return queue instanceof Queue ? queue.deadLetterQueue?.queue : undefined;
}

/** Whether a queue was not made in this app, so that nothing but its ARN is known. */
export function isImportedQueue(queue: IQueue): boolean {
  return declared(queue, CfnQueue.CFN_RESOURCE_TYPE_NAME) === undefined;
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
