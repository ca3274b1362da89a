/**
 * The public API of a job module.
 *
 * @module
 */
export { defineJob } from './define-job';
export { PermanentError, RetryLater } from './failures';
export type {
  Cursor,
  HandlerContext,
  Job,
  JobDefinition,
  JsonCompatible,
  SetupContext,
  SourceContext,
  SourceItem,
  Tick,
} from './job';
export type { JsonObject, JsonValue } from '../contract';
