import type { DynamoDBClient, QueryCommandInput, QueryCommandOutput, ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { clientSettings, explainUnreachable } from '../adapters/service-client';
import { unlessAborted } from './abort';
import type { AttributeMap } from './dynamodb-values';

type Shared = 'IndexName' | 'FilterExpression' | 'ProjectionExpression' | 'ExpressionAttributeNames' | 'ConsistentRead';

/** Values by placeholder, as plain JavaScript: string, number, bigint, boolean, null, `Uint8Array`, `Set`, array, object. */
interface ExpressionValues {
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

/** Parameters of a Query, with the names of the DynamoDB API. @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html */
export type DynamoDbQuery = Pick<QueryCommandInput, Shared | 'ScanIndexForward'> &
  ExpressionValues & {
    /** Which items of the table or index: an equality on its partition key, and a condition on its sort key. */
    readonly KeyConditionExpression: string;
  };

/** Parameters of a Scan, with the names of the DynamoDB API. @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html */
export type DynamoDbScan = Pick<ScanCommandInput, Shared> & ExpressionValues;

/** A Query or a Scan, but for where it starts. */
export interface PageRequest {
  readonly isQuery: boolean;
  readonly input: Omit<QueryCommandInput, 'ExpressionAttributeValues'> &
    Pick<ScanCommandInput, 'Segment' | 'TotalSegments'> &
    ExpressionValues;
}

/** What one request answers. */
export interface Page {
  readonly items: readonly AttributeMap[];
  /** Where the next page starts; `undefined` after the last. */
  readonly lastKey: AttributeMap | undefined;
}

/** Reads one page. */
export type PageReader = (
  request: PageRequest,
  startKey: AttributeMap | undefined,
  signal: AbortSignal,
) => Promise<Page>;

/** The SDK is loaded here, so that a job module that reads elsewhere does without. */
export async function pageReader(given: Pick<DynamoDBClient, 'send'> | undefined): Promise<PageReader> {
  const [{ DynamoDBClient, QueryCommand, ScanCommand }, { marshall }] = await Promise.all([
    import('@aws-sdk/client-dynamodb'),
    import('@aws-sdk/util-dynamodb'),
  ]);
  const client = given ?? explainUnreachable(new DynamoDBClient(clientSettings()));
  return async ({ isQuery, input }, startKey, signal) => {
    const { ExpressionAttributeValues: values, ...rest } = input;
    const command = {
      ...rest,
      ...(values !== undefined && { ExpressionAttributeValues: marshall(values) }),
      ...(startKey !== undefined && { ExclusiveStartKey: startKey }),
    };
    const { Items, LastEvaluatedKey } = await unlessAborted<QueryCommandOutput>(signal, () =>
      isQuery
        ? client.send(new QueryCommand(command), { abortSignal: signal })
        : client.send(new ScanCommand(command), { abortSignal: signal }),
    );
    const more = LastEvaluatedKey !== undefined && Object.keys(LastEvaluatedKey).length > 0;
    return { items: Items ?? [], lastKey: more ? LastEvaluatedKey : undefined };
  };
}
