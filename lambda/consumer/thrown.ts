import type { Thrown } from '../job/thrown';

export { describeThrown } from '../job/thrown';
export type { Thrown } from '../job/thrown';

/** Bytes of UTF-8 of a text. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** The longest beginning of a text that fits into `bytes` of UTF-8; no character is cut in two. */
export function cutUtf8(text: string, bytes: number): string {
  const encoded = Buffer.from(text, 'utf8');
  if (encoded.length <= bytes) {
    return encoded.toString('utf8');
  }
  let end = Math.max(0, bytes);
  // Continuation bytes are 10xxxxxx: step back to the first byte of the character that does not fit.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) {
    end -= 1;
  }
  return encoded.subarray(0, end).toString('utf8');
}

/** Bytes of error text that a claim keeps, so that an outage can't blow a page up. */
export const CLAIM_ERROR_BYTES = 100;

const SEPARATOR = ': ';

/** The text of an error that a claim keeps. */
export function claimError(thrown: Thrown): string {
  return cutUtf8(thrown.name + SEPARATOR + thrown.message, CLAIM_ERROR_BYTES);
}

/** Reads back what {@link claimError} wrote; the message may be cut. */
export function readClaimError(text: string): Thrown {
  const at = text.indexOf(SEPARATOR);
  return at < 0
    ? { name: 'Error', message: text }
    : { name: text.slice(0, at), message: text.slice(at + SEPARATOR.length) };
}
