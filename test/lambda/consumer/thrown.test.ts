import fc from 'fast-check';
import { claimError, cutUtf8, describeThrown, readClaimError, utf8Length } from '../../../lambda/consumer/thrown';

describe('thrown values', () => {
  test('whatever is thrown can be described, and cut for the ledger', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }), (thrown) => {
        const { name, message } = describeThrown(thrown);
        expect(typeof name).toBe('string');
        expect(typeof message).toBe('string');
        expect(utf8Length(claimError({ name, message }))).toBeLessThanOrEqual(100);
      }),
    );
  });

  test('a cut text fits and cuts no character in two', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, bytes) => {
        const cut = cutUtf8(text, bytes);
        expect(utf8Length(cut)).toBeLessThanOrEqual(bytes);
        expect(Buffer.from(text, 'utf8').toString('utf8').startsWith(cut)).toBe(true);
        // The next character would not have fitted.
        const [next = ''] = text.slice(cut.length);
        expect(cut.length === text.length || utf8Length(cut) + 4 > bytes || utf8Length(cut + next) > bytes).toBe(true);
      }),
    );
  });

  test('an error keeps name, message and stack', () => {
    const error = new TypeError('no such thing');
    expect(describeThrown(error)).toEqual({ name: 'TypeError', message: 'no such thing', stack: error.stack });
    expect(readClaimError(claimError(describeThrown(error)))).toEqual({ name: 'TypeError', message: 'no such thing' });
    expect(readClaimError('no separator')).toEqual({ name: 'Error', message: 'no separator' });
  });
});
