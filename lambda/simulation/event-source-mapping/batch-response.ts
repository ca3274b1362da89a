/** What a function's response says of its batch. */
export type BatchVerdict =
  /** The messages with these ids come back, the others are deleted. */
  | { readonly valid: true; readonly failed: ReadonlySet<string> }
  /** The response can't be understood: all come back. */
  | { readonly valid: false; readonly reason: string };

const ALL_SUCCEEDED: BatchVerdict = { valid: true, failed: new Set() };

/**
 * Reads the response of a function whose mapping has `ReportBatchItemFailures`. Nothing, an empty object and a missing or empty list mean
 * success; whatever else is not a list of known ids fails the whole batch.
 *
 * @param response what the function answered, before it is turned into JSON
 * @param messageIds ids of the batch
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 */
export function readBatchResponse(response: unknown, messageIds: ReadonlySet<string>): BatchVerdict {
  const answer = throughJson(response);
  if (answer.error !== undefined) {
    return invalid(`the response is not JSON: ${answer.error}`);
  }
  const { value } = answer;
  if (value === null || value === '') {
    return ALL_SUCCEEDED;
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return invalid(`the response is ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}, not an object`);
  }
  const list = (value as { batchItemFailures?: unknown }).batchItemFailures ?? [];
  if (!Array.isArray(list)) {
    return invalid('batchItemFailures is not a list');
  }
  return readList(list, messageIds);
}

function readList(list: readonly unknown[], messageIds: ReadonlySet<string>): BatchVerdict {
  const failed = new Set<string>();
  for (const item of list) {
    const id =
      typeof item === 'object' && item !== null ? (item as { itemIdentifier?: unknown }).itemIdentifier : undefined;
    if (typeof id !== 'string' || id === '') {
      return invalid(`an item of batchItemFailures has no itemIdentifier: ${JSON.stringify(item)}`);
    }
    if (!messageIds.has(id)) {
      return invalid(`itemIdentifier ${id} is not of this batch`);
    }
    failed.add(id);
  }
  return { valid: true, failed };
}

function invalid(reason: string): BatchVerdict {
  return { valid: false, reason };
}

/** The value that arrives once Lambda has turned a response into JSON; `undefined` arrives as `null`. */
function throughJson(response: unknown): { readonly value?: unknown; readonly error?: string } {
  try {
    // A function is not JSON either, but Lambda's runtime answers null for it as for undefined.
    const json = JSON.stringify(response) as string | undefined;
    return { value: json === undefined ? null : (JSON.parse(json) as unknown) };
  } catch (error) {
    return { error: String(error) };
  }
}
