/** Largest seed: seeds are 31 bits. */
export const MAX_SEED = 2 ** 31 - 1;

/** The n-th seed from one on; behind the largest comes 0. */
export function seedAt(from: number, n: number): number {
  return (from + n) % (MAX_SEED + 1);
}
