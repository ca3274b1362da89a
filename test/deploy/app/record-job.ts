import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { defineJob, dynamoDbSource, PermanentError, RetryLater } from '../../../lambda/job';
import { RECORDS, type DueRecord, type Effect } from './record';

interface Services {
  readonly table: string;
  readonly records: DynamoDBDocumentClient;
}

const RETRY_SECONDS = 2;

/** Handles the records of one task: writes down on each which version of the code it was, and in which run. */
export function recordJob(task: string, version: number) {
  return defineJob<DueRecord, Services>({
    jobType: `record.${task}`,
    setup: () => ({
      table: process.env[RECORDS.variable] ?? '',
      records: DynamoDBDocumentClient.from(new DynamoDBClient({})),
    }),
    source: dynamoDbSource<DueRecord, Services>({
      tableName: () => process.env[RECORDS.variable] ?? '',
      query: () => ({
        IndexName: RECORDS.index.name,
        KeyConditionExpression: 'task = :task',
        ExpressionAttributeValues: { ':task': task },
      }),
    }),
    key: ({ id }) => id,
    group: ({ group }) => group,
    handler: async ({ id, gate, futile = false }, { table, records, runId, idempotencyKey }) => {
      if (futile) {
        throw new PermanentError('this record can not be handled');
      }
      if (gate !== undefined) {
        const { Item } = await records.send(
          new GetCommand({ TableName: table, Key: { id: gate }, ConsistentRead: true }),
        );
        if (Item === undefined) {
          throw new RetryLater({ after: RETRY_SECONDS, message: `gate ${gate} is shut` });
        }
      }
      const effect: Effect = { version, runId, idempotencyKey };
      await records.send(
        new UpdateCommand({
          TableName: table,
          Key: { id },
          UpdateExpression: 'SET effects = list_append(if_not_exists(effects, :none), :effect) REMOVE task',
          ExpressionAttributeValues: { ':none': [], ':effect': [effect] },
        }),
      );
    },
  });
}
