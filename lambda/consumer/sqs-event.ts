/*
 * The part of the Lambda event of an SQS event source mapping that the consumer reads, and its answer.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */

/** One message of an event. */
export interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: SqsRecordAttributes;
}

/** Attributes of a message; all of them are texts, times are epoch milliseconds. */
export interface SqsRecordAttributes {
  readonly ApproximateReceiveCount: string;
  readonly ApproximateFirstReceiveTimestamp: string;
  readonly SentTimestamp?: string | undefined;
  /** Absent on a queue that is not FIFO. */
  readonly MessageGroupId?: string | undefined;
  /** Absent on a message that was sent without a trace. */
  readonly AWSTraceHeader?: string | undefined;
}

/** One batch. */
export interface SqsEvent {
  readonly Records: readonly SqsRecord[];
}

/** The answer with `ReportBatchItemFailures`: the messages that must come back. */
export interface SqsBatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}
