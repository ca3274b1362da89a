import { LAMBDA } from './limits';

/** How an event source mapping keeps the number of handlers at once within `maxConcurrency`. */
export interface Concurrency {
  /** `single`: every message goes to one SQS group, so that there is one handler at a time. */
  readonly lanes: 'group' | 'single';
  /** Messages of one invocation; with lanes by group, it runs as many handlers at once. */
  readonly batchSize: number;
  /** Invocations at once, 2 to 1000; absent where the single lane allows one alone. */
  readonly mappingConcurrency?: number;
  /** Handlers at once that this allows: `maxConcurrency`, or the nearest below it that can be had. */
  readonly effective: number;
}

/**
 * Derives batch size and MaximumConcurrency of the mapping from the number of handlers at once.
 *
 * The mapping allows 2 to 1000 invocations of 1 to 10 messages. Of the batch sizes in the upper half of what is possible, the one whose product
 * with the number of invocations comes closest to `maxConcurrency` is taken, the larger of two equals: large batches cost the fewest invocations and
 * the fewest writes to the ledger, and a tiny batch for the sake of the last handler would not pay.
 *
 * @param maxConcurrency handlers at once, a whole number from 1
 */
export function deriveConcurrency(maxConcurrency: number): Concurrency {
  const { min, max } = LAMBDA.mappingConcurrency;
  if (maxConcurrency < min) {
    return { lanes: 'single', batchSize: LAMBDA.mappingBatch.max, effective: 1 };
  }
  const largest = Math.min(LAMBDA.mappingBatch.max, Math.floor(maxConcurrency / min));
  const invocations = (batchSize: number): number => Math.min(max, Math.floor(maxConcurrency / batchSize));
  let best = largest;
  for (let batchSize = largest - 1; batchSize >= Math.ceil(largest / 2); batchSize--) {
    if (invocations(batchSize) * batchSize > invocations(best) * best) {
      best = batchSize;
    }
  }
  return {
    lanes: 'group',
    batchSize: best,
    mappingConcurrency: invocations(best),
    effective: invocations(best) * best,
  };
}
