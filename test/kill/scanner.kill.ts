import { KillWorld } from './kill-world';
import type { KillPoint } from './kill-plan';

/** Points in the life of a scan, in its order. */
const POINTS: readonly (readonly [string, Omit<KillPoint, 'function' | 'times'>])[] = [
  ['before it takes the lock', { event: '^UpdateItem LOCK token', nth: 1, when: 'before' }],
  ['when it has the lock and does not know it', { event: '^UpdateItem LOCK token', nth: 1, when: 'after' }],
  ['when its run is written down', { event: '^PutItem RUN', nth: 1, when: 'after' }],
  ['when the keys of the first page are written down', { event: '^PutItem KEYS', nth: 1, when: 'after' }],
  ['before the second page is in the index', { event: '^PutItem OPEN page', nth: 2, when: 'before' }],
  ['before it sends a batch of the second page', { event: '^SendMessageBatch work', nth: 4, when: 'before' }],
  ['when a batch is sent and the reply is not there', { event: '^SendMessageBatch work', nth: 2, when: 'after' }],
  ['before the second page is sealed', { event: '^UpdateItem PAGE sealed', nth: 2, when: 'before' }],
  ['when the second page is sealed', { event: '^UpdateItem PAGE sealed', nth: 2, when: 'after' }],
  ['when the third page is in the queue', { event: '^page$', nth: 3, when: 'after' }],
  ['before its run is scanned', { event: '^UpdateItem RUN state=scanned', nth: 1, when: 'before' }],
  ['when its run is scanned', { event: '^UpdateItem RUN state=scanned', nth: 1, when: 'after' }],
  ['before it gives the lock back', { event: '^UpdateItem LOCK leaseUntil token', nth: 1, when: 'before' }],
];

describe('a scanner that is killed', () => {
  let world: KillWorld;
  beforeAll(async () => {
    world = await KillWorld.start();
  });

  it.each(POINTS)('%s: every record ends once', async (_name, point) => {
    expect(await world.runKilledAt({ ...point, function: 'scanner', times: 1 })).toEqual([]);
  });

  it('together with the one that takes over, both in the midst of the same page: every record ends once', async () => {
    const point = { event: '^SendMessageBatch work', nth: 2, when: 'after' } as const;
    expect(await world.runKilledAt({ ...point, function: 'scanner', times: 2 })).toEqual([]);
  });

  afterAll(async () => {
    expect(await (world as KillWorld | undefined)?.stop()).toEqual([]);
  });
});
