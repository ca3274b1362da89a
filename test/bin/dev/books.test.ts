import type { Observed } from '../../../bin/dev/observed-run';
import { differences, summaryOf } from '../../../bin/dev/books';
import type { RunTotals } from '../../../lambda/contract';

const LEDGER: RunTotals = {
  eligible: 20,
  enqueued: 14,
  rejected: 3,
  skipped: 2,
  duplicate: 1,
  succeeded: 8,
  dead: 2,
  cancelled: 1,
  expired: 1,
  obsolete: 1,
  withdrawn: 1,
};
const OBSERVED: Observed = {
  eligible: 20,
  enqueued: 13,
  rejected: 3,
  skipped: 2,
  duplicate: 1,
  succeeded: 8,
  dead: 2,
  setAside: 3,
  retried: 4,
  handlerCalls: 14,
  maxConcurrentHandlers: 5,
  outOfOrder: 0,
  handledTwice: 0,
};

const EXPECTED = { eligible: 20, maxHandlers: 5 };

describe('differences', () => {
  it('finds none in books that balance, whether a withdrawn record was sent or not', () => {
    expect(differences(OBSERVED, LEDGER, EXPECTED)).toEqual([]);
    expect(differences({ ...OBSERVED, enqueued: 14, setAside: 4 }, LEDGER, EXPECTED)).toEqual([]);
  });

  it.each<keyof Observed>(['eligible', 'rejected', 'skipped', 'duplicate', 'succeeded', 'dead'])(
    'finds %s that was seen once more than the ledger has it',
    (name) => {
      expect(differences({ ...OBSERVED, [name]: OBSERVED[name] + 1 }, LEDGER, EXPECTED)).toEqual([
        `${name}: seen ${OBSERVED[name] + 1}, in the ledger ${OBSERVED[name]}`,
      ]);
    },
  );

  it.each<[string, Partial<Observed>]>([
    ['a message too few', { enqueued: 12 }],
    ['a message too many', { enqueued: 15 }],
    ['a record that vanished', { setAside: 5 }],
    ['a record that was set aside unseen', { setAside: 2 }],
    ['more handlers at once than are allowed', { maxConcurrentHandlers: 6 }],
    ['a call out of order', { outOfOrder: 1 }],
    ['a record that was handled twice', { handledTwice: 1 }],
  ])('finds %s', (_name, change) => {
    expect(differences({ ...OBSERVED, ...change }, LEDGER, EXPECTED)).toHaveLength(1);
  });

  it('finds a ledger that does not balance in itself, and records that were never read', () => {
    const ledger = { ...LEDGER, eligible: 21, cancelled: 2 };
    expect(differences({ ...OBSERVED, eligible: 21, setAside: 4 }, ledger, EXPECTED)).toEqual([
      'books: eligible 21, enqueued or not 20',
      'books: enqueued 14, settled 15',
      'eligible: loaded 20, read 21',
    ]);
  });
});

describe('summaryOf', () => {
  it('takes from the ledger only what cannot be told apart from outside', () => {
    expect(summaryOf(OBSERVED, LEDGER, 1.26)).toMatchObject({
      enqueued: 13,
      succeeded: 8,
      cancelled: 1,
      withdrawn: 1,
      seconds: 1.3,
    });
  });
});
