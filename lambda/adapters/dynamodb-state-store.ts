import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { ItemKey } from '../contract';
import { DYNAMODB } from '../contract';
import type { Change, Clock, Condition, QueryRange, Randomness, StateStore } from '../ports';
import { sleep } from '../ports';
import { expressionsOf } from './dynamodb-expressions';

/** Rounds in which keys that a BatchGetItem left unprocessed are asked for again. */
const BATCH_ROUNDS = 8;
const BATCH_BACKOFF_MS = 50;

/** What {@link DynamoDbStateStore} works with. */
export interface DynamoDbStateStoreOptions {
  /** Must remove undefined values when marshalling. */
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** The state table on DynamoDB. Does I/O only: conditions come from the policies. */
export class DynamoDbStateStore implements StateStore {
  constructor(private readonly options: DynamoDbStateStoreOptions) {}

  async get<T extends ItemKey>(key: ItemKey): Promise<T | undefined> {
    const { client, tableName } = this.options;
    const { Item } = await client.send(new GetCommand({ TableName: tableName, Key: only(key), ConsistentRead: true }));
    return Item as T | undefined;
  }

  async getMany<T extends ItemKey>(keys: readonly ItemKey[]): Promise<T[]> {
    const items: T[] = [];
    for (let start = 0; start < keys.length; start += DYNAMODB.batchGetKeys) {
      items.push(...(await this.getBatch<T>(keys.slice(start, start + DYNAMODB.batchGetKeys).map(only))));
    }
    return items;
  }

  async query<T extends ItemKey>(pk: string, range: QueryRange = {}): Promise<T[]> {
    const { client, tableName } = this.options;
    const items: T[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const answer = await client.send(
        new QueryCommand({
          TableName: tableName,
          ConsistentRead: true,
          ...keyConditionOf(pk, range),
          ...(range.limit !== undefined && { Limit: range.limit - items.length }),
          ScanIndexForward: range.descending !== true,
          ExclusiveStartKey: start,
        }),
      );
      items.push(...((answer.Items ?? []) as unknown as T[]));
      start = answer.LastEvaluatedKey;
    } while (start !== undefined && items.length < (range.limit ?? Infinity));
    return items;
  }

  put(item: ItemKey, condition?: Condition): Promise<boolean> {
    const { client, tableName } = this.options;
    return whetherHeld(() =>
      client.send(new PutCommand({ TableName: tableName, Item: { ...item }, ...expressionsOf(condition) })),
    );
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as in the port
  async update<T extends ItemKey>(
    key: ItemKey,
    change: Change,
    condition?: Condition,
  ): Promise<{ readonly applied: true; readonly item: T } | { readonly applied: false }> {
    const { client, tableName } = this.options;
    let item: unknown;
    const applied = await whetherHeld(async () => {
      const answer = await client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: only(key),
          ReturnValues: 'ALL_NEW',
          ...expressionsOf(condition, change),
        }),
      );
      item = answer.Attributes;
    });
    return applied ? { applied: true, item: item as T } : { applied: false };
  }

  delete(key: ItemKey, condition?: Condition): Promise<boolean> {
    const { client, tableName } = this.options;
    return whetherHeld(() =>
      client.send(new DeleteCommand({ TableName: tableName, Key: only(key), ...expressionsOf(condition) })),
    );
  }

  private async getBatch<T extends ItemKey>(keys: ItemKey[]): Promise<T[]> {
    const { client, tableName, clock, randomness } = this.options;
    const items: T[] = [];
    let wanted: Record<string, unknown>[] = keys.map((key) => ({ ...key }));
    for (let round = 0; wanted.length > 0; round++) {
      if (round === BATCH_ROUNDS) {
        throw new Error(`DynamoDB left ${wanted.length} keys of ${tableName} unprocessed ${BATCH_ROUNDS} times`);
      }
      if (round > 0) {
        await sleep(clock, BATCH_BACKOFF_MS * 2 ** round * randomness.fraction());
      }
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [tableName]: { Keys: wanted, ConsistentRead: true } } }),
      );
      items.push(...((Responses?.[tableName] ?? []) as unknown as T[]));
      wanted = UnprocessedKeys?.[tableName]?.Keys ?? [];
    }
    return items;
  }
}

function only({ pk, sk }: ItemKey): { pk: string; sk: string } {
  return { pk, sk };
}

async function whetherHeld(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return false;
    }
    throw error;
  }
}

function keyConditionOf(
  pk: string,
  { prefix, from }: QueryRange,
): { KeyConditionExpression: string; ExpressionAttributeValues: Record<string, string> } {
  if (prefix !== undefined && from !== undefined) {
    throw new Error(`internal error: a query takes a prefix or a from, not both (${prefix}, ${from})`);
  }
  if (prefix !== undefined) {
    return {
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    };
  }
  return from === undefined
    ? { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } }
    : {
        KeyConditionExpression: 'pk = :pk AND sk >= :from',
        ExpressionAttributeValues: { ':pk': pk, ':from': from },
      };
}
