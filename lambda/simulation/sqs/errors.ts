/** Codes of the errors that the service answers: the code of the older Query protocol, and the HTTP status. */
const KINDS = {
  BatchEntryIdsNotDistinct: { queryCode: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct', status: 400 },
  BatchRequestTooLong: { queryCode: 'AWS.SimpleQueueService.BatchRequestTooLong', status: 400 },
  EmptyBatchRequest: { queryCode: 'AWS.SimpleQueueService.EmptyBatchRequest', status: 400 },
  InternalFailure: { queryCode: 'InternalFailure', status: 500 },
  InvalidAction: { queryCode: 'InvalidAction', status: 400 },
  InvalidAttributeName: { queryCode: 'InvalidAttributeName', status: 400 },
  InvalidAttributeValue: { queryCode: 'InvalidAttributeValue', status: 400 },
  InvalidBatchEntryId: { queryCode: 'AWS.SimpleQueueService.InvalidBatchEntryId', status: 400 },
  InvalidMessageContents: { queryCode: 'InvalidMessageContents', status: 400 },
  InvalidParameterValue: { queryCode: 'InvalidParameterValue', status: 400 },
  MessageNotInflight: { queryCode: 'AWS.SimpleQueueService.MessageNotInflight', status: 400 },
  MissingParameter: { queryCode: 'MissingParameter', status: 400 },
  OverLimit: { queryCode: 'OverLimit', status: 403 },
  PurgeQueueInProgress: { queryCode: 'AWS.SimpleQueueService.PurgeQueueInProgress', status: 403 },
  QueueDeletedRecently: { queryCode: 'AWS.SimpleQueueService.QueueDeletedRecently', status: 400 },
  QueueDoesNotExist: { queryCode: 'AWS.SimpleQueueService.NonExistentQueue', status: 400 },
  QueueNameExists: { queryCode: 'QueueAlreadyExists', status: 400 },
  ReceiptHandleIsInvalid: { queryCode: 'ReceiptHandleIsInvalid', status: 404 },
  RequestThrottled: { queryCode: 'RequestThrottled', status: 403 },
  ResourceNotFoundException: { queryCode: 'ResourceNotFoundException', status: 404 },
  SerializationException: { queryCode: 'SerializationException', status: 400 },
  TooManyEntriesInBatchRequest: { queryCode: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest', status: 400 },
  UnsupportedOperation: { queryCode: 'AWS.SimpleQueueService.UnsupportedOperation', status: 400 },
} as const;

/** Code of an error of the service, as its SDKs name it. */
export type SqsErrorCode = keyof typeof KINDS;

/**
 * An error as the service answers it.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
 */
export class SqsError extends Error {
  /** Name of the error in the SDKs. */
  readonly code: SqsErrorCode;
  /** Code of the older Query protocol; SDKs show it where the error has no shape of its own. */
  readonly queryCode: string;
  /** HTTP status of the answer. */
  readonly status: number;
  /** True: the request is wrong, another try is futile. */
  readonly senderFault: boolean;

  constructor(code: SqsErrorCode, message: string) {
    super(message);
    this.name = code;
    this.code = code;
    this.queryCode = KINDS[code].queryCode;
    this.status = KINDS[code].status;
    this.senderFault = this.status < 500 && code !== 'RequestThrottled' && code !== 'OverLimit';
  }
}

/** A value that a parameter does not allow, in the service's wording. */
export function invalidParameter(parameter: string, value: unknown, reason: string): SqsError {
  return new SqsError(
    'InvalidParameterValue',
    `Value ${String(value)} for parameter ${parameter} is invalid. Reason: ${reason}`,
  );
}

/** A parameter that a request must have and has not, in the service's wording. */
export function missingParameter(parameter: string): SqsError {
  return new SqsError('MissingParameter', `The request must contain the parameter ${parameter}.`);
}
