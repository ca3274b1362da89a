import type { Randomness } from '../ports';

/** Repeatable randomness (mulberry32): the same seed gives the same fractions and tokens. */
export class SeededRandomness implements Randomness {
  private state: number;
  private tokens = 0;

  /** @param seed any integer; its low 32 bits count */
  constructor(private readonly seed = 1) {
    this.state = seed >>> 0;
  }

  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  token(): string {
    this.tokens += 1;
    return `t${this.seed}-${this.tokens}`;
  }
}
