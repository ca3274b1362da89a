/** Numbers that AWS dictates. Each names the page it comes from; nothing here is ours to choose. */

const KIB = 1024;

/** Amazon SQS, FIFO queues. */
export const SQS = {
  /** Entries of one batch call. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
  batchEntries: 10,
  /** Bytes (UTF-8) of one message, and of all messages of one batch call together; 1 MiB since August 2025. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
  messageBytes: 1024 * KIB,
  /** Characters of a deduplication id and of a group id. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
  identifierLength: 128,
  /** Seconds that a deduplication id is remembered at least. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html */
  deduplicationSeconds: 300,
  /** Longest visibility timeout, counted from the receive, in seconds (12 h). @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html */
  visibilitySeconds: 43_200,
  /** Shortest and longest retention, in seconds (1 min to 14 days). @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html */
  retentionSeconds: { min: 60, max: 1_209_600 },
  /** Messages in flight of one FIFO queue; above it a receive answers nothing, without an error. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
  inFlight: 120_000,
  /** Allowed values of maxReceiveCount. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html */
  receiveCount: { min: 1, max: 1000 },
} as const;

/** AWS Lambda and its event source mapping for SQS FIFO queues. */
export const LAMBDA = {
  /** Longest timeout of a function, in seconds. @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
  timeoutSeconds: 900,
  /** Bytes of all environment variables of a function together (4 KB). @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
  environmentBytes: 4 * KIB,
  /** MaximumConcurrency of an SQS event source mapping. @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
  mappingConcurrency: { min: 2, max: 1000 },
  /** Batch size of a mapping on a FIFO queue. @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html */
  mappingBatch: { min: 1, max: 10 },
  /** Retries of an asynchronous invocation that failed. @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
  asyncRetries: { min: 0, max: 2 },
  /** Age in seconds after which an asynchronous event is discarded. @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */
  asyncEventAgeSeconds: { min: 60, max: 21_600 },
  /** Memory of a function, in MiB. @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
  memoryMebibytes: { min: 128, max: 10_240 },
} as const;

/** Amazon EventBridge Scheduler. */
export const SCHEDULER = {
  /** Age in seconds after which a delivery is given up. @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_RetryPolicy.html */
  eventAgeSeconds: { min: 60, max: 86_400 },
  /** Retries of a delivery. @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_RetryPolicy.html */
  retryAttempts: { min: 0, max: 185 },
  /** Flexible time window, in minutes. @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-flexible-time-windows.html */
  flexibleWindowMinutes: { min: 1, max: 1440 },
} as const;

/** Amazon DynamoDB. */
export const DYNAMODB = {
  /** Bytes of one item, names and values (400 KB). @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
  itemBytes: 400 * KIB,
  /** Keys of one BatchGetItem call. @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html */
  batchGetKeys: 100,
} as const;

/** Amazon CloudWatch. */
export const CLOUDWATCH = {
  /** Seconds that an alarm looks back at most, by whether its period is an hour or longer. @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html */
  lookBackSeconds: { shortPeriod: 86_400, longPeriod: 604_800 },
  /** Shortest period of an alarm that looks back further than a day, in seconds. @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html */
  longPeriodSeconds: 3600,
  /** Characters of the description of an alarm. @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html */
  descriptionLength: 1024,
} as const;
