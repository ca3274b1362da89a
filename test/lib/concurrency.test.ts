import fc from 'fast-check';
import { LAMBDA } from '../../lambda/contract';
import { BOUNDS } from '../../lib/bounds';
import { deriveConcurrency } from '../../lib/concurrency';

const { min, max } = BOUNDS.maxConcurrency;

describe('deriveConcurrency', () => {
  it.each([
    [1, { lanes: 'single', batchSize: 10, effective: 1 }],
    [2, { lanes: 'group', batchSize: 1, mappingConcurrency: 2, effective: 2 }],
    [3, { lanes: 'group', batchSize: 1, mappingConcurrency: 3, effective: 3 }],
    [7, { lanes: 'group', batchSize: 3, mappingConcurrency: 2, effective: 6 }],
    [13, { lanes: 'group', batchSize: 6, mappingConcurrency: 2, effective: 12 }],
    [20, { lanes: 'group', batchSize: 10, mappingConcurrency: 2, effective: 20 }],
    [45, { lanes: 'group', batchSize: 9, mappingConcurrency: 5, effective: 45 }],
    [9999, { lanes: 'group', batchSize: 10, mappingConcurrency: 999, effective: 9990 }],
    [10_000, { lanes: 'group', batchSize: 10, mappingConcurrency: 1000, effective: 10_000 }],
  ] as const)('derives batch size and mapping for maxConcurrency %d', (maxConcurrency, expected) => {
    expect(deriveConcurrency(maxConcurrency)).toEqual(expected);
  });

  it('never lets more handlers run at once than maxConcurrency, within what the mapping takes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max }), (maxConcurrency) => {
        const { batchSize, mappingConcurrency, effective, lanes } = deriveConcurrency(maxConcurrency);
        expect(lanes).toBe('group');
        expect(effective).toBe(batchSize * mappingConcurrency!);
        expect(effective).toBeLessThanOrEqual(maxConcurrency);
        expect(mappingConcurrency).toBeGreaterThanOrEqual(LAMBDA.mappingConcurrency.min);
        expect(mappingConcurrency).toBeLessThanOrEqual(LAMBDA.mappingConcurrency.max);
        expect(batchSize).toBeLessThanOrEqual(LAMBDA.mappingBatch.max);
        expect(batchSize).toBeGreaterThanOrEqual(Math.ceil(Math.min(10, Math.floor(maxConcurrency / 2)) / 2));
      }),
    );
  });

  it('loses at most one handler in six', () => {
    for (let maxConcurrency: number = min; maxConcurrency <= 1000; maxConcurrency++) {
      const { effective } = deriveConcurrency(maxConcurrency);
      expect(maxConcurrency - effective).toBeLessThanOrEqual(maxConcurrency / 6);
    }
  });

  it('takes the best product of the batch sizes that it considers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max }), (maxConcurrency) => {
        const { effective, batchSize } = deriveConcurrency(maxConcurrency);
        const largest = Math.min(10, Math.floor(maxConcurrency / 2));
        const products = Array.from({ length: largest }, (_, index) => index + 1)
          .filter((size) => size >= Math.ceil(largest / 2))
          .map((size) => ({ size, product: Math.min(1000, Math.floor(maxConcurrency / size)) * size }));
        const best = Math.max(...products.map(({ product }) => product));
        expect(effective).toBe(best);
        expect(batchSize).toBe(Math.max(...products.filter(({ product }) => product === best).map(({ size }) => size)));
      }),
    );
  });
});
