import { randomUUID } from 'node:crypto';
import type { Randomness } from '../ports';

/** The machine's randomness. */
export const systemRandomness: Randomness = {
  fraction: () => Math.random(),
  token: () => randomUUID(),
};
