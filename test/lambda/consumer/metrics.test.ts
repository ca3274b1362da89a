import { METRIC_OF_OUTCOME, METRICS } from '../../../lambda/contract';
import type { FanoutConfiguration } from '../../../lambda/contract';
import { PermanentError } from '../../../lambda/job';
import { sleep } from '../../../lambda/ports';
import { CONFIGURATION, Harness, job, JOB, message, START } from './harness';

const failing = (): never => {
  throw new Error('the vendor is down');
};

/** Outcomes that the consumer stores, without durations. */
function counts(harness: Harness): Partial<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(harness.metrics.sums()).filter(([name]) => METRICS[name as keyof typeof METRICS].unit === 'Count'),
  );
}

describe('what the consumer counts', () => {
  it('a success, with its wait, its duration and the end of its run', async () => {
    const harness: Harness = await new Harness([job(() => sleep(harness.clock, 40))]).seed([1]);
    await harness.clock.advance(500);
    const sent = message();
    await harness.deliver([{ ...sent, attributes: { ...sent.attributes, SentTimestamp: String(START + 100) } }]);
    expect(harness.metrics.sums()).toEqual({
      StartLag: 400,
      HandlerDuration: 40,
      Succeeded: 1,
      RunsCompleted: 1,
      RunDuration: 540,
    });
    expect(harness.metrics.values).toContainEqual({ metric: 'Succeeded', value: 1, jobType: JOB });
    expect(harness.metrics.values).toContainEqual({ metric: 'HandlerDuration', value: 40, jobType: JOB });
    expect(harness.metrics.published).toBe(harness.metrics.values.length);
  });

  it('a repeated delivery of a settled record as nothing', async () => {
    const harness = await new Harness([job(() => undefined)]).seed([2]);
    await harness.deliver([message()]);
    await harness.deliver([message({ receiveCount: 2 })]);
    await harness.deliver([message()]);
    expect(counts(harness)).toEqual({ Succeeded: 1 });
    expect(harness.metrics.of('HandlerDuration')).toHaveLength(1);
  });

  it('every failed attempt, and the death once', async () => {
    const harness = await new Harness([job(failing)]).seed([1]);
    for (const receiveCount of [1, 2, 3]) {
      await harness.deliver([message({ receiveCount })]);
      await harness.clock.advance(60_000);
    }
    await harness.deliver([message({ receiveCount: 4 })]);
    expect(counts(harness)).toEqual({ FailedAttempts: 3, Dead: 1, RunsCompleted: 1 });
    expect(harness.metrics.of('HandlerDuration')).toHaveLength(3);
  });

  it('the wait of a record only where it starts for the first time', async () => {
    const harness = await new Harness([job(failing)]).seed([1]);
    for (const receiveCount of [1, 2]) {
      const sent = message({ receiveCount });
      await harness.deliver([{ ...sent, attributes: { ...sent.attributes, SentTimestamp: String(START) } }]);
      await harness.clock.advance(60_000);
    }
    expect(harness.metrics.of('StartLag')).toEqual([0]);
  });

  it.each([
    ['PermanentError', { FailedAttempts: 1, Dead: 1 }],
    ['obsolete', { Obsolete: 1 }],
    ['expired', { Expired: 1 }],
    ['cancelled', { Cancelled: 1 }],
  ] as const)('the outcome of a record: %s', async (what, expected) => {
    const handler = (): never => {
      throw new PermanentError('no such address');
    };
    const configuration: FanoutConfiguration = {
      ...CONFIGURATION,
      ...(what === 'expired' && { defaults: { ...CONFIGURATION.defaults, expiresAfter: 1 } }),
    };
    const jobs = [job(handler, what === 'obsolete' ? { stillEligible: () => false } : {})];
    const harness = await new Harness(jobs, { configuration }).seed([2], {
      ...(what === 'cancelled' && { state: 'cancelled' as const }),
    });
    await harness.clock.advance(2000);
    await harness.deliver([message()]);
    expect(counts(harness)).toEqual(expected);
  });

  it('a handler that ignores its signal as a failed attempt', async () => {
    const harness = await new Harness([job(() => new Promise(() => undefined))]).seed([1]);
    await harness.deliver([message()]);
    expect(counts(harness)).toEqual({ FailedAttempts: 1 });
    expect(harness.metrics.of('HandlerDuration')[0]).toBeGreaterThan(50_000);
  });

  it('a redrive that succeeds, and one that dies again', async () => {
    let isDown = true;
    const harness = await new Harness([
      job(() => {
        if (isDown) {
          throw new PermanentError('the vendor is down');
        }
      }),
    ]).seed([2]);
    await harness.deliver([message({ ordinal: 0 }), message({ ordinal: 1 })]);
    expect(counts(harness)).toEqual({ FailedAttempts: 2, Dead: 2, RunsCompleted: 1 });
    const [first, second] = harness.deadLetterQueue.sent.map(({ body }) => message({ body }));
    await harness.deliver([first!]);
    isDown = false;
    await harness.deliver([second!]);
    expect(counts(harness)).toEqual({ FailedAttempts: 3, Dead: 3, Succeeded: 1, RunsCompleted: 1 });
  });

  it('an outcome whose reply was lost, once', async () => {
    const harness = await new Harness([job(() => undefined)]).seed([1]);
    let replies = 0;
    harness.store.after = (call) => {
      // The first update is the claim, the second the outcome.
      if (call === 'update' && ++replies === 2) {
        throw new Error('the reply is lost');
      }
    };
    await harness.deliver([message()]);
    expect(counts(harness)).toEqual({ Succeeded: 1, RunsCompleted: 1 });
  });

  it('a job under the name that it has now', async () => {
    const harness = await new Harness([job(() => undefined, { aliases: ['old.name'] })]).seed([1], {}, 'old.name');
    await harness.deliver([message({ jobType: 'old.name' })]);
    expect(harness.metrics.values).toContainEqual({ metric: 'Succeeded', value: 1, jobType: JOB });
  });

  it('nothing more for messages that it cannot read', async () => {
    const harness = await new Harness([job(() => undefined)]).seed([1]);
    await harness.deliver([message({ body: 'nonsense' })]);
    expect(harness.metrics.sums()).toEqual({});
  });
});

describe('the names of outcomes', () => {
  it('are the metrics of the same names', () => {
    for (const [outcome, metric] of Object.entries(METRIC_OF_OUTCOME)) {
      expect(metric!.toLowerCase()).toBe(outcome);
    }
  });
});
