import { z } from 'zod';
import { PermanentError, RetryLater } from '../../../lambda/job';
import { CONFIGURATION, failures, FANOUT, Harness, job, JOB, message, RUN } from './harness';

function idsOf(records: readonly { readonly messageId: string }[]): string[] {
  return records.map((record) => record.messageId);
}

describe('what is in flight while code changes, and while it fails', () => {
  test('B61: a job type that is not known waits without an attempt, and its followers with it', async () => {
    const harness = await new Harness([job(() => undefined, { jobType: 'new-name' })]).seed([2], {}, 'old-name');
    const batch = [0, 1].map((ordinal) => message({ ordinal, jobType: 'old-name', group: 'A' }));
    expect(failures(await harness.deliver(batch))).toEqual(idsOf(batch));
    expect(batch.map((record) => harness.queue.visibility.get(record.receiptHandle))).toEqual([30, 30]);
    expect(harness.store.calls).toEqual(['get RUN']);
  });

  test('B61: at the last receive a job type that is not known dies, with a cause that lists the known ones', async () => {
    const harness = await new Harness([job(() => undefined, { jobType: 'new-name' })]).seed([1], {}, 'old-name');
    const response = await harness.deliver([
      message({ jobType: 'old-name', receiveCount: CONFIGURATION.maxReceiveCount }),
    ]);
    expect(failures(response)).toEqual([]);
    expect(harness.deadLetterQueue.dead()).toMatchObject([
      {
        job: 'old-name',
        death: {
          cause: 'UnknownJobType',
          attempts: 0,
          errorMessage: 'jobType "old-name" is not in the job module; known: new-name',
        },
      },
    ]);
    expect(await harness.run()).toMatchObject({ state: 'completed', totals: { dead: 1 } });
  });

  test('B61: at the last receive it dies of its own cause also behind one that comes back', async () => {
    const harness = await new Harness([job(() => undefined, { jobType: 'new-name' })]).seed([2], {}, 'old-name');
    const { maxReceiveCount } = CONFIGURATION;
    const batch = [maxReceiveCount - 1, maxReceiveCount].map((receiveCount, ordinal) =>
      message({ ordinal, jobType: 'old-name', group: 'A', receiveCount }),
    );
    expect(failures(await harness.deliver(batch))).toEqual([batch[0]!.messageId]);
    expect(harness.dead()).toMatchObject([{ ordinal: 1, cause: 'UnknownJobType', errorName: 'UnknownJobType' }]);
  });

  test('B62: an envelope of a newer version, or of none, is left for the code that knows it', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed();
    const current = message({ ordinal: 0, key: 'current' });
    const batch = [
      current,
      message({ ordinal: 1, envelope: { v: 2 } }),
      message({ ordinal: 2, envelope: { v: '1' as never } }),
      message({ ordinal: 3, envelope: { v: undefined as never }, receiveCount: 50 }),
    ];
    expect(failures(await harness.deliver(batch))).toEqual(idsOf(batch.slice(1)));
    expect(handled).toEqual(['current']);
    expect(harness.deadLetterQueue.sent).toEqual([]);
  });

  test('B62: a payload that the schema refuses dies alone, its handler is not called and no attempt is counted', async () => {
    const handled: string[] = [];
    const schema = z.object({ id: z.string().max(6) });
    const harness = await new Harness([job((record) => handled.push(record.id), { schema: schema })]).seed();
    const batch = [
      message({ ordinal: 0, payload: { id: 'too long for it' } }),
      message({ ordinal: 1, payload: { id: 'short' } }),
    ];
    expect(failures(await harness.deliver(batch))).toEqual([]);
    expect(handled).toEqual(['short']);
    expect(harness.deadLetterQueue.dead()).toMatchObject([
      {
        ordinal: 0,
        death: { cause: 'InvalidPayload', attempts: 0, errorMessage: expect.stringMatching(/^id: /) as string },
      },
    ]);
  });

  test('B63: a handler that fails twenty times is redelivered twenty times, and nothing is sent to the work queue', async () => {
    const delays = { kind: 'fixed', delay: 0 } as const;
    const defaults = { ...CONFIGURATION.defaults, retry: { maxAttempts: 20, delays, jitter: 0 } };
    let calls = 0;
    const harness = await new Harness(
      [
        job(() => {
          calls += 1;
          throw new Error('fails');
        }),
      ],
      { configuration: { ...CONFIGURATION, maxReceiveCount: 220, defaults } },
    ).seed([1]);
    for (let receiveCount = 1; receiveCount <= 20; receiveCount++) {
      expect(failures(await harness.deliver([message({ receiveCount })]))).toHaveLength(receiveCount < 20 ? 1 : 0);
    }
    expect(calls).toBe(20);
    expect(harness.queue.sent).toEqual([]);
    expect(harness.deadLetterQueue.dead()).toMatchObject([{ death: { cause: 'AttemptsExhausted', attempts: 20 } }]);
  });

  test('spare: records of one group never run in parallel, whatever pages they lie on', async () => {
    let running = 0;
    let most = 0;
    const harness: Harness = await new Harness([
      job(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => harness.clock.setTimer(100, resolve));
        running -= 1;
      }),
    ]).seed([2, 2]);
    const places = [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ] as const;
    const batch = places.map(([page, ordinal]) => message({ page, ordinal, group: 'A' }));
    expect(failures(await harness.deliver(batch))).toEqual([]);
    expect(most).toBe(1);
    expect(await harness.run()).toMatchObject({ state: 'completed', totals: { succeeded: 4 } });
  });

  test('spare: a later message of a failing group uses no attempt while it waits', async () => {
    const harness = await new Harness([
      job((record) => {
        if (record.id === 'record-0-0') {
          throw new RetryLater({ after: 90 });
        }
      }),
    ]).seed([2]);
    const batch = [0, 1].map((ordinal) => message({ ordinal, group: 'A' }));
    expect(failures(await harness.deliver(batch))).toEqual(idsOf(batch));
    expect((await harness.page()).claims).toEqual({
      0: { a: 1, f: expect.any(Number) as number, e: 'RetryLater: retry in 90 s' },
    });
    expect(batch.map((record) => harness.queue.visibility.get(record.receiptHandle))).toEqual([90, 90]);
  });

  test('a PermanentError leads to the dead-letter queue at once', async () => {
    const harness = await new Harness([
      job(() => {
        throw new PermanentError('the address does not exist');
      }),
    ]).seed([1]);
    expect(failures(await harness.deliver([message({ group: 'acme' })]))).toEqual([]);
    const [entry] = harness.deadLetterQueue.sent;
    const [dead] = harness.deadLetterQueue.dead();
    expect(dead).toMatchObject({
      fanout: FANOUT,
      run: RUN,
      job: JOB,
      group: 'acme',
      deathId: entry!.deduplicationId,
      death: { cause: 'PermanentError', attempts: 1, errorMessage: 'the address does not exist' },
    });
    expect(entry!.groupId).toBe(dead!.deathId);
  });
});
