import type { Randomness } from '../ports';
import { SeededRandomness } from './seeded-randomness';

const GOLDEN = 0x9e3779b9;

/**
 * A fraction in [0, 1) that depends on a seed and a place alone: unlike a stream, taking one place out leaves all the others as they are.
 *
 * @param seed any integer; its low 32 bits count
 * @param place any integer
 */
export function fractionAt(seed: number, place: number): number {
  let mixed = (seed ^ Math.imul(place + 1, GOLDEN)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/** Draws of a seed: what a scenario is made of. */
export class Draw {
  private readonly randomness: Randomness;

  /** @param seed any integer; its low 32 bits count */
  constructor(seed: number) {
    this.randomness = new SeededRandomness(seed);
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.randomness.fraction() * (max - min + 1));
  }

  /** A number from `min` to `max`. */
  number(min: number, max: number): number {
    return min + this.randomness.fraction() * (max - min);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.randomness.fraction() < probability;
  }

  /** One of several. @throws Error where there is none */
  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.int(0, choices.length - 1)];
    if (choice === undefined) {
      throw new Error('internal error: nothing to pick from');
    }
    return choice;
  }

  /** `count` draws. */
  list<T>(count: number, draw: (place: number) => T): T[] {
    return Array.from({ length: count }, (_, place) => draw(place));
  }
}
