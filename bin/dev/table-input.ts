import type {
  AttributeDefinition,
  CreateTableCommandInput,
  KeySchemaElement,
  Projection,
} from '@aws-sdk/client-dynamodb';

interface Index {
  readonly IndexName: string;
  readonly KeySchema: KeySchemaElement[];
  readonly Projection: Projection;
}

/** What of a table's template the embedded database can hold. */
interface TableProperties {
  readonly KeySchema?: KeySchemaElement[];
  readonly AttributeDefinitions?: AttributeDefinition[];
  readonly GlobalSecondaryIndexes?: readonly Index[];
  readonly LocalSecondaryIndexes?: readonly Index[];
}

/**
 * `CreateTable` for an `AWS::DynamoDB::GlobalTable` (what `TableV2` makes) or `AWS::DynamoDB::Table`: keys and indexes, on demand. Replicas, time to live,
 * streams, backups and encryption are left out: the embedded database has none, and expires nothing.
 *
 * @param properties the properties, resolved
 */
export function tableInput(name: string, properties: Readonly<Record<string, unknown>>): CreateTableCommandInput {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes } =
    properties as TableProperties;
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema,
    AttributeDefinitions,
    ...indexes('GlobalSecondaryIndexes', GlobalSecondaryIndexes),
    ...indexes('LocalSecondaryIndexes', LocalSecondaryIndexes),
  };
}

function indexes(name: string, list: readonly Index[] | undefined): Record<string, Index[]> {
  return list === undefined || list.length === 0
    ? {}
    : {
        [name]: list.map(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection })),
      };
}
