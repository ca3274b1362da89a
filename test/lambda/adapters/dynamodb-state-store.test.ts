import fc from 'fast-check';
import { systemClock } from '../../../lambda/adapters/system-clock';
import { DynamoDbStateStore } from '../../../lambda/adapters/dynamodb-state-store';
import type { ItemKey } from '../../../lambda/contract';
import type { Attribute, Change, Condition, StateStore } from '../../../lambda/ports';
import { when } from '../../../lambda/ports';
import { MemoryStateStore } from '../../../lambda/simulation/memory-state-store';
import { SeededRandomness } from '../../../lambda/simulation/seeded-randomness';
import type { Dynalite } from '../../setup/dynalite';
import { startDynalite } from '../../setup/dynalite';

type Document = ItemKey & Record<string, Attribute | undefined>;

let dynalite: Dynalite;
let store: StateStore;

beforeAll(async () => {
  dynalite = await startDynalite();
  await dynalite.createTable('state');
  store = new DynamoDbStateStore({
    client: dynalite.documents,
    tableName: 'state',
    clock: systemClock,
    randomness: new SeededRandomness(),
  });
});

afterAll(async () => {
  await dynalite.close();
});

const key = (sk: string): ItemKey => ({ pk: 'F', sk });

describe('reading', () => {
  it('answers undefined for an item that is not stored', async () => {
    expect(await store.get(key('absent'))).toBeUndefined();
  });

  it('keeps sets, bytes, maps and lists as they were written', async () => {
    const item = { ...key('kinds'), set: new Set([1, 2]), bytes: new Uint8Array([0, 255]), map: { a: [1, 'x', null] } };
    await store.put(item);
    expect(await store.get(key('kinds'))).toEqual(item);
  });

  it('does not store attributes that are undefined', async () => {
    await store.put({ ...key('undefined'), absent: undefined } as ItemKey);
    expect(await store.get(key('undefined'))).toEqual(key('undefined'));
  });

  it('reads more keys than one BatchGetItem takes', async () => {
    const keys = Array.from({ length: 120 }, (_, place) => ({ pk: 'many', sk: String(place).padStart(3, '0') }));
    await Promise.all(keys.map((each) => store.put(each)));
    expect(await store.getMany([...keys, key('absent')])).toHaveLength(120);
  });

  it.each([
    ['a prefix', { prefix: 'a' }, ['a1', 'a2']],
    ['a first sort key', { from: 'a2' }, ['a2', 'b1']],
    ['a limit', { limit: 2 }, ['a1', 'a2']],
    ['descending order', { descending: true, limit: 1 }, ['b1']],
  ])('queries by %s', async (_, range, expected) => {
    for (const each of [store, new MemoryStateStore()]) {
      await Promise.all(['b1', 'a2', 'a1'].map((sk) => each.put({ pk: 'query', sk })));
      expect((await each.query('query', range)).map((item) => item.sk)).toEqual(expected);
    }
  });
});

describe('errors', () => {
  it('throws what is not a failed condition', async () => {
    const missing = new DynamoDbStateStore({
      client: dynalite.documents,
      tableName: 'no-such-table',
      clock: systemClock,
      randomness: new SeededRandomness(),
    });
    await expect(missing.put(key('x'), when.newItem)).rejects.toThrow('resource not found');
  });
});

const ordinal = fc.integer({ min: 0, max: 3 });
const condition: fc.Arbitrary<Condition> = fc.letrec<{ any: Condition; leaf: Condition }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((of) => when.all(...of)),
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((of) => when.any(...of)),
    tie('any').map((of) => when.not(of)),
  ),
  leaf: fc.oneof(
    fc.constantFrom(when.newItem, when.storedItem, when.absent('closed'), when.present('sealed')),
    fc.tuple(fc.constantFrom('<', '<=', '>', '>=', '=') as fc.Arbitrary<'<'>, ordinal).map(([is, value]) => {
      return when.compare('fence', is, value);
    }),
    ordinal.map((member) => when.contains('settled', member)),
    ordinal.map((place) => when.absent('claims', String(place))),
    ordinal.map((place) => when.compare(['claims', String(place), 't'], '=', 'token')),
  ),
})).any;

const change: fc.Arbitrary<Change> = fc
  .record({
    set: fc.uniqueArray(fc.tuple(fc.constantFrom('sealed', 'fence'), ordinal), { selector: ([name]) => name }),
    claims: fc.uniqueArray(ordinal, { maxLength: 2 }),
    settled: fc.uniqueArray(ordinal, { maxLength: 3 }),
    remove: fc.boolean(),
  })
  .map(({ set, claims, settled, remove }) => ({
    set: [
      ...set.map(([name, value]) => [[name], value] as const),
      ...claims.map((place) => [['claims', String(place)], { t: 'token', a: 1 }] as const),
    ],
    add: settled.length === 0 ? [] : [[['settled'], new Set(settled)] as const],
    remove: remove ? [['closed'] as const] : [],
  }))
  .filter(({ set, add, remove }) => set.length + add.length + remove.length > 0);

describe('DynamoDB and the store in memory', () => {
  it('decide every condition alike and make the same item of every change', async () => {
    let example = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(condition, change), { minLength: 1, maxLength: 6 }), async (steps) => {
        const memory = new MemoryStateStore();
        const item = { ...key(`property-${example++}`), fence: 1, claims: {}, closed: true };
        for (const each of [store, memory]) {
          await each.put(item, when.newItem);
        }
        for (const [if_, then] of steps) {
          const [real, simulated] = await Promise.all([store, memory].map((each) => each.update(item, then, if_)));
          expect(simulated).toEqual(real);
        }
        expect(await memory.get<Document>(item)).toEqual(await store.get<Document>(item));
      }),
      { numRuns: 150 },
    );
  });

  it.each(['put', 'delete'] as const)('refuse a %s whose condition does not hold', async (write) => {
    for (const each of [store, new MemoryStateStore()]) {
      const item = { ...key(`refused-${write}`), fence: 2 };
      await each.put(item);
      expect(await each[write](item, when.compare('fence', '<', 2))).toBe(false);
      expect(await each.get(item)).toEqual(item);
      expect(await each[write](item, when.compare('fence', '=', 2))).toBe(true);
    }
  });
});
