import fc from 'fast-check';
import type { RecordEvent } from '../../../bin/dev/handler-order';
import { orderOf } from '../../../bin/dev/handler-order';

const record = (place: number, lane = 'a', segment = 0) => ({ id: `${lane}${segment}.${place}`, lane, segment, place });
type Step = [kind: RecordEvent['kind'], place: number, lane?: string];
const events = (...steps: Step[]): RecordEvent[] => {
  const records = new Map<string, ReturnType<typeof record>>();
  return steps.map(([kind, place, lane = 'a'], at) => {
    const name = `${lane}${place}`;
    const known = records.get(name) ?? record(place, lane);
    records.set(name, known);
    return { at, kind, record: known };
  });
};

describe('orderOf', () => {
  it('finds nothing in lanes whose records are handled one after another', () => {
    const order = orderOf(
      events(['start', 0], ['start', 0, 'b'], ['succeeded', 0], ['start', 1], ['succeeded', 0, 'b'], ['succeeded', 1]),
    );
    expect(order).toEqual({ maxConcurrentHandlers: 2, outOfOrder: 0, handledTwice: 0 });
  });

  it('lets a record be tried again, and the next one follow its success or death', () => {
    const order = orderOf(
      events(['start', 0], ['failed', 0], ['start', 0], ['failed', 0], ['dead', 0], ['start', 1], ['succeeded', 1]),
    );
    expect(order).toMatchObject({ outOfOrder: 0, handledTwice: 0 });
  });

  it.each<[string, Step[]]>([
    [
      'beside another of its lane',
      [
        ['start', 0],
        ['start', 1],
      ],
    ],
    [
      'while the one ahead waits for its retry',
      [
        ['start', 0],
        ['failed', 0],
        ['start', 1],
      ],
    ],
    [
      'after a later one',
      [
        ['start', 1],
        ['succeeded', 1],
        ['start', 0],
      ],
    ],
    [
      'after the one ahead was interrupted',
      [
        ['start', 0],
        ['ended', 0],
        ['start', 1],
      ],
    ],
  ])('counts a call that begins %s', (_name, steps) => {
    expect(orderOf(events(...steps)).outOfOrder).toBe(1);
  });

  it.each<[string, Step[]]>([
    [
      'after a success',
      [
        ['start', 0],
        ['succeeded', 0],
        ['start', 0],
      ],
    ],
    [
      'beside a call for the same record',
      [
        ['start', 0],
        ['start', 0],
      ],
    ],
  ])('counts a record that is handled again %s', (_name, steps) => {
    expect(orderOf(events(...steps)).handledTwice).toBe(1);
  });

  it('takes a call of a process that went away as ended', () => {
    const order = orderOf(events(['start', 0], ['ended', 0], ['start', 0], ['succeeded', 0]));
    expect(order).toEqual({ maxConcurrentHandlers: 1, outOfOrder: 0, handledTwice: 0 });
  });

  it('gives the same result in whatever order the events arrive', () => {
    const inOrder = events(
      ['start', 0],
      ['start', 0, 'b'],
      ['failed', 0],
      ['start', 1],
      ['succeeded', 0, 'b'],
      ['start', 0],
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(inOrder, { minLength: inOrder.length }), (shuffled) => {
        expect(orderOf(shuffled)).toEqual(orderOf(inOrder));
      }),
    );
  });
});
