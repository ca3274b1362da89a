import { HASH_BYTES } from '../ledger';

const WORDS = 2;
const WORD_BYTES = 4;
const INITIAL_CAPACITY = 64;
const MAX_LOAD = 0.6;

/**
 * A set of 8-byte hashes in about 16 bytes each: what a scan remembers of every record of its run. Open addressing over one array; the hashes are
 * uniform already, so their own bits choose the place.
 */
export class HashSet {
  private words = new Uint32Array(INITIAL_CAPACITY * WORDS);
  private used = 0;
  /** The all-zero hash marks a free place, so it is kept apart. */
  private hasZero = false;

  /** Number of hashes. */
  get size(): number {
    return this.used + (this.hasZero ? 1 : 0);
  }

  /** @param hash 8 bytes */
  has(hash: Uint8Array): boolean {
    const [high, low] = wordsOf(hash);
    if (high === 0 && low === 0) {
      return this.hasZero;
    }
    const place = this.placeOf(high, low);
    return this.words[place] === high && this.words[place + 1] === low;
  }

  /** @param hash 8 bytes */
  add(hash: Uint8Array): void {
    const [high, low] = wordsOf(hash);
    if (high === 0 && low === 0) {
      this.hasZero = true;
      return;
    }
    if (this.put(high, low) && this.used * WORDS > this.words.length * MAX_LOAD) {
      this.grow();
    }
  }

  private put(high: number, low: number): boolean {
    const place = this.placeOf(high, low);
    if (this.words[place] === high && this.words[place + 1] === low) {
      return false;
    }
    this.words[place] = high;
    this.words[place + 1] = low;
    this.used += 1;
    return true;
  }

  /** Where the hash is, or the free place where it belongs. */
  private placeOf(high: number, low: number): number {
    const { words } = this;
    const mask = words.length / WORDS - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const place = slot * WORDS;
      const isFree = words[place] === 0 && words[place + 1] === 0;
      if (isFree || (words[place] === high && words[place + 1] === low)) {
        return place;
      }
    }
  }

  private grow(): void {
    const old = this.words;
    this.words = new Uint32Array(old.length * 2);
    this.used = 0;
    for (let place = 0; place < old.length; place += WORDS) {
      const [high = 0, low = 0] = [old[place], old[place + 1]];
      if (high !== 0 || low !== 0) {
        this.put(high, low);
      }
    }
  }
}

function wordsOf(hash: Uint8Array): [high: number, low: number] {
  if (hash.length !== HASH_BYTES) {
    throw new Error(`internal error: a key hash of ${hash.length} bytes`);
  }
  const view = new DataView(hash.buffer, hash.byteOffset, hash.byteLength);
  return [view.getUint32(0), view.getUint32(WORD_BYTES)];
}

/** The hash of an ordinal in the `hashes` of KEYS. */
export function hashAt(hashes: Uint8Array, ordinal: number): Uint8Array {
  return hashes.subarray(ordinal * HASH_BYTES, (ordinal + 1) * HASH_BYTES);
}
