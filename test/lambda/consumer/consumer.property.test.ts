import fc from 'fast-check';
import type { Fault, WorldRecord } from './world';
import { MAX_ATTEMPTS, World } from './world';

const behaviour = fc.constantFrom('succeed', 'succeed', 'fail', 'fail', 'refuse', 'linger', 'ignore');

const record: fc.Arbitrary<WorldRecord> = fc.record({
  group: fc.constantFrom('A', 'B', 'C'),
  behaviours: fc.array(behaviour, { maxLength: MAX_ATTEMPTS }),
});

/** A stretch of calls that go well, then a fault; an outage is long enough to outlast every patience. */
const stretch: fc.Arbitrary<Fault[]> = fc
  .tuple(
    fc.integer({ min: 0, max: 12 }),
    fc.constantFrom<Fault>('fails', 'reply lost', 'crash before', 'crash after', 'crash, lands late'),
    fc.constantFrom(1, 1, 8),
  )
  .map(([calm, kind, times]) => [...Array<Fault>(calm).fill('none'), ...Array<Fault>(times).fill(kind)]);

/** A world, the faults of its first calls, and when which environment receives. */
const scenario = fc.record({
  records: fc.array(record, { minLength: 1, maxLength: 9 }),
  faults: fc.array(stretch, { maxLength: 6 }).map((stretches) => stretches.flat()),
  copies: fc.array(fc.nat(8), { maxLength: 2 }),
  // Shorter than the claims as well: a message may come back while its handler runs.
  visibilityMs: fc.constantFrom(3_000, 30_000, 360_000),
  receives: fc.array(fc.record({ slot: fc.integer({ min: 0, max: 2 }), after: fc.integer({ min: 0, max: 30_000 }) }), {
    maxLength: 12,
  }),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** Turns until everything has to be settled once nothing fails any more. */
const LONGEST = 1_000;

async function play({ records, copies, faults, visibilityMs, receives }: Scenario): Promise<World> {
  const world = await new World(records, visibilityMs, copies).seed();
  const queue = [...faults];
  world.faults = () => queue.shift() ?? 'none';
  for (const { slot, after } of receives) {
    world.invoke(slot);
    await world.harness.clock.advance(after);
  }
  world.faults = () => 'none';
  for (let turn = 0; turn < LONGEST && !world.isDone(); turn++) {
    world.invoke(turn % 3);
    await world.step();
  }
  return world;
}

test('whatever crashes, gets lost or comes twice: each record settles once, in order, within its attempts', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (played) => {
      const world = await play(played);
      expect(world.violations).toEqual([]);
      expect(world.isDone()).toBe(true);
      const dead = world.harness.deadLetterQueue.dead();
      for (const [index, { behaviours }] of played.records.entries()) {
        const outcomes = await world.outcomes(index);
        const messages = dead.filter(({ key }) => key === `key-${index}`);
        expect(outcomes).toHaveLength(1);
        expect(messages).toHaveLength(outcomes[0] === 'dead' ? 1 : 0);
        if (outcomes[0] === 'dead') {
          expect(messages[0]!.death.attempts === MAX_ATTEMPTS || world.permanent.has(index)).toBe(true);
        }
        // Without a fault nothing dies that succeeds in one of its attempts.
        if (
          played.faults.every((one) => one === 'none') &&
          !behaviours.some((one) => one === 'refuse' || one === 'ignore')
        ) {
          const survives = behaviours.filter((one) => one === 'fail').length < MAX_ATTEMPTS;
          expect(outcomes).toEqual([survives ? 'succeeded' : 'dead']);
        }
      }
      await world.sweep();
      expect(await world.harness.run()).toMatchObject({ state: 'completed' });
    }),
    { numRuns: 100 },
  );
}, 60_000);
