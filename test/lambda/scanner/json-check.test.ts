import * as fc from 'fast-check';
import { jsonProblem } from '../../../lambda/scanner/json-check';

class Money {
  constructor(readonly cents: number) {}
}

describe('jsonProblem', () => {
  it('finds nothing in whatever JSON gives back as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonProblem(JSON.parse(JSON.stringify(value)))).toBeUndefined();
      }),
    );
  });

  it('finds a problem in whatever JSON gives back otherwise', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withBoxedValues: true,
      withNullPrototype: true,
    });
    const hasNegativeZero = (value: unknown): boolean => fc.stringify(value).includes('-0');
    fc.assert(
      fc.property(
        anything.filter((value) => value !== undefined && !hasNegativeZero(value)),
        (value) => {
          if (jsonProblem(value) === undefined) {
            expect(JSON.parse(JSON.stringify(value))).toEqual(value);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['$', 10n],
    ['$.a.b[1]', { a: { b: [1, NaN] } }],
    ['$.a', { a: Infinity }],
    ['$["a b"]', { 'a b': -Infinity }],
    ['$[0]', [undefined]],

    ['$[1]', [1, , 3]],
    ['$.f', { f: () => 1 }],
    ['$.s', { s: Symbol('s') }],
    ['$.r', { r: /x/ }],
    ['$.e', { e: new Error('x') }],
    ['$.p', { p: Promise.resolve() }],
    ['$.b', { b: Buffer.from('x') }],
    ['$.u', { u: new Uint8Array(1) }],
    ['$.n', { n: Object(1) as unknown }],
    ['$.d', { d: { toJSON: () => 'x' } }],
  ])('B42: names the path %s', (path, value) => {
    expect(jsonProblem(value)?.path).toBe(path);
  });

  it('B43: finds dates, maps and sets, and says what to yield instead', () => {
    expect(jsonProblem({ at: new Date(0) })).toEqual({
      path: '$.at',
      problem: 'JSON has no Date: yield date.toISOString()',
    });
    expect(jsonProblem({ tags: new Set() })?.problem).toBe('JSON has no Set: yield an array or an object');
    expect(jsonProblem({ tags: new Map() })?.problem).toBe('JSON has no Map: yield an array or an object');
  });

  it('finds a value that contains itself, but not one that is used twice', () => {
    const shared = { a: 1 };
    const cycle: Record<string, unknown> = { shared };
    expect(jsonProblem([shared, shared])).toBeUndefined();
    cycle.inner = [cycle];
    expect(jsonProblem(cycle)).toEqual({ path: '$.inner[0]', problem: 'the value contains itself' });
  });

  it('finds what is nested too deeply', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) {
      value = [value];
    }
    expect(jsonProblem(value)?.problem).toBe('the value is nested deeper than 200');
  });

  it('accepts undefined members, which JSON leaves out, and instances that are plain data', () => {
    expect(jsonProblem({ a: undefined, price: new Money(5), none: Object.create(null) as unknown })).toBeUndefined();
  });
});
