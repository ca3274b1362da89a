import { SQS } from '../../contract';
import { SqsError } from './errors';
import { inputOf, optionalText, type Input } from './input';

/** An entry of a batch that failed alone. */
export interface BatchFailure {
  readonly Id: string;
  readonly Code: string;
  readonly Message: string;
  readonly SenderFault: boolean;
}

/** Answer of a batch call: every entry is in one of the lists. */
export interface BatchResult<T> {
  readonly Successful: readonly ({ readonly Id: string } & T)[];
  readonly Failed: readonly BatchFailure[];
}

const ENTRY_ID = /^[A-Za-z0-9_-]{1,80}$/;

/**
 * The entries of a batch call.
 *
 * @throws SqsError when the call fails as a whole: no entry, too many, an id that is illegal or comes twice
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
 */
export function batchEntries(input: Input): readonly { readonly id: string; readonly entry: Input }[] {
  const list = input.Entries ?? [];
  if (!Array.isArray(list)) {
    throw new SqsError('SerializationException', 'Entries is not a list.');
  }
  const entries = list
    .map((value) => inputOf(value, 'An entry'))
    .map((entry) => ({ id: optionalText(entry, 'Id') ?? '', entry }));
  checkIds(entries.map(({ id }) => id));
  return entries;
}

/** @throws SqsError when these can't be the ids of one batch */
export function checkIds(ids: readonly string[]): void {
  if (ids.length === 0) {
    throw new SqsError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  }
  if (ids.length > SQS.batchEntries) {
    throw new SqsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${SQS.batchEntries}. You have sent ${ids.length}.`,
    );
  }
  const seen = new Set<string>();
  for (const id of ids) {
    if (!ENTRY_ID.test(id)) {
      throw new SqsError(
        'InvalidBatchEntryId',
        `A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long: '${id}'.`,
      );
    }
    if (seen.has(id)) {
      throw new SqsError('BatchEntryIdsNotDistinct', `Id ${id} repeated.`);
    }
    seen.add(id);
  }
}

/** Runs each entry on its own: an error of the service fails that entry alone. */
export function eachEntry<T>(
  entries: readonly { readonly id: string; readonly entry: Input }[],
  run: (entry: Input) => T,
): BatchResult<T> {
  const Successful: ({ readonly Id: string } & T)[] = [];
  const Failed: BatchFailure[] = [];
  for (const { id, entry } of entries) {
    try {
      Successful.push({ Id: id, ...run(entry) });
    } catch (error) {
      Failed.push(failureOf(id, error));
    }
  }
  return { Successful, Failed };
}

/** How an entry's error is reported. Anything that is not an error of the service is a mistake of ours and thrown on. */
export function failureOf(id: string, error: unknown): BatchFailure {
  if (error instanceof SqsError) {
    return { Id: id, Code: error.queryCode, Message: error.message, SenderFault: error.senderFault };
  }
  throw error;
}
