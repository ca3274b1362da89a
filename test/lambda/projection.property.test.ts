import fc from 'fast-check';
import { Consumer } from '../../lambda/consumer/consumer';
import type { JsonValue } from '../../lambda/contract';
import { FANOUT, Fixture, jobOver } from './scanner/fixture';

/** A record that is not JSON, and what is queued of it. */
interface Case {
  readonly payload: JsonValue;
  readonly isGone: boolean;
}

const anyCase: fc.Arbitrary<Case> = fc.record({
  payload: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue),
  isGone: fc.boolean(),
});

/** Scans and handles the cases; answers what `load` and the handler were given, and what became of the run. */
async function scanAndHandle(cases: readonly Case[]) {
  const loaded: JsonValue[] = [];
  const handled: unknown[] = [];
  const fixture = new Fixture({
    jobs: [
      jobOver(
        () => cases.map((one, place) => ({ ...one, id: `r${place}`, bytes: new Uint8Array(9), at: new Date(0) })),
        {
          queuePayload: ({ payload }: Case) => payload,
          load: (payload: JsonValue, { key }: { key: string }) => {
            loaded.push(payload);
            const place = Number(key.slice(1));
            return cases[place]?.isGone === true ? null : { place, at: new Date(place) };
          },
          handler: (record: unknown) => handled.push(record),
        },
      ),
    ],
    configuration: { pageSize: 3 },
  });
  await fixture.invoke();
  const { context, queue } = fixture;
  const consumer = new Consumer({ ...context, jobs: context.registry, deadLetterQueue: queue, exit: () => undefined });
  for (const { body, groupId } of queue.messages) {
    const attributes = {
      ApproximateReceiveCount: '1',
      ApproximateFirstReceiveTimestamp: '1',
      MessageGroupId: groupId,
    };
    const Records = [{ messageId: 'm', receiptHandle: 'h', body, attributes }];
    await fixture.run(consumer.handle({ Records }, { getRemainingTimeInMillis: () => 60_000 }));
  }
  return { loaded, handled, run: await fixture.runItem(), fanoutId: FANOUT };
}

test('what queuePayload answers is what load is given, and what load answers is what the handler is given; the books balance', () =>
  fc.assert(
    fc.asyncProperty(fc.array(anyCase, { maxLength: 12 }), async (cases) => {
      const { loaded, handled, run } = await scanAndHandle(cases);
      const gone = cases.filter(({ isGone }) => isGone).length;
      expect(loaded).toEqual(cases.map(({ payload }) => payload));
      expect(handled).toEqual(cases.flatMap(({ isGone }, place) => (isGone ? [] : [{ place, at: new Date(place) }])));
      expect(run).toMatchObject({
        state: 'completed',
        totals: { eligible: cases.length, enqueued: cases.length, obsolete: gone, succeeded: cases.length - gone },
      });
    }),
    { numRuns: 60 },
  ));
