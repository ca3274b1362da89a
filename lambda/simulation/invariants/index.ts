import { attempts } from './attempts';
import { booksBalance } from './books-balance';
import { bounded } from './bounded';
import { deduplication } from './deduplication';
import type { InvariantRule } from './invariant';
import { noCrossTalk } from './no-cross-talk';
import { nothingLost } from './nothing-lost';
import { once } from './once';
import { oneBadRecord } from './one-bad-record';
import { oneHand } from './one-hand';
import { order } from './order';
import { redrive } from './redrive';
import { tickIdempotent } from './tick-idempotent';

/** Everything that must always hold. */
export const INVARIANTS: readonly InvariantRule[] = [
  nothingLost,
  once,
  order,
  oneHand,
  tickIdempotent,
  attempts,
  booksBalance,
  oneBadRecord,
  noCrossTalk,
  bounded,
  deduplication,
  redrive,
];
