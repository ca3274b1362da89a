import * as fc from 'fast-check';
import { hashText } from '../../../lambda/ledger';
import { HashSet, hashAt } from '../../../lambda/scanner/hash-set';

const hash = fc.oneof(
  fc.uint8Array({ minLength: 8, maxLength: 8 }),
  // Few places and many collisions.
  fc.integer({ min: 0, max: 300 }).map((low) => new Uint8Array([0, 0, 0, 0, 0, 0, low >> 8, low & 255])),
  fc.integer({ min: 0, max: 300 }).map((high) => new Uint8Array([0, 0, high >> 8, high & 255, 0, 0, 0, 0])),
);

describe('HashSet', () => {
  it('holds what was added, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 500 }), fc.array(hash, { maxLength: 50 }), (added, asked) => {
        const set = new HashSet();
        for (const one of added) {
          set.add(one);
        }
        const expected = new Set(added.map(hashText));
        expect(set.size).toBe(expected.size);
        expect(added.every((one) => set.has(one))).toBe(true);
        expect(asked.map((one) => set.has(one))).toEqual(asked.map((one) => expected.has(hashText(one))));
      }),
      { numRuns: 50 },
    );
  });

  it('holds the hash of nothing but zeros', () => {
    const set = new HashSet();
    expect(set.has(new Uint8Array(8))).toBe(false);
    set.add(new Uint8Array(8));
    expect([set.has(new Uint8Array(8)), set.size]).toEqual([true, 1]);
  });

  it('refuses a hash of another length', () => {
    expect(() => {
      new HashSet().add(new Uint8Array(7));
    }).toThrow('internal error');
  });

  it('reads a hash of a packed list, wherever it begins', () => {
    const packed = new Uint8Array(24).fill(7, 8, 16);
    expect(hashAt(packed, 1)).toEqual(new Uint8Array(8).fill(7));
  });
});
