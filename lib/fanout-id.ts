import { createHash } from 'node:crypto';

/** Longest `fanoutId`, in characters. */
export const FANOUT_ID_LENGTH = 64;

const HASH_LENGTH = 8;

/**
 * Identifies a fanout in its state table, its messages and its metrics: stack name and construct path, readable, made of `A-Z a-z 0-9 -`, at
 * most {@link FANOUT_ID_LENGTH} characters. The hash at the end keeps apart what reads the same.
 *
 * @param stackName name of the stack; of the outermost one for a nested stack
 * @param path ids of the constructs from that stack down to the fanout
 */
export function fanoutId(stackName: string, path: readonly string[]): string {
  const names = [stackName, ...path];
  const hash = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, HASH_LENGTH);
  const readable = names
    .join('-')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, FANOUT_ID_LENGTH - HASH_LENGTH - 1)
    .replace(/^-+|-+$/g, '');
  return readable === '' ? `f-${hash}` : `${readable}-${hash}`;
}
