import type { JsonValue } from '../contract';
import type { AnyJob } from '../job/job';
import { hashText, keyHash } from '../ledger';

/** Characters of a key or a group. */
const IDENTIFIER_LENGTH = 1024;
const CAUSE_LENGTH = 300;
const ISSUES_SHOWN = 3;

/** Half of a surrogate pair: UTF-8 cannot hold it, so two such keys would be one. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** A record with its identity. */
export interface KeyedRecord {
  readonly kind: 'keyed';
  readonly key: string;
  readonly group: string;
  readonly hash: Uint8Array;
  /** {@link hash} as text. */
  readonly hashText: string;
  /** Hashes of the key under the other names of the job. */
  readonly aliasHashes: readonly Uint8Array[];
  /** The record; where the job has a schema, what the schema made of it. */
  readonly record: unknown;
}

/** A record that never goes to the queue. */
export interface RefusedRecord {
  readonly kind: 'refused';
  /** Absent where the record has no usable key. */
  readonly key?: string;
  readonly cause: string;
}

/**
 * Checks a record by the job's schema and asks for its key and group. Whatever is wrong with one record is said of that record; nothing is thrown.
 */
export async function checkRecord(job: AnyJob, record: unknown): Promise<KeyedRecord | RefusedRecord> {
  const checked = await checkSchema(job, record);
  if ('cause' in checked) {
    const key = identifierOf('key', () => job.key(record as JsonValue));
    return refused(checked.cause, 'text' in key ? key.text : undefined);
  }
  const value = checked.value as JsonValue;
  const key = identifierOf('key', () => job.key(value));
  if ('cause' in key) {
    return refused(key.cause);
  }
  const { group: groupOf } = job;
  const group = groupOf === undefined ? key : identifierOf('group', () => groupOf(value));
  if ('cause' in group) {
    return refused(group.cause, key.text);
  }
  const hash = keyHash(job.jobType, key.text);
  return {
    kind: 'keyed',
    key: key.text,
    group: group.text,
    hash,
    hashText: hashText(hash),
    aliasHashes: (job.aliases ?? []).map((alias) => keyHash(alias, key.text)),
    record: value,
  };
}

async function checkSchema({ schema }: AnyJob, record: unknown): Promise<{ value: unknown } | { cause: string }> {
  if (schema === undefined) {
    return { value: record };
  }
  try {
    const made = await validated(schema, record);
    if ('issues' in made) {
      return { cause: `the schema refuses it: ${made.issues}` };
    }
    // The consumer checks again what is in the queue: a transform that cannot take its own result would kill every record there.
    const again = await validated(schema, made.value);
    return 'issues' in again
      ? { cause: `the schema refuses what it made of it itself, so that the consumer would: ${again.issues}` }
      : made;
  } catch (error) {
    return { cause: `the schema throws: ${textOf(error)}` };
  }
}

async function validated(
  schema: NonNullable<AnyJob['schema']>,
  value: unknown,
): Promise<{ readonly value: unknown } | { readonly issues: string }> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) {
    return { value: result.value };
  }
  const issues = result.issues.slice(0, ISSUES_SHOWN).map(({ message, path = [] }) => {
    const steps = path.map((step) => String(typeof step === 'object' ? step.key : step));
    return steps.length === 0 ? message : `${steps.join('.')}: ${message}`;
  });
  return { issues: issues.join('; ') };
}

function identifierOf(name: 'key' | 'group', read: () => unknown): { text: string } | { cause: string } {
  let text: unknown;
  try {
    text = read();
  } catch (error) {
    return { cause: `${name}() throws: ${textOf(error)}` };
  }
  if (typeof text !== 'string') {
    return { cause: `${name}() returns ${text === null ? 'null' : typeof text}; allowed: a string` };
  }
  if (text === '' || text.length > IDENTIFIER_LENGTH) {
    return { cause: `${name}() returns ${text.length} characters; allowed: 1 to ${IDENTIFIER_LENGTH}` };
  }
  return LONE_SURROGATE.test(text) ? { cause: `${name}() returns half of a surrogate pair` } : { text };
}

/** What a thrown value says, on one line. */
export function textOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'a value that has no text';
  }
}

/** A record that is refused, its cause cut to what the ledger keeps. */
export function refused(cause: string, key?: string): RefusedRecord {
  return { kind: 'refused', cause: cause.slice(0, CAUSE_LENGTH), ...(key !== undefined && { key }) };
}
