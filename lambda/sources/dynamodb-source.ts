import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { JsonObject } from '../contract';
import { CronFanoutError } from '../contract';
import type { Cursor, SourceContext, SourceItem } from '../job/job';
import { isEnd, shapeOf } from './cursor';
import type { DynamoDbQuery, DynamoDbScan, PageReader, PageRequest } from './dynamodb-pages';
import { pageReader } from './dynamodb-pages';
import type { AttributeMap, NumberForm } from './dynamodb-values';
import { cursorToKey, itemToJson, keyToCursor } from './dynamodb-values';
import { PAGE_SIZE, checkedPageSize } from './page-size';
import type { SourceFunction } from './source-function';

/** How {@link dynamoDbSource} reads. */
export interface DynamoDbSourceOptions<R, D extends object> {
  /** Name of the table, or what answers it for a run. */
  readonly tableName: string | ((context: D & SourceContext) => string);
  /**
   * What to query, or what answers it for a run. It must answer the same for the same run: a scan that is resumed asks again.
   *
   * @default - the table is scanned
   */
  readonly query?: DynamoDbQuery | ((context: D & SourceContext) => DynamoDbQuery);
  /**
   * What to scan, or what answers it for a run; not together with `query`.
   *
   * @default - the whole table, unless there is a `query`
   */
  readonly scan?: DynamoDbScan | ((context: D & SourceContext) => DynamoDbScan);
  /**
   * Makes the record of an item; `undefined` leaves the item out.
   *
   * @default - the item itself, as JSON
   */
  readonly map?: (item: JsonObject) => R | undefined;
  /**
   * `number`: numbers of items are numbers, but text where a JavaScript number would change them (more than 15 to 17 digits). `string`: all of
   * them are text, with every digit.
   *
   * @default 'number'
   */
  readonly numbers?: NumberForm;
  /**
   * Items that one request reads before the filter, 1 to 1,000; a request also ends at 1 MB.
   *
   * @default - 250, with a FilterExpression 1,000
   */
  readonly pageSize?: number;
  /**
   * A `DynamoDBClient`, or a document client.
   *
   * @default - one with the settings of the environment, made when the source is first read
   */
  readonly client?: Pick<DynamoDBClient, 'send'>;
}

/**
 * A source for DynamoDB: all pages of a Query or a Scan, resumed at the page. With `segments` of the job, a Scan is a parallel scan.
 *
 * Items come as JSON: sets as arrays, binary values as base64 text, numbers as `numbers` says.
 *
 * @example
 * source: dynamoDbSource<Booking>({
 *   tableName: process.env.BOOKINGS_TABLE ?? '',
 *   query: ({ tick }) => ({
 *     IndexName: 'byDueTime',
 *     KeyConditionExpression: '#state = :open AND dueAt <= :tick',
 *     ExpressionAttributeNames: { '#state': 'state' },
 *     ExpressionAttributeValues: { ':open': 'open', ':tick': tick.scheduledTime },
 *   }),
 * }),
 *
 * @throws CronFanoutError `InvalidPageSize` or `QueryAndScan`; while reading `MissingTableName`, `QueryInSegments` or `InvalidCursor`, and what DynamoDB throws
 */
export function dynamoDbSource<R = JsonObject, D extends object = object>(
  options: DynamoDbSourceOptions<R, D>,
): SourceFunction<R, D> {
  checkOptions(options.query, options.scan, options.pageSize);
  let readPage: PageReader | undefined;
  async function* dynamoDb(context: D & SourceContext): AsyncGenerator<SourceItem<R>, void> {
    readPage ??= await pageReader(options.client);
    const request = requestOf(options, context);
    let cursor = context.cursor;
    while (!isEnd(cursor)) {
      const page = await readPage(request, startKeyOf(cursor), context.signal);
      cursor = page.lastKey === undefined ? null : keyToCursor(page.lastKey);
      // A page whose items the filter took all has no records, and still leads on.
      yield { records: recordsOf(page.items, options), cursor };
    }
  }
  return Object.assign(dynamoDb, { kind: 'dynamodb' } as const);
}

function requestOf<R, D extends object>(options: DynamoDbSourceOptions<R, D>, context: D & SourceContext): PageRequest {
  const { query, scan = {}, tableName } = options;
  const name = (typeof tableName === 'function' ? tableName(context) : tableName) as string | undefined;
  if (name === undefined || name === '') {
    throw new CronFanoutError('MissingTableName', {
      what: 'tableName of a DynamoDB source',
      received: name === undefined ? 'undefined' : 'an empty text',
      allowed: 'the name or the ARN of a table',
      change: 'set it; if it comes from an environment variable, set that on the scanner function',
    });
  }
  const given = query ?? scan;
  const parameters = typeof given === 'function' ? given(context) : given;
  const filtered = parameters.FilterExpression !== undefined;
  const limit = checkedPageSize(options.pageSize ?? (filtered ? PAGE_SIZE.max : undefined));
  const input = { ...parameters, TableName: name, Limit: limit };
  const { index, count } = context.segment;
  if (count === 1) {
    return { isQuery: query !== undefined, input };
  }
  if (query !== undefined && typeof query !== 'function') {
    throw new CronFanoutError('QueryInSegments', {
      what: 'query of a DynamoDB source',
      received: `one query for ${count} segments, each of which would read all of it`,
      allowed: 'a scan, or a function that makes a query of context.segment',
      change: 'leave segments out, or give query as a function',
    });
  }
  return query === undefined
    ? { isQuery: false, input: { ...input, Segment: index, TotalSegments: count } }
    : { isQuery: true, input };
}

function recordsOf<R, D extends object>(items: readonly AttributeMap[], options: DynamoDbSourceOptions<R, D>): R[] {
  const { map, numbers = 'number' } = options;
  const json = items.map((item) => itemToJson(item, numbers));
  // Without `map` the caller has named the type of the items.
  return map === undefined
    ? (json as unknown as R[])
    : json.map((item) => map(item)).filter((record) => record !== undefined);
}

function startKeyOf(cursor: Cursor | undefined): AttributeMap | undefined {
  const key = cursor === undefined ? undefined : cursorToKey(cursor);
  if (cursor !== undefined && key === undefined) {
    throw new CronFanoutError('InvalidCursor', {
      what: 'cursor of a DynamoDB source',
      received: shapeOf(cursor),
      allowed: 'a cursor that this source has yielded',
      change:
        'the source of the job was changed during the run: cancel the run, or deploy the source that it began with',
    });
  }
  return key;
}

function checkOptions(query: unknown, scan: unknown, pageSize: number | undefined): void {
  checkedPageSize(pageSize);
  if (query !== undefined && scan !== undefined) {
    throw new CronFanoutError('QueryAndScan', {
      what: 'options of a DynamoDB source',
      received: 'query and scan',
      allowed: 'one of the two',
      change: 'remove scan',
    });
  }
}
