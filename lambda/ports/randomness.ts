/** Randomness. Never used where a repeated call must give the same result. */
export interface Randomness {
  /** A number in [0, 1), for jitter. */
  fraction(): number;
  /** A token that no one else has, for lock acquisitions and claims; 1 to 36 characters of `[A-Za-z0-9-]`. */
  token(): string;
}
