import type { ConformanceRule } from '../rule';
import { BATCHES } from './batches';
import { DEAD_LETTER } from './dead-letters';
import { DEDUPLICATION } from './deduplication';
import { DELIVERY } from './delivery';
import { LONG_POLLING } from './long-polling';
import { MOVE_TASKS } from './move-tasks';
import { QUEUES } from './queues';
import { SENDING } from './sending';
import { VISIBILITY } from './visibility';

/** Every rule, in the order in which a table shows them. */
export const RULES: readonly ConformanceRule[] = [
  ...SENDING,
  ...BATCHES,
  ...DEDUPLICATION,
  ...DELIVERY,
  ...VISIBILITY,
  ...LONG_POLLING,
  ...DEAD_LETTER,
  ...MOVE_TASKS,
  ...QUEUES,
];
