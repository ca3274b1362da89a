import { z } from 'zod';
import type { JsonValue } from '../../../lambda/contract';
import { PermanentError, RetryLater } from '../../../lambda/job';
import type { AnyJob, HandlerContext } from '../../../lambda/job/job';
import { failures, gate, Harness, job, message } from './harness';

type Parts = Record<string, unknown>;

/** A job that queues the key of its records. */
function loading(parts: Parts): AnyJob {
  return job(() => undefined, { queuePayload: ({ id }: { id: string }) => id, ...parts } as never);
}

const seeded = (parts: Parts, dependencies: object = {}): Promise<Harness> =>
  new Harness([loading(parts)], { setup: { dependenciesOf: () => Promise.resolve(dependencies) } }).seed();

const one = (more = {}): ReturnType<typeof message> => message({ payload: 'queued', ...more });

describe('load', () => {
  test('reads the record for its handler: after the claim, with what was queued and the context of the attempt', async () => {
    const seen: unknown[] = [];
    const harness = await seeded(
      {
        load: async (payload: JsonValue, { key, attempt, db, signal }: HandlerContext & { db: string }) => {
          seen.push(['load', payload, key, attempt, db, signal.aborted, (await harness.claim(0))?.a]);
          return { loaded: payload };
        },
        stillEligible: (record: unknown) => {
          seen.push(['stillEligible', record]);
          return true;
        },
        handler: (record: unknown) => seen.push(['handler', record]),
      },
      { db: 'connected' },
    );
    expect(failures(await harness.deliver([one()]))).toEqual([]);
    expect(seen).toEqual([
      ['load', 'queued', 'record-0-0', 1, 'connected', false, 1],
      ['stillEligible', { loaded: 'queued' }],
      ['handler', { loaded: 'queued' }],
    ]);
    expect((await harness.page()).succeeded).toEqual(new Set([0]));
  });

  test('without it, the handler is given what was queued', async () => {
    const seen: unknown[] = [];
    const harness = await seeded({ handler: (record: unknown) => seen.push(record) });
    await harness.deliver([one()]);
    expect(seen).toEqual(['queued']);
  });

  test('it refreshes records that are queued whole, too', async () => {
    const seen: unknown[] = [];
    const harness = await seeded({
      queuePayload: undefined,
      load: ({ id }: { id: string }) => ({ id, fresh: true }),
      handler: (record: unknown) => seen.push(record),
    });
    await harness.deliver([message()]);
    expect(seen).toEqual([{ id: 'record-0-0', fresh: true }]);
  });

  test.each([[undefined], [null], [Promise.resolve(undefined)], [Promise.resolve(null)]])(
    'the record is gone where it answers %p: obsolete, without a call',
    async (answer) => {
      const calls: string[] = [];
      const harness = await seeded({
        load: () => answer,
        stillEligible: () => calls.push('stillEligible') > 0,
        handler: () => calls.push('handler'),
      });
      expect(failures(await harness.deliver([one()]))).toEqual([]);
      expect(calls).toEqual([]);
      expect((await harness.page()).obsolete).toEqual(new Set([0]));
    },
  );

  test.each([[false], [0], ['']])('the record is there where it answers %p', async (answer) => {
    const seen: unknown[] = [];
    const harness = await seeded({ load: () => answer, handler: (record: unknown) => seen.push(record) });
    await harness.deliver([one()]);
    expect(seen).toEqual([answer]);
  });

  test('what it throws is a failed attempt: it counts, comes back by the policy, and is loaded anew', async () => {
    let loads = 0;
    const seen: unknown[] = [];
    const harness = await seeded({
      load: (_: unknown, { attempt }: HandlerContext) => {
        loads += 1;
        if (attempt < 3) {
          throw new Error('the database is away');
        }
        return `version ${loads}`;
      },
      handler: (record: unknown) => seen.push(record),
    });
    const first = one();
    expect(failures(await harness.deliver([first]))).toEqual([first.messageId]);
    expect(harness.queue.visibility.get(first.receiptHandle)).toBe(10);
    expect(await harness.claim(0)).toMatchObject({ a: 1, e: 'Error: the database is away' });
    await harness.deliver([one({ receiveCount: 2 })]);
    expect(failures(await harness.deliver([one({ receiveCount: 3 })]))).toEqual([]);
    expect(seen).toEqual(['version 3']);
  });

  test('its last failed attempt is the death of the record, whose message has what was queued and nothing else', async () => {
    const harness = await seeded({ load: () => Promise.reject(new Error('away')) });
    for (const receiveCount of [1, 2, 3]) {
      await harness.deliver([one({ receiveCount })]);
    }
    expect(harness.deadLetterQueue.dead()).toMatchObject([
      { payload: 'queued', death: { cause: 'AttemptsExhausted', attempts: 3, errorMessage: 'away' } },
    ]);
    expect(harness.dead()).toMatchObject([{ state: 'dead', cause: 'AttemptsExhausted' }]);
    expect(harness.dead()[0]).not.toHaveProperty('payload');
  });

  test('PermanentError, RetryLater and retryIf mean what they mean in a handler', async () => {
    const permanent = await seeded({ load: () => Promise.reject(new PermanentError('never')) });
    await permanent.deliver([one()]);
    expect(permanent.dead()).toMatchObject([{ cause: 'PermanentError', attempts: 1 }]);
    const later = await seeded({ load: () => Promise.reject(new RetryLater({ after: 77 })) });
    const returned = one();
    await later.deliver([returned]);
    expect(later.queue.visibility.get(returned.receiptHandle)).toBe(77);
    const refused = await seeded({ load: () => Promise.reject(new Error('no')), retryIf: () => false });
    await refused.deliver([one()]);
    expect(refused.dead()).toMatchObject([{ cause: 'NotRetryable' }]);
  });

  test('it shares the time of its attempt, and its signal', async () => {
    const aborted: boolean[] = [];
    const harness = await seeded({
      load: (_: unknown, { signal }: HandlerContext) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(signal.aborted);
            reject(signal.reason as Error);
          });
        }),
    });
    const slow = one();
    expect(failures(await harness.deliver([slow]))).toEqual([slow.messageId]);
    expect(aborted).toEqual([true]);
    expect(await harness.claim(0)).toMatchObject({ a: 1, e: expect.stringContaining('TimeoutError') as string });
  });

  test('a load that ignores its signal is left behind like such a handler', async () => {
    const { opened, open } = gate();
    const harness = await seeded({ load: () => opened });
    const hung = one();
    expect(failures(await harness.deliver([hung]))).toEqual([hung.messageId]);
    // The environment takes nothing on while it is running.
    await harness.deliver([one({ ordinal: 1 })]);
    expect(harness.exits).toHaveLength(1);
    open();
  });

  test('one record that is gone, and one that cannot be read, are those alone', async () => {
    const seen: unknown[] = [];
    const harness = await seeded({
      load: (payload: JsonValue) => {
        if (payload === 'broken') {
          throw new Error('cannot be read');
        }
        return payload === 'gone' ? undefined : payload;
      },
      handler: (record: unknown) => seen.push(record),
    });
    const messages = ['a', 'gone', 'broken', 'b'].map((payload, ordinal) => message({ ordinal, payload }));
    expect(failures(await harness.deliver(messages))).toEqual([messages[2]?.messageId]);
    expect(seen).toEqual(['a', 'b']);
    const { succeeded, obsolete } = await harness.page();
    expect([succeeded, obsolete]).toEqual([new Set([0, 3]), new Set([1])]);
  });

  test('a redrive loads the record anew', async () => {
    let isAway = true;
    const seen: unknown[] = [];
    const harness = await seeded({
      load: (payload: JsonValue) => {
        if (isAway) {
          throw new PermanentError('away');
        }
        return { again: payload };
      },
      handler: (record: unknown, { attempt }: HandlerContext) => seen.push([record, attempt]),
    });
    await harness.deliver([one()]);
    isAway = false;
    await harness.deliver([message({ body: JSON.stringify(harness.deadLetterQueue.dead()[0]) })]);
    expect(seen).toEqual([[{ again: 'queued' }, 1]]);
    expect(harness.dead()).toMatchObject([{ state: 'succeeded' }]);
  });

  test('an expired, cancelled or settled record is not loaded', async () => {
    let loads = 0;
    const harness = await new Harness([loading({ load: () => (loads += 1) })]).seed([1], { state: 'cancelled' });
    await harness.deliver([one()]);
    expect((await harness.page()).cancelled).toEqual(new Set([0]));
    expect(loads).toBe(0);
  });
});

describe('what is checked of a queued payload', () => {
  test('payloadSchema, and not schema', async () => {
    const seen: unknown[] = [];
    const harness = await seeded({
      schema: z.object({ id: z.string() }),
      payloadSchema: z.string().startsWith('q').toUpperCase(),
      load: (payload: JsonValue) => payload,
      handler: (record: unknown) => seen.push(record),
    });
    await harness.deliver([one(), one({ ordinal: 1, payload: 'unlike' })]);
    expect(seen).toEqual(['QUEUED']);
    expect(harness.dead()).toMatchObject([{ ordinal: 1, cause: 'InvalidPayload', attempts: 0 }]);
  });

  test('nothing, where there is a projection and no payloadSchema', async () => {
    const seen: unknown[] = [];
    const harness = await seeded({ schema: z.never(), handler: (record: unknown) => seen.push(record) });
    await harness.deliver([one()]);
    expect(seen).toEqual(['queued']);
  });

  test('the version is that of what is queued: upgrade makes the payload for payloadSchema and load', async () => {
    const seen: unknown[] = [];
    const harness = await seeded({
      payloadVersion: 2,
      // Version 1 queued the whole record.
      upgrade: (payload: { id: string }) => payload.id,
      payloadSchema: z.string(),
      load: (id: string) => `loaded ${id}`,
      handler: (record: unknown) => seen.push(record),
    });
    await harness.deliver([message(), one({ ordinal: 1, envelope: { payloadVersion: 2 } })]);
    expect(seen).toEqual(['loaded record-0-0', 'loaded queued']);
  });

  test('a newer version waits for its code, and is not loaded', async () => {
    let loads = 0;
    const harness = await seeded({ load: () => (loads += 1) });
    const newer = one({ envelope: { payloadVersion: 2 } });
    expect(failures(await harness.deliver([newer]))).toEqual([newer.messageId]);
    expect(loads).toBe(0);
  });
});
