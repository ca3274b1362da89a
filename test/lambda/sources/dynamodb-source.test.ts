import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { BatchWriteItemCommand, CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { dynamoDbSource } from '../../../lambda/job';
import type { JsonObject, SourceContext, SourceItem } from '../../../lambda/job';
import type { Dynalite } from '../../setup/dynalite';
import { startDynalite } from '../../setup/dynalite';
import { itemsOf, recordsIn, recordsOf, sourceContext, stored } from './source-context';

const TABLE = 'Bookings';
const NUMBERED = 'Numbered';
const ORGANISATIONS = 3;
const PER_ORGANISATION = 20;

type Source = (context: SourceContext) => AsyncIterable<SourceItem<JsonObject>>;

let dynamo: Dynalite;

beforeAll(async () => {
  dynamo = await startDynalite();
  await createTables();
  const bookings = Array.from({ length: ORGANISATIONS * PER_ORGANISATION }, (_, place) => ({
    organisation: { S: `org-${place % ORGANISATIONS}` },
    booking: { S: `booking-${String(place).padStart(3, '0')}` },
    state: { S: place % 2 === 0 ? 'open' : 'done' },
    // Tied in tens.
    dueAt: { N: String(Math.floor(place / 10)) },
  }));
  await write(TABLE, bookings);
  await write(
    NUMBERED,
    Array.from({ length: 9 }, (_, place) => ({
      // Neighbours that a JavaScript number can't tell apart.
      id: { N: `1234567890123456789${place}` },
      part: { B: new Uint8Array([0, 255, place]) },
    })),
  );
});

afterAll(async () => {
  await dynamo.close();
});

async function createTables(): Promise<void> {
  await dynamo.client.send(
    new CreateTableCommand({
      TableName: TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'organisation', AttributeType: 'S' },
        { AttributeName: 'booking', AttributeType: 'S' },
        { AttributeName: 'state', AttributeType: 'S' },
        { AttributeName: 'dueAt', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'organisation', KeyType: 'HASH' },
        { AttributeName: 'booking', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'byDueTime',
          KeySchema: [
            { AttributeName: 'state', KeyType: 'HASH' },
            { AttributeName: 'dueAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    }),
  );
  await dynamo.client.send(
    new CreateTableCommand({
      TableName: NUMBERED,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'N' },
        { AttributeName: 'part', AttributeType: 'B' },
      ],
      KeySchema: [
        { AttributeName: 'id', KeyType: 'HASH' },
        { AttributeName: 'part', KeyType: 'RANGE' },
      ],
    }),
  );
}

async function write(table: string, items: readonly Record<string, AttributeValue>[]): Promise<void> {
  for (let start = 0; start < items.length; start += 25) {
    const puts = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await dynamo.client.send(new BatchWriteItemCommand({ RequestItems: { [table]: puts } }));
  }
}

const bookingsOf = (items: readonly JsonObject[]): unknown[] => items.map(({ booking }) => booking);

/** Reads to the end, then resumes after every cursor on the way. */
async function expectResumable(source: Source): Promise<JsonObject[]> {
  const items = await itemsOf(source(sourceContext()));
  const records = items.flatMap(recordsIn);
  let read = 0;
  for (const item of items) {
    read += recordsIn(item).length;
    const rest = await recordsOf(source(sourceContext({ cursor: stored(item.cursor) })));
    expect(rest).toEqual(records.slice(read));
  }
  expect(items.at(-1)?.cursor).toBeNull();
  return records;
}

const openByDueTime = {
  IndexName: 'byDueTime',
  KeyConditionExpression: '#state = :state',
  ExpressionAttributeNames: { '#state': 'state' },
  ExpressionAttributeValues: { ':state': 'open' },
};

describe('reading', () => {
  test('a table is scanned page by page and resumes after every page', async () => {
    const records = await expectResumable(dynamoDbSource({ client: dynamo.client, tableName: TABLE, pageSize: 7 }));
    expect(new Set(bookingsOf(records)).size).toBe(ORGANISATIONS * PER_ORGANISATION);
  });

  test('a partition is queried in order and resumes after every page', async () => {
    const source = dynamoDbSource({
      client: dynamo.client,
      tableName: TABLE,
      query: {
        KeyConditionExpression: 'organisation = :organisation',
        ExpressionAttributeValues: { ':organisation': 'org-1' },
        ConsistentRead: true,
      },
      pageSize: 6,
    });
    const records = await expectResumable(source);
    expect(records).toHaveLength(PER_ORGANISATION);
    expect(bookingsOf(records)).toEqual(bookingsOf(records).toSorted());
  });

  test('an index whose sort key is tied is read once each and resumes after every page', async () => {
    const source = dynamoDbSource({ client: dynamo.client, tableName: TABLE, query: openByDueTime, pageSize: 4 });
    const records = await expectResumable(source);
    expect(new Set(bookingsOf(records)).size).toBe((ORGANISATIONS * PER_ORGANISATION) / 2);
    const times = records.map(({ dueAt }) => Number(dueAt));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('an index is read backwards', async () => {
    const query = { ...openByDueTime, ScanIndexForward: false };
    const records = await recordsOf(
      dynamoDbSource({ client: dynamo.client, tableName: TABLE, query, pageSize: 4 })(sourceContext()),
    );
    const times = records.map(({ dueAt }) => Number(dueAt));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  test('keys that are numbers of 20 digits or bytes resume exactly', async () => {
    const source = dynamoDbSource({ client: dynamo.client, tableName: NUMBERED, pageSize: 2 });
    const records = await expectResumable(source);
    expect(new Set(records.map(({ id }) => id)).size).toBe(9);
    expect(records.find(({ id }) => id === '12345678901234567893')).toEqual({
      id: '12345678901234567893',
      part: Buffer.from([0, 255, 3]).toString('base64'),
    });
  });

  test('pages that the filter empties have a key to go on from, and the scan goes on', async () => {
    const source = dynamoDbSource({
      client: dynamo.client,
      tableName: TABLE,
      query: {
        KeyConditionExpression: 'organisation = :organisation',
        FilterExpression: 'dueAt > :late',
        ExpressionAttributeValues: { ':organisation': 'org-1', ':late': 4 },
      },
      pageSize: 3,
    });
    const items = await itemsOf(source(sourceContext()));
    expect(recordsIn(items[0]!)).toEqual([]);
    expect(items[0]?.cursor).toEqual({ organisation: { S: 'org-1' }, booking: { S: 'booking-007' } });
    expect(bookingsOf(await expectResumable(source))).toEqual(['booking-052', 'booking-055', 'booking-058']);
  });

  test('a projection without the keys resumes all the same', async () => {
    const scan = { ProjectionExpression: 'dueAt' };
    const records = await expectResumable(
      dynamoDbSource({ client: dynamo.client, tableName: TABLE, scan, pageSize: 13 }),
    );
    expect(records).toHaveLength(ORGANISATIONS * PER_ORGANISATION);
    expect(Object.keys(records[0] ?? {})).toEqual(['dueAt']);
  });

  test('table and parameters may depend on the run', async () => {
    const source = dynamoDbSource({
      client: dynamo.client,
      tableName: ({ table }: { table: string }) => table,
      query: ({ tick, params }) => ({
        KeyConditionExpression: 'organisation = :organisation AND booking < :until',
        ExpressionAttributeValues: { ':organisation': params.organisation, ':until': tick.scheduledTime },
      }),
    });
    const context = { ...sourceContext({ params: { organisation: 'org-2' }, tick: { scheduledTime: 'booking-009' } }) };
    expect(bookingsOf(await recordsOf(source({ ...context, table: TABLE })))).toEqual([
      'booking-002',
      'booking-005',
      'booking-008',
    ]);
  });

  test('map makes records and leaves items out', async () => {
    const source = dynamoDbSource({
      client: dynamo.client,
      tableName: TABLE,
      map: ({ state, booking }) => (state === 'open' ? { id: booking } : undefined),
    });
    const records = await recordsOf(source(sourceContext()));
    expect(records).toHaveLength(30);
    expect(records[0]).toEqual({ id: expect.stringMatching(/^booking-/) as string });
  });

  test('a document client serves as well', async () => {
    const source = dynamoDbSource({ client: dynamo.documents, tableName: TABLE, query: openByDueTime });
    expect(await recordsOf(source(sourceContext()))).toHaveLength(30);
  });

  test('without a client it makes one from the environment', async () => {
    const before = { ...process.env };
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    });
    try {
      const source = dynamoDbSource({ tableName: TABLE });
      expect(await recordsOf(source(sourceContext()))).toHaveLength(60);
    } finally {
      process.env = before;
    }
  });
});

describe('mistakes', () => {
  test.each([
    ['an empty text', ''],
    ['undefined', undefined as unknown as string],
  ])('a table name that is %s is refused when the source is read', async (received, tableName) => {
    const scan = itemsOf(dynamoDbSource({ client: dynamo.client, tableName })(sourceContext()));
    await expect(scan).rejects.toMatchObject({
      code: 'MissingTableName',
      message: expect.stringContaining(`received ${received}`) as string,
    });
  });

  test('what DynamoDB answers to a wrong request comes through', async () => {
    const source = dynamoDbSource({ client: dynamo.client, tableName: 'Missing' });
    await expect(itemsOf(source(sourceContext()))).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    const consistent = { ...openByDueTime, ConsistentRead: true };
    const onIndex = dynamoDbSource({ client: dynamo.client, tableName: TABLE, query: consistent });
    await expect(itemsOf(onIndex(sourceContext()))).rejects.toMatchObject({ name: 'ValidationException' });
  });
});

describe('signal', () => {
  test('an aborted scan asks for nothing', async () => {
    const source = dynamoDbSource({ client: dynamo.client, tableName: TABLE });
    const scan = itemsOf(source(sourceContext({ signal: AbortSignal.abort(new Error('late')) })));
    await expect(scan).rejects.toThrow('late');
  });

  test('an abort between pages ends the scan with the reason, never as if it were complete', async () => {
    const controller = new AbortController();
    const source = dynamoDbSource({ client: dynamo.client, tableName: TABLE, pageSize: 5 });
    let pages = 0;
    const scan = async (): Promise<void> => {
      for await (const item of source(sourceContext({ signal: controller.signal }))) {
        expect(recordsIn(item)).toHaveLength(5);
        if (++pages === 2) {
          controller.abort(new Error('out of time'));
        }
      }
    };
    await expect(scan()).rejects.toThrow('out of time');
    expect(pages).toBe(2);
  });
});
