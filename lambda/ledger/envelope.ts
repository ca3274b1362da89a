import type { DeadEnvelope, Envelope, JsonValue } from '../contract';
import { ENVELOPE_VERSION, isTraceparent } from '../contract';

type Fields = Readonly<Record<string, JsonValue | undefined>>;

/** Versions of the envelope that a reader knows. */
export interface EnvelopeReader {
  /** The version that it writes. */
  readonly version: number;
  /** Makes the members of the next version out of those of an older one, by that older version. A version that is neither here nor the current one is not read. */
  readonly upgrades: Readonly<Record<number, (fields: Fields) => Fields>>;
}

/** What this code reads. Version 1 is the first one. */
const CURRENT: EnvelopeReader = { version: ENVELOPE_VERSION, upgrades: {} };

/**
 * Noncharacters that SQS refuses in a body and that JSON leaves as they are. JSON escapes the others itself: control characters and lone surrogates.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const REFUSED_BY_SQS = /[\uFFFE\uFFFF]/g;

/**
 * The body of a message: JSON of the characters that SQS accepts. The same envelope gives the same bytes, whatever the order of its members.
 */
export function encodeEnvelope(envelope: Envelope | DeadEnvelope): string {
  const { v, fanout, job, run, segment, page, ordinal, key, group, payload, payloadVersion, traceparent, deathId } =
    envelope;
  const death = 'death' in envelope ? envelope.death : undefined;
  const members = {
    v,
    fanout,
    job,
    run,
    segment,
    page,
    ordinal,
    key,
    group,
    payload,
    payloadVersion,
    traceparent,
    deathId,
    death,
  };
  const text = JSON.stringify(members);
  // Outside of its strings JSON is ASCII, so every match is inside a string, where an escape means the same.
  return text.replace(REFUSED_BY_SQS, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}

/** What a body turned out to be. */
export type DecodedEnvelope =
  | { readonly kind: 'valid'; readonly envelope: Envelope | DeadEnvelope }
  /** Written by newer code: to be left for it, never guessed at. */
  | { readonly kind: 'newer'; readonly version: number; readonly cause: string }
  | { readonly kind: 'unreadable'; readonly cause: string };

/** Reads the body of a message; never throws. Members that this version does not know are dropped. */
export function decodeEnvelope(body: string, reader: EnvelopeReader = CURRENT): DecodedEnvelope {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return unreadable('the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadable('the body is not a JSON object');
  }
  let fields = value as Fields;
  const version = fields.v;
  if (!isVersion(version)) {
    return unreadable('v is not a version of the envelope: an integer from 1 on');
  }
  if (version > reader.version) {
    return { kind: 'newer', version, cause: `envelope version ${version} is newer than ${reader.version}` };
  }
  for (let from = version; from < reader.version; from++) {
    const upgrade = reader.upgrades[from];
    if (upgrade === undefined) {
      return unreadable(`envelope version ${version} is no longer read`);
    }
    fields = upgrade(fields);
  }
  return readFields(fields, reader.version);
}

const TEXTS = ['fanout', 'job', 'run', 'key', 'group'] as const;
const PLACES = ['segment', 'page', 'ordinal'] as const;

function readFields(fields: Fields, v: number): DecodedEnvelope {
  const badText = TEXTS.find((name) => typeof fields[name] !== 'string' || fields[name] === '');
  if (badText !== undefined) {
    return unreadable(`${badText} is not a text of 1 character or more`);
  }
  const badPlace = PLACES.find((name) => !isPlace(fields[name]));
  if (badPlace !== undefined) {
    return unreadable(`${badPlace} is not an integer from 0 on`);
  }
  if (fields.payload === undefined) {
    return unreadable('payload is absent');
  }
  const { payloadVersion, traceparent, deathId, death } = fields;
  if (payloadVersion !== undefined && !isVersion(payloadVersion)) {
    return unreadable('payloadVersion is not an integer from 1 on');
  }
  if (deathId !== undefined && typeof deathId !== 'string') {
    return unreadable('deathId is not a text');
  }
  if (death !== undefined && (deathId === undefined || !isObject(death))) {
    return unreadable('death is not an object beside a deathId');
  }
  const { fanout, job, run, segment, page, ordinal, key, group, payload } = fields as unknown as Envelope;
  const envelope: Envelope = { v, fanout, job, run, segment, page, ordinal, key, group, payload };
  return {
    kind: 'valid',
    envelope: {
      ...envelope,
      ...(payloadVersion !== undefined && { payloadVersion }),
      // A trace that is not one is left out: it decides over no record.
      ...(isTraceparent(traceparent) && { traceparent }),
      ...(deathId !== undefined && { deathId }),
      ...(death !== undefined && { death: death as unknown as DeadEnvelope['death'] }),
    },
  };
}

function isVersion(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isPlace(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(cause: string): DecodedEnvelope {
  return { kind: 'unreadable', cause };
}
