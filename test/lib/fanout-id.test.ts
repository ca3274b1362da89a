import fc from 'fast-check';
import { FANOUT_ID_LENGTH, fanoutId } from '../../lib/fanout-id';

const name = fc.string({ minLength: 1, maxLength: 100, unit: 'grapheme' });
const place = fc.record({ stackName: name, path: fc.array(name, { minLength: 1, maxLength: 5 }) });

describe('fanoutId', () => {
  it('reads like the stack and the construct path', () => {
    expect(fanoutId('Bookings', ['Jobs', 'Reminders'])).toMatch(/^Bookings-Jobs-Reminders-[0-9a-f]{8}$/);
  });

  it('is made of letters, digits and -, at most 64 of them, wherever the fanout stands', () => {
    fc.assert(
      fc.property(place, ({ stackName, path }) => {
        const id = fanoutId(stackName, path);
        expect(id).toMatch(/^[A-Za-z0-9][A-Za-z0-9-]*$/);
        expect(id.length).toBeLessThanOrEqual(FANOUT_ID_LENGTH);
        expect(fanoutId(stackName, [...path])).toBe(id);
      }),
    );
  });

  it('differs between two places', () => {
    fc.assert(
      fc.property(place, place, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        expect(fanoutId(one.stackName, one.path)).not.toBe(fanoutId(other.stackName, other.path));
      }),
    );
  });

  it.each([
    ['a path that reads the same', 'A', ['B-C'], 'A-B', ['C']],
    ['long paths that differ at the end alone', 'x'.repeat(128), ['Reminders1'], 'x'.repeat(128), ['Reminders2']],
    ['characters that are left out', 'A', ['B_C'], 'A', ['B.C']],
  ])('keeps apart %s', (_, oneStack, onePath, otherStack, otherPath) => {
    expect(fanoutId(oneStack, onePath)).not.toBe(fanoutId(otherStack, otherPath));
  });

  it('has a name where nothing readable is left', () => {
    expect(fanoutId('Ω', ['Ж'])).toMatch(/^f-[0-9a-f]{8}$/);
  });
});
