import fc from 'fast-check';
import { DueHeap } from '../../../../lambda/simulation/sqs/due-heap';

interface Value {
  at: number | undefined;
}

describe('DueHeap', () => {
  it('gives values in the order of their due times, whatever was changed and dropped on the way', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ value: fc.nat(40), at: fc.option(fc.nat(1000)) }), { maxLength: 400 }),
        (steps) => {
          const values: Value[] = Array.from({ length: 41 }, () => ({ at: undefined }));
          const heap = new DueHeap<Value>((value, at) => value.at === at);
          for (const { value, at } of steps) {
            const subject = values[value]!;
            subject.at = at ?? undefined;
            if (at !== null) {
              heap.push(at, subject, values.filter((other) => other.at !== undefined).length);
            }
          }
          const taken: number[] = [];
          for (let next = heap.take(Infinity); next !== undefined; next = heap.take(Infinity)) {
            taken.push(next.at!);
            next.at = undefined;
          }
          const expected = steps.reduce((live, { value, at }) => live.set(value, at), new Map<number, number | null>());
          expect(taken).toEqual([...expected.values()].filter((at) => at !== null).sort((left, right) => left - right));
        },
      ),
    );
  });

  it('takes only what is due', () => {
    const heap = new DueHeap<Value>((value, at) => value.at === at);
    heap.push(5, { at: 5 }, 1);
    expect(heap.take(4)).toBeUndefined();
    expect(heap.earliest()).toBe(5);
    expect(heap.take(5)).toEqual({ at: 5 });
    expect(heap.earliest()).toBeUndefined();
  });

  it('does not grow with entries that no longer count', () => {
    const heap = new DueHeap<Value>((value, at) => value.at === at);
    const value: Value = { at: 0 };
    for (let at = 1; at <= 10_000; at++) {
      value.at = at;
      heap.push(at, value, 1);
    }
    expect((heap as unknown as { entries: unknown[] }).entries.length).toBeLessThan(200);
    expect(heap.earliest()).toBe(10_000);
  });
});
