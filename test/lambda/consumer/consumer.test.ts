import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { CHANNELS } from '../../../lambda/contract';
import { failures, Harness, job, JOB, message, RUN } from './harness';

describe('an ordinary batch', () => {
  test('a batch of ten records of one page costs one claim and one settlement', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed([20]);
    const response = await harness.deliver(Array.from({ length: 10 }, (_, ordinal) => message({ ordinal })));
    expect(response).toEqual({ batchItemFailures: [] });
    expect(handled).toHaveLength(10);
    expect(harness.store.calls).toEqual(['get RUN', 'update PAGE', 'update PAGE']);
    const page = await harness.page();
    expect(page.succeeded).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
    expect(page.settled).toEqual(page.succeeded);
    expect(page.claims).toEqual({});
  });

  test('ten records of one group of one page cost eleven writes: each settlement carries the next claim', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed([20]);
    const batch = Array.from({ length: 10 }, (_, ordinal) => message({ ordinal, group: 'acme' }));
    expect(failures(await harness.deliver(batch))).toEqual([]);
    expect(handled).toEqual(batch.map((_, ordinal) => `record-0-${ordinal}`));
    expect(harness.store.calls.filter((call) => call === 'update PAGE')).toHaveLength(11);
  });

  test('the handler is given what the contract promises', async () => {
    const contexts: unknown[] = [];
    const harness = await new Harness(
      [
        job((record, context) => {
          context.log.info('hello');
          contexts.push({ record, ...context, signal: context.signal.aborted, log: undefined });
        }),
      ],
      { setup: { dependenciesOf: () => Promise.resolve({ db: 'connected' }) } },
    ).seed([2], { params: { since: 'monday' } });
    await harness.deliver([message({ ordinal: 1, group: 'acme' })]);
    expect(contexts).toEqual([
      {
        record: { id: 'record-0-1' },
        db: 'connected',
        runId: RUN,
        jobType: JOB,
        key: 'record-0-1',
        group: 'acme',
        params: { since: 'monday' },
        attempt: 1,
        maxAttempts: 3,
        idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        trace: {},
        signal: false,
        log: undefined,
      },
    ]);
    expect(harness.logger.lines).toContainEqual({
      level: 'info',
      message: 'hello',
      fields: { runId: RUN, jobType: JOB, key: 'record-0-1' },
    });
  });

  test('every call of a handler is reported on the diagnostics channel, right before and right after', async () => {
    const seen: unknown[] = [];
    const subscriber = (signal: unknown): void => {
      seen.push(signal);
    };
    const harness = await new Harness([
      job((record) => {
        seen.push('called');
        if (record.id === 'record-0-1') {
          throw new Error('fails');
        }
      }),
    ]).seed();
    subscribe(CHANNELS.handler, subscriber);
    try {
      await harness.deliver([0, 1].map((ordinal) => message({ ordinal, group: 'acme' })));
    } finally {
      unsubscribe(CHANNELS.handler, subscriber);
    }
    const place = { jobType: JOB, runId: RUN, group: 'acme', segment: 0, page: 0, attempt: 1 };
    const [first, second] = [0, 1].map((ordinal) => ({ ...place, ordinal, key: `record-0-${ordinal}` }));
    expect(seen).toEqual([
      { phase: 'start', ...first },
      'called',
      { phase: 'succeeded', ...first },
      { phase: 'start', ...second },
      'called',
      { phase: 'failed', ...second },
    ]);
  });

  test('the last settlement of a run closes its page and completes the run', async () => {
    const harness = await new Harness([job(() => undefined)]).seed([2]);
    await harness.deliver([message({ ordinal: 0 }), message({ ordinal: 1 })]);
    expect((await harness.page()).closed).toBe(true);
    expect(await harness.run()).toMatchObject({ state: 'completed', totals: { enqueued: 2, succeeded: 2 } });
  });
});
