import { z } from 'zod';
import { failures, FANOUT, Harness, job, message } from './harness';

function idsOf(records: readonly { readonly messageId: string }[]): string[] {
  return records.map((record) => record.messageId);
}

describe('faults of systems like this one', () => {
  test('B27: jobs are found by jobType and errors by brand, whatever minification makes of the names', async () => {
    class a extends Error {
      readonly [key: symbol]: unknown;
    }
    const foreign = new a('another copy of the package threw this');
    Object.assign(foreign, { [Symbol.for('cron-fanout.PermanentError')]: true });
    const calls: string[] = [];
    const harness = await new Harness([
      job(() => calls.push('one'), { jobType: 'one' }),
      job(
        () => {
          throw foreign;
        },
        { jobType: 'two' },
      ),
    ]).seed([1], {}, 'one');
    await harness.seed([1], {}, 'two');
    const batch = [message({ jobType: 'one' }), message({ jobType: 'two' })];
    expect(failures(await harness.deliver(batch))).toEqual([]);
    expect(calls).toEqual(['one']);
    expect(harness.deadLetterQueue.dead()).toMatchObject([{ job: 'two', death: { cause: 'PermanentError' } }]);
  });

  test('B43: a handler whose schema makes a Date is given a Date', async () => {
    const seen: unknown[] = [];
    const schema = z.object({ id: z.string(), at: z.coerce.date() });
    const harness = await new Harness([job((record) => seen.push(record), { schema: schema as never })]).seed();
    await harness.deliver([message({ payload: { id: 'r', at: '2026-01-02T03:04:05.000Z' } })]);
    expect(seen).toEqual([{ id: 'r', at: new Date('2026-01-02T03:04:05.000Z') }]);
  });

  test('B55: the failure of one group leaves the other groups of the batch alone', async () => {
    const handled: string[] = [];
    const harness = await new Harness([
      job((record) => {
        handled.push(record.id);
        if (record.id === 'a1') {
          throw new Error('a1 fails');
        }
      }),
    ]).seed();
    const batch = [
      message({ ordinal: 0, key: 'a1', group: 'A' }),
      message({ ordinal: 1, key: 'b1', group: 'B' }),
      message({ ordinal: 2, key: 'c1', group: 'C' }),
    ];
    expect(failures(await harness.deliver(batch))).toEqual([batch[0]!.messageId]);
    expect(handled).toEqual(['a1', 'b1', 'c1']);
    expect((await harness.page()).succeeded).toEqual(new Set([1, 2]));
  });

  test.each(['{oops', 'null', '[]', '42', '"text"', '', '{}', '{"v":"1"}', '{"v":0}'])(
    'B56: a message with the body %j fails alone',
    async (body) => {
      const handled: string[] = [];
      const harness = await new Harness([job((record) => handled.push(record.id))]).seed();
      const batch = [
        message({ ordinal: 0, key: 'b1', group: 'B' }),
        message({ body, sqsGroup: 'A' }),
        message({ ordinal: 1, key: 'c1', group: 'C' }),
      ];
      expect(failures(await harness.deliver(batch))).toEqual([batch[1]!.messageId]);
      expect(handled).toEqual(['b1', 'c1']);
      // The redrive policy of the queue takes it away in the end; nothing is known of a place to settle.
      expect(failures(await harness.deliver([message({ body, receiveCount: 50 })]))).toHaveLength(1);
      expect(harness.deadLetterQueue.sent).toEqual([]);
    },
  );

  test('B56: a message of another fanout fails alone and is not touched, at the last receive neither', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed();
    const batch = [
      message({ envelope: { fanout: `${FANOUT}2` }, key: 'x', receiveCount: 50 }),
      message({ ordinal: 1, key: 'mine' }),
    ];
    expect(failures(await harness.deliver(batch))).toEqual([batch[0]!.messageId]);
    expect(handled).toEqual(['mine']);
    expect(harness.store.calls.every((call) => call === 'get RUN' || call === 'update PAGE')).toBe(true);
    expect(harness.deadLetterQueue.sent).toEqual([]);
  });

  test('B56: messages without a group attribute keep to the order of the group in their body', async () => {
    const events: string[] = [];
    const harness = await new Harness([
      job(async (record) => {
        events.push(`start ${record.id}`);
        await Promise.resolve();
        events.push(`end ${record.id}`);
      }),
    ]).seed();
    await harness.deliver(
      [0, 1].map((ordinal) => message({ ordinal, key: `k${ordinal}`, group: 'A', sqsGroup: null })),
    );
    expect(events).toEqual(['start k0', 'end k0', 'start k1', 'end k1']);
  });

  test.each([
    ['a text', 'boom'],
    ['undefined', undefined],
    ['null', null],
    ['a number', 0],
    ['false', false],
    ['an object without a message', { code: 7 }],
    [
      'an object that cannot be read',
      {
        get message(): string {
          throw new Error('no');
        },
      },
    ],
    ['an object that serialises to nothing', { toJSON: () => undefined }],
    ['a frozen error', Object.freeze(new Error('frozen'))],
    ['a function', () => undefined],
    ['a symbol', Symbol('s')],
  ])('B57: a record whose handler throws %s has failed', async (_, thrown) => {
    const harness = await new Harness([
      job(() => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- that is what is tested
        throw thrown;
      }),
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- likewise
      job(() => Promise.reject(thrown), { jobType: 'rejecting' }),
    ]).seed();
    await harness.seed([1], {}, 'rejecting');
    const batch = [message({ ordinal: 1 }), message({ jobType: 'rejecting' })];
    expect(failures(await harness.deliver(batch))).toEqual(idsOf(batch));
    expect(await harness.claim(1)).toMatchObject({ a: 1 });
  });

  test('B57: a thrown value that fails whoever looks at it fails its own lane alone', async () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('hands off');
        },
      },
    );
    const harness = await new Harness([
      job((record) => {
        if (record.id === 'record-0-0') {
          // eslint-disable-next-line @typescript-eslint/only-throw-error -- that is what is tested
          throw hostile;
        }
      }),
    ]).seed();
    const batch = [0, 1].map((ordinal) => message({ ordinal }));
    expect(failures(await harness.deliver(batch))).toEqual([batch[0]!.messageId]);
    expect((await harness.page()).succeeded).toEqual(new Set([1]));
  });

  test('B57: a logger that throws changes nothing', async () => {
    const broken = (): never => {
      throw new Error('no disk');
    };
    const logger = { debug: broken, info: broken, warn: broken, error: broken, with: broken };
    const harness = await new Harness(
      [
        job((record) => {
          if (record.id === 'record-0-0') {
            throw new Error('fails');
          }
        }),
      ],
      { logger },
    ).seed();
    const batch = [message({ ordinal: 0 }), message({ ordinal: 1 })];
    expect(failures(await harness.deliver(batch))).toEqual([batch[0]!.messageId]);
  });

  test('B58: the answer names each failed message once, by its message id, and nothing else', async () => {
    const harness = await new Harness([
      job((record) => {
        if (record.id !== 'record-0-1') {
          throw new Error('fails');
        }
      }),
    ]).seed();
    const batch = [0, 1, 2].map((ordinal) => message({ ordinal }));
    expect(await harness.deliver(batch)).toEqual({
      batchItemFailures: [{ itemIdentifier: batch[0]!.messageId }, { itemIdentifier: batch[2]!.messageId }],
    });
    expect(await harness.deliver([message({ ordinal: 1 })])).toEqual({ batchItemFailures: [] });
    expect(await harness.deliver([])).toEqual({ batchItemFailures: [] });
  });

  test('B59: ten records of five seconds in twenty: what has finished stays finished, what has not started comes back', async () => {
    const started: string[] = [];
    const slow: Harness = await new Harness([
      job(async (record) => {
        started.push(record.id);
        await new Promise<void>((resolve) => slow.clock.setTimer(5_000, resolve));
      }),
    ]).seed([10]);
    const batch = Array.from({ length: 10 }, (_, ordinal) => message({ ordinal, group: 'A' }));
    const response = await slow.deliver(batch, 20_000);
    expect(started).toEqual(['record-0-0', 'record-0-1', 'record-0-2']);
    expect(failures(response)).toEqual(idsOf(batch.slice(3)));
    expect((await slow.page()).succeeded).toEqual(new Set([0, 1, 2]));
    // What was not started is back at once and has used no attempt.
    expect(batch.slice(3).map((record) => slow.queue.visibility.get(record.receiptHandle))).toEqual(Array(7).fill(0));
    expect((await slow.page()).claims).toEqual({});
    expect(slow.clock.now()).toBeLessThan(Date.UTC(2026, 0, 1) + 20_000);
  });
});
