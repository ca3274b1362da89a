import { CLOCK_SKEW_BOUND_MS } from '../../../lambda/ledger';
import { sleep } from '../../../lambda/ports';
import { CONFIGURATION, failures, gate, Harness, job, message, REMAINING, START } from './harness';

const LEASE_END = START + REMAINING + CLOCK_SKEW_BOUND_MS;

describe('the time of a handler', () => {
  test('its signal fires before the deadline, with room left to answer', async () => {
    let firedAt = 0;
    const harness: Harness = await new Harness([
      job(async (_, { signal }) => {
        await sleep(harness.clock, 10 * REMAINING, signal);
        firedAt = harness.clock.now();
        signal.throwIfAborted();
      }),
    ]).seed();
    expect(failures(await harness.deliver([message()]))).toHaveLength(1);
    expect(firedAt).toBe(START + REMAINING - 5_000);
    expect(harness.clock.now()).toBeLessThan(START + REMAINING);
    expect(await harness.claim(0)).toMatchObject({ a: 1, e: 'TimeoutError: the time of the handler is over' });
  });

  test('its signal fires after handlerTimeout; other lanes go on', async () => {
    const reasons: unknown[] = [];
    const handled: string[] = [];
    const defaults = { ...CONFIGURATION.defaults, handlerTimeout: 3 };
    const harness: Harness = await new Harness(
      [
        job(async (record, { signal }) => {
          if (record.id === 'record-0-0') {
            await sleep(harness.clock, REMAINING, signal);
            reasons.push([harness.clock.now() - START, (signal.reason as Error).name]);
            signal.throwIfAborted();
          }
          handled.push(record.id);
        }),
      ],
      { configuration: { ...CONFIGURATION, defaults } },
    ).seed();
    const batch = [0, 1].map((ordinal) => message({ ordinal }));
    expect(failures(await harness.deliver(batch))).toEqual([batch[0]!.messageId]);
    expect(reasons).toEqual([[3_000, 'TimeoutError']]);
    expect(handled).toEqual(['record-0-1']);
  });

  test('a handler that ends within its grace has succeeded', async () => {
    const harness: Harness = await new Harness([job(() => sleep(harness.clock, REMAINING - 4_000))]).seed();
    expect(failures(await harness.deliver([message()]))).toEqual([]);
  });

  test('nothing starts once the time is over', async () => {
    const handled: string[] = [];
    const harness: Harness = await new Harness([job((record) => handled.push(record.id))], {
      setup: { dependenciesOf: () => sleep(harness.clock, REMAINING - 4_000).then(() => ({})) },
    }).seed();
    const late = message();
    expect(failures(await harness.deliver([late]))).toHaveLength(1);
    expect(handled).toEqual([]);
    expect(harness.queue.visibility.get(late.receiptHandle)).toBe(0);
    expect((await harness.page()).claims).toEqual({});
  });

  test('a claim that came too late gives its attempt back', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed();
    const update = harness.store.update.bind(harness.store);
    let writes = 0;
    harness.store.update = async (...write) => {
      await (++writes === 1 ? sleep(harness.clock, REMAINING - 4_000) : undefined);
      return update(...write) as never;
    };
    expect(failures(await harness.deliver([message()]))).toHaveLength(1);
    expect(handled).toEqual([]);
    expect(await harness.claim(0)).toMatchObject({ a: 0 });
  });
});

describe('a handler that ignores its signal', () => {
  async function abandoned(): Promise<{ harness: Harness; end: () => void; handled: string[] }> {
    const { opened, open } = gate();
    const handled: string[] = [];
    const harness = await new Harness([
      job(async (record) => {
        if (record.id === 'record-0-0') {
          await opened;
        }
        handled.push(record.id);
      }),
    ]).seed();
    return { harness, end: open, handled };
  }

  test('its message comes back when its claim may be taken over; finished records stay finished', async () => {
    const { harness } = await abandoned();
    const batch = [message({ ordinal: 0, group: 'A' }), message({ ordinal: 1, group: 'A' }), message({ ordinal: 2 })];
    expect(failures(await harness.deliver(batch))).toEqual([batch[0]!.messageId, batch[1]!.messageId]);
    const answered = harness.clock.now();
    expect(answered).toBeLessThan(START + REMAINING);
    expect(await harness.claim(0)).toMatchObject({ a: 1, u: LEASE_END });
    const seconds = Math.ceil((LEASE_END + CLOCK_SKEW_BOUND_MS + 1 - answered) / 1000);
    expect(batch.slice(0, 2).map((record) => harness.queue.visibility.get(record.receiptHandle))).toEqual([
      seconds,
      seconds,
    ]);
    expect((await harness.page()).succeeded).toEqual(new Set([2]));
  });

  test('the environment takes no further work: it hands the next batch back at once and ends', async () => {
    const { harness, handled } = await abandoned();
    await harness.deliver([message({ ordinal: 0 })]);
    const next = message({ ordinal: 1 });
    expect(failures(await harness.deliver([next]))).toEqual([next.messageId]);
    expect(harness.queue.visibility.get(next.receiptHandle)).toBe(0);
    expect(harness.exits).toHaveLength(1);
    expect(handled).toEqual([]);
    expect((await harness.page()).claims).not.toHaveProperty('1');
  });

  test('the environment ends before the claim may be taken over', async () => {
    const { harness } = await abandoned();
    await harness.deliver([message({ ordinal: 0 })]);
    await harness.clock.advance(LEASE_END - 1 - harness.clock.now());
    expect(harness.exits).toEqual([]);
    await harness.clock.advance(1);
    expect(harness.exits).toEqual([LEASE_END]);
  });

  test('a success that comes late is recorded, and the environment works on', async () => {
    const { harness, end, handled } = await abandoned();
    await harness.deliver([message({ ordinal: 0 })]);
    end();
    await harness.clock.advance(1);
    expect((await harness.page()).succeeded).toEqual(new Set([0]));
    expect(
      failures(await harness.deliver([message({ ordinal: 0, receiveCount: 2 }), message({ ordinal: 1 })])),
    ).toEqual([]);
    expect(handled).toEqual(['record-0-0', 'record-0-1']);
    await harness.clock.advance(2 * REMAINING);
    expect(harness.exits).toEqual([]);
  });

  test('at the last receive its record dies, since SQS would not deliver it again', async () => {
    const { harness } = await abandoned();
    expect(failures(await harness.deliver([message({ ordinal: 0, receiveCount: 50 })]))).toEqual([]);
    expect(harness.deadLetterQueue.dead()).toMatchObject([
      { death: { cause: 'Backstop', errorName: 'HandlerTimeout' } },
    ]);
  });
});

describe('invocations', () => {
  test('invocations at once in one process do not meet', async () => {
    const seen: string[] = [];
    const harness: Harness = await new Harness([
      job(async (record, { signal }) => {
        await sleep(harness.clock, record.id === 'record-0-0' ? 20_000 : 100, signal);
        seen.push(`${record.id} ${String(signal.aborted)}`);
      }),
    ]).seed();
    const [long, short] = [message({ ordinal: 0 }), message({ ordinal: 1 })];
    const first = harness.handle([long]);
    const second = harness.handle([short], 1_000);
    const third = harness.handle([message({ body: 'x' })]);
    expect(failures(await harness.clock.run(second))).toEqual([]);
    expect(failures(await harness.clock.run(third))).toHaveLength(1);
    expect(failures(await harness.clock.run(first))).toEqual([]);
    expect(seen).toEqual(['record-0-1 false', 'record-0-0 false']);
  });

  test('nothing of an invocation stays behind: no timer, no failure of the batch before', async () => {
    const harness = await new Harness([
      job((_, { attempt }) => {
        if (attempt === 1) {
          throw new Error('fails once');
        }
      }),
    ]).seed();
    expect(failures(await harness.deliver([message({ ordinal: 0 })]))).toHaveLength(1);
    expect(harness.clock.nextTimer()).toBeUndefined();
    expect(failures(await harness.deliver([message({ ordinal: 0, receiveCount: 2 })]))).toEqual([]);
    expect(harness.clock.nextTimer()).toBeUndefined();
  });
});
