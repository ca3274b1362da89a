import { z } from 'zod';
import { PermanentError, RetryLater } from '../../../lambda/job';
import type { JobDefinition } from '../../../lambda/job';
import { CONFIGURATION, failures, Harness, job, JOB, message } from './harness';
import type { Record_ } from './harness';

/** A consumer whose handler keeps what it was given. */
async function consumer(parts: Partial<JobDefinition<Record_, object>>, sentAs = JOB) {
  const handled: Record_[] = [];
  const jobTypes: string[] = [];
  const harness = await new Harness([
    job((record, { jobType }) => {
      handled.push(record);
      jobTypes.push(jobType);
    }, parts),
  ]).seed([5], {}, sentAs);
  return { harness, handled, jobTypes };
}

describe('a job that was renamed', () => {
  test('B61: a message of an alias is handled by the job that has it, and settled where it was written down', async () => {
    const { harness, handled, jobTypes } = await consumer({ jobType: 'new-name', aliases: ['old-name'] }, 'old-name');
    const batch = [0, 1, 2, 3, 4].map((ordinal) => message({ ordinal, jobType: 'old-name' }));
    expect(failures(await harness.deliver(batch))).toEqual([]);
    expect(handled).toHaveLength(5);
    expect(new Set(jobTypes)).toEqual(new Set(['new-name']));
    expect(await harness.run()).toMatchObject({ state: 'completed', totals: { succeeded: 5 } });
  });

  test('B61: the policies of the job hold for messages of its aliases', async () => {
    const retry = { ...CONFIGURATION.defaults.retry, maxAttempts: 1 };
    const harness = await new Harness(
      [
        job(
          () => {
            throw new Error('fails');
          },
          { jobType: 'new-name', aliases: ['old-name'] },
        ),
      ],
      { configuration: { ...CONFIGURATION, jobs: { 'new-name': { retry } } } },
    ).seed([1], {}, 'old-name');
    expect(failures(await harness.deliver([message({ jobType: 'old-name' })]))).toEqual([]);
    expect(harness.deadLetterQueue.dead()).toMatchObject([{ job: 'old-name', death: { cause: 'AttemptsExhausted' } }]);
  });

  test('B61: what a dead message of an unknown job type says lists the aliases too', async () => {
    const { harness } = await consumer({ jobType: 'new-name', aliases: ['old-name'] }, 'oldest-name');
    await harness.deliver([message({ jobType: 'oldest-name', receiveCount: CONFIGURATION.maxReceiveCount })]);
    expect(harness.dead()).toMatchObject([
      { errorMessage: 'jobType "oldest-name" is not in the job module; known: new-name, old-name' },
    ]);
  });
});

describe('a payload that changed its shape', () => {
  const schema = z.object({ id: z.string(), name: z.string() });
  const parts = {
    schema: schema as never,
    payloadVersion: 2,
    upgrade: (payload: unknown, version: number) => ({ ...(payload as Record_), name: `from ${version}` }),
  };

  test('B62: payloads of this version and of the one before are handled, the older one upgraded before its schema', async () => {
    const { harness, handled } = await consumer(parts);
    const batch = [
      message({ ordinal: 0, payload: { id: 'N', name: 'x' }, envelope: { payloadVersion: 2 } }),
      message({ ordinal: 1, payload: { id: 'N-1' }, envelope: { payloadVersion: 1 } }),
      message({ ordinal: 2, payload: { id: 'missing' } }),
    ];
    expect(failures(await harness.deliver(batch))).toEqual([]);
    expect(handled).toEqual([
      { id: 'N', name: 'x' },
      { id: 'N-1', name: 'from 1' },
      { id: 'missing', name: 'from 1' },
    ]);
  });

  test('B62: a payload of the next version, or whose version is a text, waits without an attempt', async () => {
    const { harness, handled } = await consumer(parts);
    const batch = [
      message({ ordinal: 0, envelope: { payloadVersion: 3 } }),
      message({ ordinal: 1, envelope: { payloadVersion: '1' as never } }),
    ];
    expect(failures(await harness.deliver(batch))).toHaveLength(2);
    expect(harness.queue.visibility.get(batch[0]!.receiptHandle)).toBe(30);
    expect(handled).toEqual([]);
    expect(await harness.claim(0)).toBeUndefined();
    expect(harness.dead()).toEqual([]);
  });

  test('B62: after a rollback the messages of the newer code wait for it, whatever the job declares', async () => {
    const { harness, handled } = await consumer({});
    const newer = { payload: { id: 'later' }, envelope: { payloadVersion: 2 } };
    for (let receiveCount = 1; receiveCount < CONFIGURATION.maxReceiveCount; receiveCount += 10) {
      expect(failures(await harness.deliver([message({ ...newer, receiveCount })]))).toHaveLength(1);
    }
    const forward = harness.start({ jobs: new Map([[JOB, job((record) => handled.push(record), parts)]]) });
    harness.consumer = forward;
    const again = message({ ...newer, payload: { id: 'later', name: 'x' }, receiveCount: 49 });
    expect(failures(await harness.deliver([again]))).toEqual([]);
    expect(handled).toEqual([{ id: 'later', name: 'x' }]);
    expect(harness.dead()).toEqual([]);
  });

  test('at its last receive a payload of a newer version dies with a cause that names both versions', async () => {
    const { harness } = await consumer(parts);
    await harness.deliver([message({ envelope: { payloadVersion: 3 }, receiveCount: CONFIGURATION.maxReceiveCount })]);
    expect(harness.dead()).toMatchObject([{ cause: 'Backstop', errorName: 'NewerPayload', attempts: 0 }]);
    expect(harness.dead()[0]!.errorMessage).toMatch(/the payload has version 3, job "booking.reminder" knows 2/);
  });

  test('at its last receive a payload that is refused dies of that, also behind one that comes back', async () => {
    const upgrade = (): never => {
      throw new PermanentError('too old');
    };
    const { harness } = await consumer({ ...parts, upgrade });
    const batch = [
      message({ ordinal: 0, group: 'A', envelope: { payloadVersion: 3 } }),
      message({ ordinal: 1, group: 'A', receiveCount: CONFIGURATION.maxReceiveCount }),
    ];
    expect(failures(await harness.deliver(batch))).toEqual([batch[0]!.messageId]);
    expect(harness.dead()).toMatchObject([{ ordinal: 1, cause: 'InvalidPayload', errorName: 'InvalidPayload' }]);
  });

  test('an upgrade that throws keeps its message waiting; a PermanentError lets the record die', async () => {
    const failing = (error: Error) =>
      consumer({
        ...parts,
        upgrade: () => {
          throw error;
        },
      });
    const waiting = await failing(new Error('no such member'));
    expect(failures(await waiting.harness.deliver([message()]))).toHaveLength(1);
    expect(await waiting.harness.claim(0)).toBeUndefined();
    const dying = await failing(new PermanentError('too old'));
    expect(failures(await dying.harness.deliver([message()]))).toEqual([]);
    expect(dying.harness.dead()).toMatchObject([
      { cause: 'InvalidPayload', errorMessage: 'upgrade from version 1: too old', attempts: 0 },
    ]);
  });

  test('a dead record keeps the version of its payload, so that its redrive is upgraded', async () => {
    let fails = true;
    const names: unknown[] = [];
    const harness = await new Harness([
      job((record) => {
        names.push(record.name);
        if (fails) {
          throw new PermanentError('not now');
        }
      }, parts),
    ]).seed([1]);
    await harness.deliver([message({ envelope: { payloadVersion: 1 } })]);
    fails = false;
    const [dead] = harness.deadLetterQueue.dead();
    expect(dead).toMatchObject({ payloadVersion: 1, payload: { id: 'record-0-0' } });
    expect(failures(await harness.deliver([message({ envelope: dead! })]))).toEqual([]);
    expect(names).toEqual(['from 1', 'from 1']);
  });
});

describe('retryIf', () => {
  const thrown = new TypeError('no such customer');
  const failing = async (retryIf: JobDefinition<Record_, object>['retryIf'], error: unknown = thrown) => {
    const harness = await new Harness([
      job(
        () => {
          throw error;
        },
        retryIf === undefined ? {} : { retryIf },
      ),
    ]).seed([1]);
    return { harness, returned: failures(await harness.deliver([message()])) };
  };

  test('false lets the record die at once, with the cause NotRetryable and its error', async () => {
    const asked: unknown[] = [];
    const { harness, returned } = await failing((error, { attempt }) => {
      asked.push([error, attempt]);
      return false;
    });
    expect(returned).toEqual([]);
    expect(asked).toEqual([[thrown, 1]]);
    expect(harness.deadLetterQueue.dead()).toMatchObject([
      { death: { cause: 'NotRetryable', attempts: 1, errorName: 'TypeError', errorMessage: 'no such customer' } },
    ]);
  });

  test('true, and anything that is not false, is a retry', async () => {
    for (const answer of [true, undefined, 0, Promise.resolve(false)]) {
      const { harness, returned } = await failing(() => answer as never);
      expect(returned).toHaveLength(1);
      expect(harness.dead()).toEqual([]);
    }
  });

  test('a retryIf that throws is logged, and the record is retried', async () => {
    const { harness, returned } = await failing(() => {
      throw new Error('a mistake in it');
    });
    expect(returned).toHaveLength(1);
    expect(harness.logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'retryIf threw; the record is retried' }),
    );
  });

  test('it is not asked about PermanentError and RetryLater', async () => {
    const never = jest.fn(() => false);
    const later = await failing(never, new RetryLater({ after: 7 }));
    expect(later.returned).toHaveLength(1);
    const permanent = await failing(() => true, new PermanentError('no'));
    expect(permanent.harness.dead()).toMatchObject([{ cause: 'PermanentError' }]);
    expect(never).not.toHaveBeenCalled();
  });
});
