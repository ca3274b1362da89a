/**
 * The public API of a job module.
 *
 * @module
 */
export { defineJob } from './define-job';
export { PermanentError, RetryLater } from './failures';
export type {
  BaseJobDefinition,
  Cursor,
  HandlerContext,
  Job,
  JobDefinition,
  JsonCompatible,
  ProjectedJobDefinition,
  SetupContext,
  Segment,
  SourceContext,
  SourceItem,
  Tick,
} from './job';
export { dynamoDbSource, keysetSource } from '../sources';
export type { DynamoDbQuery, DynamoDbScan, DynamoDbSourceOptions, KeysetSourceOptions } from '../sources';
export type { JsonObject, JsonValue, TraceContext } from '../contract';
