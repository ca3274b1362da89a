import type { JsonValue } from '../contract';
import type { ErrorTexts } from '../job/error-texts';
import type { AnyJob } from '../job/job';
import { hashText, keyHash } from '../ledger';

export { textOf } from '../job/thrown';

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
  /** What is queued of the record: what `queuePayload` makes of it, else the record; checked by the job's schemas. */
  readonly payload: unknown;
}

/** A record that never goes to the queue. */
export interface RefusedRecord {
  readonly kind: 'refused';
  /** Absent where the record has no usable key. */
  readonly key?: string;
  /** For the ledger. */
  readonly cause: string;
  /** For the log, where that must say less: a schema's own words may hold values. */
  readonly told?: string;
}

type Refusal = Pick<RefusedRecord, 'cause' | 'told'>;

/**
 * Checks a record by the job's schema, asks for its key and group, and makes what is queued of it. Whatever is wrong with one record is said of that record; nothing is thrown.
 */
export async function checkRecord(
  job: AnyJob,
  record: unknown,
  errors: ErrorTexts,
): Promise<KeyedRecord | RefusedRecord> {
  const told = { job, errors };
  const checked = await checkSchema(told, 'schema', record);
  if ('cause' in checked) {
    const key = identifierOf(told, 'key', () => job.key(record as JsonValue));
    return refused(checked, 'text' in key ? key.text : undefined);
  }
  const value = checked.value as JsonValue;
  const key = identifierOf(told, 'key', () => job.key(value));
  if ('cause' in key) {
    return refused(key);
  }
  const { group: groupOf } = job;
  const group = groupOf === undefined ? key : identifierOf(told, 'group', () => groupOf(value));
  if ('cause' in group) {
    return refused(group, key.text);
  }
  const payload = await payloadOf(told, value);
  if ('cause' in payload) {
    return refused(payload, key.text);
  }
  const hash = keyHash(job.jobType, key.text);
  return {
    kind: 'keyed',
    key: key.text,
    group: group.text,
    hash,
    hashText: hashText(hash),
    aliasHashes: (job.aliases ?? []).map((alias) => keyHash(alias, key.text)),
    payload: payload.value,
  };
}

/** Whose record it is, and what may be told of its errors. */
interface Telling {
  readonly job: AnyJob;
  readonly errors: ErrorTexts;
}

async function payloadOf(telling: Telling, record: JsonValue): Promise<{ value: unknown } | Refusal> {
  const { job, errors } = telling;
  if (job.queuePayload === undefined) {
    return { value: record };
  }
  let payload: unknown;
  try {
    payload = job.queuePayload(record);
  } catch (error) {
    return { cause: `queuePayload() throws: ${errors.line(error, job)}` };
  }
  return checkSchema(telling, 'payloadSchema', payload);
}

async function checkSchema(
  { job, errors }: Telling,
  name: 'schema' | 'payloadSchema',
  value: unknown,
): Promise<{ value: unknown } | Refusal> {
  const schema = job[name];
  if (schema === undefined) {
    return { value };
  }
  try {
    const made = await validated(schema, value);
    if ('issues' in made) {
      return refusal(errors.text(made.issues, job), made.paths, `the ${name} refuses it`);
    }
    if (name === 'schema' && job.queuePayload !== undefined) {
      return made;
    }
    // The consumer checks again what is in the queue: a transform that cannot take its own result would kill every record there.
    const again = await validated(schema, made.value);
    return 'issues' in again
      ? refusal(
          errors.text(again.issues, job),
          again.paths,
          `the ${name} refuses what it made of it itself, so that the consumer would`,
        )
      : made;
  } catch (error) {
    return { cause: `the ${name} throws: ${errors.line(error, job)}` };
  }
}

function refusal(issues: string, paths: string, why: string): Refusal {
  return { cause: `${why}: ${issues}`, told: paths === '' ? why : `${why}: ${paths}` };
}

async function validated(
  schema: NonNullable<AnyJob['schema']>,
  value: unknown,
): Promise<{ readonly value: unknown } | { readonly issues: string; readonly paths: string }> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) {
    return { value: result.value };
  }
  const issues = result.issues.slice(0, ISSUES_SHOWN).map(({ message, path = [] }) => {
    const at = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
    return { at, text: at === '' ? message : `${at}: ${message}` };
  });
  const paths = issues.map(({ at }) => at).filter((at) => at !== '');
  return { issues: issues.map(({ text }) => text).join('; '), paths: paths.join(', ') };
}

function identifierOf(
  { job, errors }: Telling,
  name: 'key' | 'group',
  read: () => unknown,
): { text: string } | { cause: string } {
  let text: unknown;
  try {
    text = read();
  } catch (error) {
    return { cause: `${name}() throws: ${errors.line(error, job)}` };
  }
  if (typeof text !== 'string') {
    return { cause: `${name}() returns ${text === null ? 'null' : typeof text}; allowed: a string` };
  }
  if (text === '' || text.length > IDENTIFIER_LENGTH) {
    return { cause: `${name}() returns ${text.length} characters; allowed: 1 to ${IDENTIFIER_LENGTH}` };
  }
  return LONE_SURROGATE.test(text) ? { cause: `${name}() returns half of a surrogate pair` } : { text };
}

/** A record that is refused, its cause cut to what the ledger keeps. */
export function refused({ cause, told }: Refusal, key?: string): RefusedRecord {
  return {
    kind: 'refused',
    cause: cause.slice(0, CAUSE_LENGTH),
    ...(told !== undefined && { told: told.slice(0, CAUSE_LENGTH) }),
    ...(key !== undefined && { key }),
  };
}
