import { KillWorld } from './kill-world';
import type { KillPoint } from './kill-plan';

/** Points in the life of a batch, in its order. */
const POINTS: readonly (readonly [string, Omit<KillPoint, 'function' | 'times'>])[] = [
  ['before its first claim', { event: '^UpdateItem PAGE claims', nth: 1, when: 'before' }],
  ['when records are claimed and it does not know it', { event: '^UpdateItem PAGE claims', nth: 1, when: 'after' }],
  ['when a handler has begun', { event: '^handler start$', nth: 4, when: 'after' }],
  ['when a handler has succeeded', { event: '^handler succeeded$', nth: 3, when: 'after' }],
  ['before it stores outcomes', { event: '^UpdateItem PAGE .*settled', nth: 2, when: 'before' }],
  ['when outcomes are stored and it does not know it', { event: '^UpdateItem PAGE .*settled', nth: 2, when: 'after' }],
  ['when a handler has failed', { event: '^handler failed$', nth: 1, when: 'after' }],
  ['before a failed record is set to its back-off', { event: '^ChangeMessageVisibilityBatch', nth: 1, when: 'before' }],
  ['before a record is among the dead', { event: '^PutItem DEAD', nth: 1, when: 'before' }],
  ['before a dead record is sent', { event: '^SendMessageBatch dead', nth: 1, when: 'before' }],
  ['when a dead record is sent and not settled', { event: '^SendMessageBatch dead', nth: 1, when: 'after' }],
  ['before a page is closed', { event: '^UpdateItem PAGE closed', nth: 1, when: 'before' }],
  ['before a closed page leaves the index', { event: '^DeleteItem OPEN page', nth: 1, when: 'before' }],
  ['before the run is completed', { event: '^UpdateItem RUN state=completed', nth: 1, when: 'before' }],
  ['when the run is completed', { event: '^UpdateItem RUN state=completed', nth: 1, when: 'after' }],
];

describe('a consumer that is killed', () => {
  let world: KillWorld;
  beforeAll(async () => {
    world = await KillWorld.start();
  });

  it.each(POINTS)('%s: every record ends once', async (_name, point) => {
    expect(await world.runKilledAt({ ...point, function: 'consumer', times: 1 })).toEqual([]);
  });

  it('together with two that take over, all in the midst of a batch: every record ends once', async () => {
    const point = { event: '^handler start$', nth: 2, when: 'after' } as const;
    expect(await world.runKilledAt({ ...point, function: 'consumer', times: 3 })).toEqual([]);
  });

  afterAll(async () => {
    expect(await (world as KillWorld | undefined)?.stop()).toEqual([]);
  });
});
