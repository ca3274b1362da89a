import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoDbSource } from '../../../lambda/job';
import type { Cursor } from '../../../lambda/job';
import { itemsOf, recordsOf, sourceContext } from './source-context';

/** A client that answers pages from a list and keeps what it was asked. */
function scripted(...pages: { Items?: Record<string, AttributeValue>[]; LastEvaluatedKey?: object }[]) {
  const inputs: Record<string, unknown>[] = [];
  const options: unknown[] = [];
  const send = (command: { input: Record<string, unknown> }, given: unknown): Promise<unknown> => {
    inputs.push(command.input);
    options.push(given);
    return Promise.resolve(pages.shift() ?? {});
  };
  return { client: { send } as unknown as DynamoDBClient, inputs, options };
}

test('a page asks for 250 items, for 1,000 where a filter takes some', async () => {
  const plain = scripted({});
  await itemsOf(dynamoDbSource({ client: plain.client, tableName: 'T' })(sourceContext()));
  expect(plain.inputs).toEqual([{ TableName: 'T', Limit: 250 }]);

  const filtered = scripted({});
  const scan = { FilterExpression: 'a = :a', ExpressionAttributeValues: { ':a': 10n ** 30n } };
  await itemsOf(dynamoDbSource({ client: filtered.client, tableName: 'T', scan })(sourceContext()));
  expect(filtered.inputs).toEqual([
    {
      TableName: 'T',
      Limit: 1000,
      FilterExpression: 'a = :a',
      ExpressionAttributeValues: { ':a': { N: '1000000000000000000000000000000' } },
    },
  ]);
});

test('B46: a LastEvaluatedKey that is empty ends the scan', async () => {
  const { client, inputs } = scripted({ Items: [{ a: { S: 'x' } }], LastEvaluatedKey: {} });
  const items = await itemsOf(dynamoDbSource({ client, tableName: 'T' })(sourceContext()));
  expect(items).toEqual([{ records: [{ a: 'x' }], cursor: null }]);
  expect(inputs).toHaveLength(1);
});

test.each([[null], [''], [{}]])('B46: nothing follows the cursor %j', async (cursor) => {
  const { client, inputs } = scripted();
  expect(await itemsOf(dynamoDbSource({ client, tableName: 'T' })(sourceContext({ cursor })))).toEqual([]);
  expect(inputs).toEqual([]);
});

test.each<[Cursor]>([['text'], [5], [['a']], [{ pk: 'a' }], [{ pk: { X: 'a' } }], [{ pk: { S: 5 } }], [{ pk: null }]])(
  'a cursor %j of another source is refused',
  async (cursor) => {
    const { client, inputs } = scripted();
    const scan = itemsOf(dynamoDbSource({ client, tableName: 'T' })(sourceContext({ cursor })));
    await expect(scan).rejects.toMatchObject({ code: 'InvalidCursor' });
    expect(inputs).toEqual([]);
  },
);

test('every value of DynamoDB becomes JSON', async () => {
  const item: Record<string, AttributeValue> = {
    text: { S: 'ä' },
    integer: { N: '42' },
    fraction: { N: '-0.10' },
    large: { N: '1000000000000000000000' },
    long: { N: '9007199254740993' },
    precise: { N: '0.12345678901234567890123456789' },
    huge: { N: '1E+125' },
    zero: { N: '0' },
    yes: { BOOL: true },
    nothing: { NULL: true },
    list: { L: [{ N: '1' }, { L: [] }] },
    map: { M: { a: { M: {} } } },
    texts: { SS: ['a', 'b'] },
    numbers: { NS: ['1', '9007199254740993'] },
    bytes: { B: new Uint8Array([1, 2, 3]) },
    manyBytes: { BS: [new Uint8Array([255])] },
  };
  const read = async (numbers: 'number' | 'string'): Promise<unknown> => {
    const { client } = scripted({ Items: [item] });
    return (await recordsOf(dynamoDbSource({ client, tableName: 'T', numbers })(sourceContext())))[0];
  };
  const asNumbers = {
    text: 'ä',
    integer: 42,
    fraction: -0.1,
    large: 1e21,
    long: '9007199254740993',
    precise: '0.12345678901234567890123456789',
    huge: 1e125,
    zero: 0,
    yes: true,
    nothing: null,
    list: [1, []],
    map: { a: {} },
    texts: ['a', 'b'],
    numbers: [1, '9007199254740993'],
    bytes: 'AQID',
    manyBytes: ['/w=='],
  };
  expect(await read('number')).toEqual(asNumbers);
  expect(await read('string')).toMatchObject({ integer: '42', list: ['1', []], numbers: ['1', '9007199254740993'] });
});

test.each([0, 1001, 1.5])('a pageSize of %d is refused', (pageSize) => {
  expect(() => dynamoDbSource({ tableName: 'T', pageSize })).toThrow(/InvalidPageSize/);
});

test('query and scan together are refused', () => {
  expect(() => dynamoDbSource({ tableName: 'T', scan: {}, query: { KeyConditionExpression: 'a = :a' } })).toThrow(
    /QueryAndScan/,
  );
});

test('an abort ends the request that is under way, and the scan with the reason', async () => {
  const controller = new AbortController();
  const requests: AbortSignal[] = [];
  const client = {
    send: (_command: unknown, { abortSignal }: { abortSignal: AbortSignal }) => {
      requests.push(abortSignal);
      queueMicrotask(() => {
        controller.abort(new Error('out of time'));
      });
      return new Promise(() => undefined);
    },
  } as unknown as DynamoDBClient;
  const scan = itemsOf(dynamoDbSource({ client, tableName: 'T' })(sourceContext({ signal: controller.signal })));
  await expect(scan).rejects.toThrow('out of time');
  expect(requests).toEqual([controller.signal]);
});
