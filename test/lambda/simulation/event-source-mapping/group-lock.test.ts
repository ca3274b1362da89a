import fc from 'fast-check';
import { sendAll } from '../sqs/fixtures';
import { harness, throttled } from './harness';

describe('an event source mapping', () => {
  it('never has a message of a group in two invocations at once, whatever fails, and loses none', async () => {
    const plan = fc.record({
      messages: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 40 }),
      batchSize: fc.integer({ min: 1, max: 10 }),
      maximumConcurrency: fc.integer({ min: 2, max: 5 }),
      fates: fc.array(fc.constantFrom('ok', 'ok', 'fail-first', 'throw', 'throttle', 'slow', 'garbage'), {
        minLength: 1,
      }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ messages, batchSize, maximumConcurrency, fates }) => {
        const active = new Map<string, number>();
        const succeeded = new Set<string>();
        const done = new Map<string, string[]>();
        let calls = 0;
        let most = 0;
        const world = harness(
          async ({ Records }) => {
            const fate = fates[calls++ % fates.length];
            const groups = new Set(Records.map(({ attributes }) => attributes.MessageGroupId ?? ''));
            if (fate === 'throttle') {
              throw throttled();
            }
            for (const group of groups) {
              expect(active.get(group) ?? 0).toBe(0);
              active.set(group, 1);
            }
            most = Math.max(most, world.mapping.invocations);
            await new Promise<void>((resolve) => void world.clock.setTimer(fate === 'slow' ? 4000 : 10, resolve));
            groups.forEach((group) => active.set(group, 0));
            const isGood = fate === 'ok' || fate === 'slow' || fate === 'fail-first';
            for (const { body } of isGood ? Records.slice(fate === 'fail-first' ? 1 : 0) : []) {
              succeeded.add(body);
            }
            if (fate === 'throw') {
              throw new Error('boom');
            }
            return fate === 'garbage'
              ? { batchItemFailures: [{}] }
              : { batchItemFailures: fate === 'fail-first' ? [{ itemIdentifier: Records[0]?.messageId }] : [] };
          },
          { batchSize, maximumConcurrency, functionTimeoutSeconds: 5, receives: 3 },
        );
        world.engine.observe((event) => {
          if (event.type === 'deleted') {
            expect(succeeded).toContain(event.message.body);
            const group = event.message.groupId ?? '';
            done.set(group, [...(done.get(group) ?? []), event.message.body]);
          }
        });
        messages.forEach((group, index) => {
          sendAll(world.queue, [String(index)], group);
        });
        world.mapping.start();
        for (let round = 0; world.queue.list().length > 0; round++) {
          expect(round).toBeLessThan(500);
          await world.clock.advance(30_000);
        }
        await world.mapping.stop();
        const dead = world.deadLetters.list().map(({ body }) => body);
        const finished = [...done.values()].flat();
        expect([...finished, ...dead].map(Number).sort((left, right) => left - right)).toEqual(
          messages.map((_, index) => index),
        );
        expect(most).toBeLessThanOrEqual(maximumConcurrency);
      }),
      { numRuns: 60 },
    );
  });
});
