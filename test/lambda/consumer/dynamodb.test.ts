import { DynamoDbStateStore } from '../../../lambda/adapters/dynamodb-state-store';
import { systemClock } from '../../../lambda/adapters/system-clock';
import type { PageItem } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { PermanentError } from '../../../lambda/job';
import { SeededRandomness } from '../../../lambda/simulation/seeded-randomness';
import type { Dynalite } from '../../setup/dynalite';
import { startDynalite } from '../../setup/dynalite';
import { failures, Harness, job, message, pageId } from './harness';

let dynalite: Dynalite;

beforeAll(async () => {
  dynalite = await startDynalite();
  await dynalite.createTable('state');
});

afterAll(() => dynalite.close());

/** The harness's consumer over a DynamoDB table with the same items. */
async function overDynamoDb(harness: Harness): Promise<DynamoDbStateStore> {
  const { documents: client } = dynalite;
  const store = new DynamoDbStateStore({
    client,
    tableName: 'state',
    clock: systemClock,
    randomness: new SeededRandomness(),
  });
  for (const item of harness.store.items()) {
    await store.put(item);
  }
  harness.start({ store, clock: systemClock });
  return store;
}

test('the conditions of a whole batch are ones that DynamoDB accepts', async () => {
  const outcomes: Record<string, () => never> = {
    'record-0-3': () => {
      throw new Error('fails');
    },
    'record-0-4': () => {
      throw new PermanentError('refuses');
    },
  };
  const harness = await new Harness([
    job((record) => {
      outcomes[record.id]?.();
    }),
  ]).seed([20]);
  await harness.setClaim(5, { t: 'crashed', a: 1, u: 1, f: 1 });
  await harness.setClaim(6, { a: 2, f: 1, e: 'Error: x' });
  await harness.setClaim(7, { t: 'other', a: 1, u: systemClock.now() + 1e6, f: 1 });
  await harness.setClaim(8, { a: 1, f: 1, d: { at: 5, cause: 'PermanentError', deathId: 'd8' } });
  const store = await overDynamoDb(harness);

  const firsts = [0, 1, 2, 3, 4].map((ordinal) => message({ ordinal, group: `g${ordinal}` }));
  const seconds = [10, 11, 12, 13, 14].map((ordinal, at) => message({ ordinal, group: `g${at}` }));
  // Five settlements, releases and deaths, each with the claim behind it where there is one.
  const response = await harness.handle([...firsts, ...seconds]);
  expect(failures(response)).toEqual([firsts[3]!.messageId, seconds[3]!.messageId]);

  const again = [5, 6, 7, 8].map((ordinal) => message({ ordinal, receiveCount: 3 }));
  expect(failures(await harness.handle(again))).toEqual([again[2]!.messageId]);

  const page = await store.get<PageItem>(ITEM_KEYS.page(pageId()));
  expect(page).toMatchObject({
    succeeded: new Set([0, 1, 2, 5, 6, 10, 11, 12, 14]),
    dead: new Set([4, 8]),
    settled: new Set([0, 1, 2, 4, 5, 6, 8, 10, 11, 12, 14]),
  });
  expect(Object.keys(page!.claims).sort()).toEqual(['3', '7']);
  expect(
    harness.deadLetterQueue
      .dead()
      .map(({ ordinal }) => ordinal)
      .sort(),
  ).toEqual([4, 8]);
});
