/*
 * What the compiler must infer, and what it must refuse. Read by `npm run check:types`; nothing here runs.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { defineJob, dynamoDbSource, keysetSource } from '../../lambda/job';
import type { HandlerContext, Job, JsonObject } from '../../lambda/job';

/** Whether two types are assignable to each other, and the first is not `any`. */
type Same<A, B> = 0 extends 1 & A ? false : [A] extends [B] ? ([B] extends [A] ? true : false) : false;

interface Row {
  readonly id: string;
  readonly due_at: string;
  readonly organisation: string;
}

interface Database {
  query(text: string, values: readonly unknown[]): Promise<{ readonly rows: Row[] }>;
}

declare const database: Database;

// The row that `cursor` names flows to the query's `after`, to key, group and handler.
export const inferred = defineJob({
  jobType: 'inferred',
  source: keysetSource({
    cursor: (row: Row) => [row.due_at, row.id],
    query: async (after, limit) => {
      true satisfies Same<typeof after, string[] | undefined>;
      return (await database.query('', [after?.[0], after?.[1], limit])).rows;
    },
  }),
  key: (row) => row.id,
  group: (row) => row.organisation,
  handler: (row) => [row, true satisfies Same<typeof row, Row>],
});
true satisfies Same<typeof inferred, Job<Row, object>>;

// Explicit type arguments.
defineJob({
  jobType: 'explicit',
  source: keysetSource<Row, [dueAt: string, id: string]>({
    cursor: (row) => [row.due_at, row.id],
    query: async (after) => (await database.query('', after ?? [])).rows,
  }),
  key: (row) => row.id,
  handler: (row) => row.due_at.length,
});

// `record` decides the type of the record.
defineJob({
  jobType: 'record',
  source: keysetSource({
    cursor: (row: { readonly id: string; readonly at: Date }) => row.id,
    query: () => [],
    record: (row) => ({ id: row.id, at: row.at.toISOString() }),
  }),
  key: (record) => record.id,
  handler: (record) => [record, true satisfies Same<typeof record, { id: string; at: string }>],
});

// What setup returns reaches a source that is made inside of the function, and the handler.
defineJob({
  jobType: 'dependencies',
  setup: async ({ secret }) => ({ database, token: await secret('TOKEN') }),
  source: (context) =>
    keysetSource({
      cursor: (row: Row) => row.id,
      query: async (after, limit) => (await context.database.query('', [after, limit])).rows,
    })(context),
  key: (row) => row.id,
  handler: (row, { database: db, token, attempt }) => [
    [row, true satisfies Same<typeof row, Row>],
    [db, true satisfies Same<typeof db, Database>],
    [token, true satisfies Same<typeof token, string>],
    [attempt, true satisfies Same<typeof attempt, HandlerContext['attempt']>],
  ],
});

// Likewise where the query names what it takes of it.
defineJob({
  jobType: 'named-dependencies',
  setup: async ({ secret }) => ({ database, token: await secret('TOKEN') }),
  source: keysetSource({
    cursor: (row: Row) => row.id,
    query: async (after, limit, { database: db }: { database: Database }) => (await db.query('', [after, limit])).rows,
  }),
  key: (row) => row.id,
  handler: (row, { token }) => [row.organisation, token.length],
});

// DynamoDB: by type argument, by map, or as JSON.
defineJob({
  jobType: 'dynamodb-typed',
  source: dynamoDbSource<Row>({
    tableName: 'Bookings',
    query: ({ tick, params }) => ({
      KeyConditionExpression: 'pk = :pk AND dueAt <= :tick',
      ExpressionAttributeValues: { ':pk': params.organisation, ':tick': tick.scheduledTime },
    }),
  }),
  key: (row) => row.id,
  handler: (row) => row.organisation,
});
defineJob({
  jobType: 'dynamodb-mapped',
  source: dynamoDbSource({ tableName: 'Bookings', map: (item) => ({ id: item.pk as string, attempts: 0 }) }),
  key: (record) => record.id,
  handler: (record) => [record, true satisfies Same<typeof record, { id: string; attempts: number }>],
});
defineJob({
  jobType: 'dynamodb-plain',
  source: dynamoDbSource({ tableName: 'Bookings' }),
  key: (item) => item.pk as string,
  handler: (item) => [item, true satisfies Same<typeof item, JsonObject>],
});
dynamoDbSource({ tableName: 'Bookings', client: new DynamoDBClient({}) });
dynamoDbSource({ tableName: 'Bookings', client: DynamoDBDocumentClient.from(new DynamoDBClient({})) });

// @ts-expect-error -- a Query needs its key condition
dynamoDbSource({ tableName: 'Bookings', query: { IndexName: 'byDueTime' } });
// @ts-expect-error -- where to start is the source's to say
dynamoDbSource({ tableName: 'Bookings', scan: { ExclusiveStartKey: {} } });
// @ts-expect-error -- a cursor goes through JSON: a Date would come back as text
keysetSource({ cursor: (row: { readonly at: Date }) => row.at, query: () => [] });
// @ts-expect-error -- JSON has no bigint
keysetSource({ cursor: (row: { readonly id: bigint }) => row.id, query: () => [] });
