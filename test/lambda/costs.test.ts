import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ItemKey } from '../../lambda/contract';
import { Consumer } from '../../lambda/consumer/consumer';
import type { Attribute, Condition, StateStore } from '../../lambda/ports';
import { Fixture, FANOUT, jobOver } from './scanner/fixture';

const RECORDS = 500;
const SHAPES = [
  { name: 'independent records', groupOf: (place: number) => `g${place}` },
  { name: 'groups of ten', groupOf: (place: number) => `g${Math.floor(place / 10)}` },
  { name: 'one long group', groupOf: () => 'g' },
];

/** Bytes of a value by the rules of DynamoDB. @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html */
function sizeOf(value: Attribute | undefined): number {
  if (value === undefined) {
    return 0;
  }
  if (typeof value === 'string') {
    return Buffer.byteLength(value);
  }
  if (typeof value === 'number') {
    return Math.ceil(String(value).length / 2) + 1;
  }
  if (value === null || typeof value === 'boolean') {
    return 1;
  }
  if (value instanceof Uint8Array) {
    return value.length;
  }
  if (value instanceof Set) {
    return [...value].reduce((sum: number, member) => sum + sizeOf(member as Attribute), 0);
  }
  return Object.entries(value as object).reduce(
    (sum, [name, member]) =>
      sum + (Array.isArray(value) ? 1 : Buffer.byteLength(name) + 1) + sizeOf(member as Attribute),
    3,
  );
}

const itemSize = (item: object | undefined): number => (item === undefined ? 0 : sizeOf(item as Attribute) - 3);

/** A store that counts request units: 1 KB a write, 4 KB a strongly consistent read; a refused write costs like one. */
function counting(store: StateStore, units: { write: number; read: number }): StateStore {
  const reads = (bytes: number): void => void (units.read += Math.max(1, Math.ceil(bytes / 4096)));
  const written = async <T>(key: ItemKey, call: () => Promise<T>): Promise<T> => {
    const before = itemSize(await store.get(key));
    const result = await call();
    units.write += Math.max(1, Math.ceil(Math.max(before, itemSize(await store.get(key))) / 1024));
    return result;
  };
  return {
    get: async <T extends ItemKey>(key: ItemKey) => {
      const item = await store.get<T>(key);
      reads(itemSize(item));
      return item;
    },
    getMany: async <T extends ItemKey>(keys: readonly ItemKey[]) => {
      const items = await store.getMany<T>(keys);
      items.forEach((item) => {
        reads(itemSize(item));
      });
      return items;
    },
    query: async <T extends ItemKey>(pk: string, range?: Parameters<StateStore['query']>[1]) => {
      const items = await store.query<T>(pk, range);
      reads(items.reduce((sum, item) => sum + itemSize(item), 0));
      return items;
    },
    put: (item, condition?: Condition) => written(item, () => store.put(item, condition)),
    update: (key, change, condition) => written(key, () => store.update(key, change, condition)),
    delete: (key, condition) => written(key, () => store.delete(key, condition)),
  };
}

/** Scans and handles a run; answers what it costs for each record. */
async function costOf(groupOf: (place: number) => string): Promise<{ write: number; read: number; calls: number }> {
  const records = Array.from({ length: RECORDS }, (_, place) => ({ id: `record-${place}`, place }));
  const group = ({ place }: (typeof records)[number]): string => groupOf(place);
  const fixture = new Fixture({ jobs: [jobOver(() => records, { group })], configuration: { pageSize: 250 } });
  const units = { write: 0, read: 0 };
  const store = counting(fixture.memory, units);
  await fixture.invoke(undefined, { store });
  const { context, queue } = fixture;
  const options = { ...context, fanoutId: FANOUT, store, jobs: context.registry, deadLetterQueue: queue };
  const consumer = new Consumer({ ...options, logger: fixture.log, exit: () => undefined });
  // SQS fills a batch from one group while it has messages.
  const groups = [...new Set(queue.messages.map(({ groupId }) => groupId))];
  const byGroup = groups.flatMap((id) => queue.messages.filter(({ groupId }) => groupId === id));
  let calls = queue.calls.length;
  for (let first = 0; first < byGroup.length; first += 10) {
    const Records = byGroup.slice(first, first + 10).map(({ body, groupId }, index) => ({
      messageId: `m${first + index}`,
      receiptHandle: `r${first + index}`,
      body,
      attributes: { ApproximateReceiveCount: '1', MessageGroupId: groupId },
    }));
    await fixture.run(consumer.handle({ Records } as never, { getRemainingTimeInMillis: () => 60_000 }));
    // Lambda's receive and delete.
    calls += 2;
  }
  expect((await fixture.runItem())?.totals?.succeeded).toBe(RECORDS);
  return { write: units.write / RECORDS, read: units.read / RECORDS, calls: calls / RECORDS };
}

describe('what a record costs', () => {
  const readme = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');

  it.each(SHAPES)('is what the README says: $name', async ({ name, groupOf }) => {
    const { write, read, calls } = await costOf(groupOf);
    const row = [name, write.toFixed(2), read.toFixed(2), calls.toFixed(2)].join(' | ');
    expect(readme.replace(/ +\|/g, ' |').replace(/\| +/g, '| ')).toContain(`| ${row} |`);
  });
});
