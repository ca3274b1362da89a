import { createHash } from 'node:crypto';

/** Bytes that KEYS holds of a record's key. */
export const HASH_BYTES = 8;

const SEPARATOR = '\u0000';

function digest(...parts: (string | number)[]): Buffer {
  return createHash('sha256').update(parts.join(SEPARATOR)).digest();
}

/** The first 8 bytes of a hash of a job's record key: what the ledger keeps of it. */
export function keyHash(jobType: string, key: string): Uint8Array {
  return new Uint8Array(digest('key', jobType, key).subarray(0, HASH_BYTES));
}

/** A key hash as text, for sets and maps in memory. */
export function hashText(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('base64url');
}

/** What stands for the key of a record whose message was never seen: the ledger has no more of it than its hash. */
export function unseenKey(hash: Uint8Array): string {
  return `hash:${Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('hex')}`;
}

/** Place of a record in a run. */
export interface Place {
  readonly fanoutId: string;
  readonly runId: string;
  readonly jobType: string;
  readonly segment: number;
  readonly page: number;
}

/**
 * Deduplication id of a record's message: stable over retries, 43 legal characters, unique queue-wide (the fanout included), whatever the
 * length and the characters of the key.
 */
export function deduplicationId(place: Place, key: string): string {
  return digest('message', place.fanoutId, place.jobType, place.runId, place.segment, place.page, key).toString(
    'base64url',
  );
}

/** SQS group of a logical group: legal characters whatever the group holds, a pure function of job and group. */
export function groupId(jobType: string, group: string): string {
  return digest('group', jobType, group).toString('base64url');
}

/** SQS group of every message of a fanout whose lane rule is `single`. */
export const SINGLE_GROUP_ID = 'single';

/** Stable over attempts and redrives of one record of one run; handed to the handler. */
export function idempotencyKey(place: Place, key: string): string {
  return digest('idempotency', place.fanoutId, place.jobType, place.runId, key).toString('hex').slice(0, 32);
}

/** Identifies a death: the same record dying again after a redrive has another one. */
export function deathId(place: Place, ordinal: number, previous = ''): string {
  return digest('death', place.fanoutId, place.jobType, place.runId, place.segment, place.page, ordinal, previous)
    .toString('hex')
    .slice(0, 32);
}
