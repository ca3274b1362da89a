import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Code, Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { CronFanoutProps } from '../props';
import type { Settings } from '../settings';
import { acknowledge, OF_CONSUMER, OF_MAPPING } from './findings';
import { createFunction } from './functions';
import { consume, sendTo, useOwnItems } from './permissions';
import type { WorkQueues } from './queues';

/** What the consumer works with. */
export interface ConsumerPart extends WorkQueues {
  readonly fanoutId: string;
  readonly code: Code;
  readonly handler: string;
  /** `FanoutConfiguration` as JSON. */
  readonly configuration: string;
  readonly stateTable: ITable;
}

/** The consumer, and what feeds it. */
export interface Consumer {
  readonly function: Function;
  readonly mapping: EventSourceMapping;
}

/** Makes the consumer and its event source mapping. */
export function createConsumer(
  scope: Construct,
  props: CronFanoutProps,
  settings: Settings,
  part: ConsumerPart,
): Consumer {
  const consumer = createFunction(scope, props, {
    id: 'Consumer',
    description: `Handles the records that are due (${part.fanoutId})`,
    code: part.code,
    handler: part.handler,
    timeout: settings.timeout,
    memorySize: settings.memorySize,
    role: props.consumerRole,
    permissions: [consume(part.queue), sendTo(part.deadLetterQueue), useOwnItems(part.stateTable, part.fanoutId)],
    own: {
      fanoutId: part.fanoutId,
      stateTable: part.stateTable.tableName,
      queueUrl: part.queue.queueUrl,
      deadLetterQueueUrl: part.deadLetterQueue.queueUrl,
      configuration: part.configuration,
    },
    ...(props.reservedConcurrentExecutions === undefined
      ? {}
      : { more: { reservedConcurrentExecutions: props.reservedConcurrentExecutions } }),
  });
  const { batchSize, mappingConcurrency } = settings.concurrency;
  // No batching window: the service refuses one on a FIFO queue.
  const mapping = new EventSourceMapping(scope, 'Mapping', {
    target: consumer,
    eventSourceArn: part.queue.queueArn,
    batchSize,
    reportBatchItemFailures: true,
    ...(mappingConcurrency === undefined ? {} : { maxConcurrency: mappingConcurrency }),
  });
  acknowledge(consumer.node.defaultChild, OF_CONSUMER);
  acknowledge(mapping.node.defaultChild, OF_MAPPING);
  return { function: consumer, mapping };
}
