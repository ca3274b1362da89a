export { dynamoDbSource } from './dynamodb-source';
export type { DynamoDbQuery, DynamoDbScan } from './dynamodb-pages';
export type { DynamoDbSourceOptions } from './dynamodb-source';
export { keysetSource } from './keyset-source';
export type { KeysetSourceOptions } from './keyset-source';
export type { SourceFunction, SourceKind } from './source-function';
