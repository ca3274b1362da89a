export { EventSourceMapping } from './event-source-mapping';
export { readBatchResponse, type BatchVerdict } from './batch-response';
export { recordOf, type QueueEvent, type QueueRecord, type RecordAttribute } from './record';
export type { EventSourceMappingOptions, Invocation, InvokeFunction, MappingEvent, ReturnCause } from './settings';
