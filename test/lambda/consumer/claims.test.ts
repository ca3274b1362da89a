import { CLOCK_SKEW_BOUND_MS } from '../../../lambda/ledger';
import { ITEM_KEYS } from '../../../lambda/contract';
import { CONFIGURATION, failures, FANOUT, Harness, job, message, REMAINING, START } from './harness';

const LEASE_END = START + REMAINING + CLOCK_SKEW_BOUND_MS;

function failing(message = 'fails'): () => never {
  return () => {
    throw new Error(message);
  };
}

describe('PROTOCOL 4.1: claims', () => {
  test('the heads of all groups are claimed in one write per page', async () => {
    const harness = await new Harness([job(() => undefined)]).seed([3, 3]);
    const batch = [0, 1].flatMap((page) => [0, 1, 2].map((ordinal) => message({ page, ordinal })));
    await harness.deliver(batch);
    const writes = harness.store.calls.filter((call) => call === 'update PAGE');
    // For each page: the claim, the settlement, and the mark that it is closed.
    expect(writes).toHaveLength(6);
  });

  test('a claim counts the attempt, and its lease is the deadline of the invocation with the bound on skew', async () => {
    const claims: unknown[] = [];
    const harness: Harness = await new Harness([
      job(async () => {
        claims.push(await harness.claim(0));
      }),
    ]).seed();
    await harness.deliver([message()]);
    expect(claims).toEqual([{ t: expect.any(String) as string, a: 1, u: LEASE_END, f: START }]);
  });

  test('a second attempt keeps the time of the first claim and counts on', async () => {
    const harness = await new Harness([job(failing())]).seed();
    await harness.deliver([message()]);
    await harness.clock.advance(10_000);
    await harness.deliver([message({ receiveCount: 2 })]);
    expect(await harness.claim(0)).toEqual({ a: 2, f: START, e: 'Error: fails' });
  });

  test('a claim whose reply was lost is found again by its token: the handler is called once, for one attempt', async () => {
    const attempts: number[] = [];
    const harness = await new Harness([job((_, { attempt }) => attempts.push(attempt))]).seed();
    let lost = 0;
    harness.store.after = (call) => {
      if (call === 'update' && lost++ === 0) {
        throw new Error('reply lost');
      }
    };
    expect(failures(await harness.deliver([0, 1].map((ordinal) => message({ ordinal }))))).toEqual([]);
    expect(attempts).toEqual([1, 1]);
  });

  test('a refused batch of claims is tried again one by one: one settled record does not hold back the others', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed([3]);
    await harness.deliver([message({ ordinal: 1 })]);
    // The queue delivers it again as if for the first time, as after a repeated send.
    expect(failures(await harness.deliver([0, 1, 2].map((ordinal) => message({ ordinal }))))).toEqual([]);
    expect(handled).toEqual(['record-0-1', 'record-0-0', 'record-0-2']);
  });

  test('a claim is not taken over before its lease and the bound on skew are over', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed();
    await harness.setClaim(0, { t: 'other', a: 1, u: START + 1_000, f: START });
    await harness.clock.advance(1_000 + CLOCK_SKEW_BOUND_MS);
    expect(failures(await harness.deliver([message({ receiveCount: 2 })]))).toHaveLength(1);
    await harness.clock.advance(1);
    expect(failures(await harness.deliver([message({ receiveCount: 3 })]))).toEqual([]);
    expect(handled).toEqual(['record-0-0']);
  });

  test('a follower is claimed only when the one before is stored as settled', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed([4, 2]);
    let writes = 0;
    harness.store.before = (call) => {
      if (call === 'update' && ++writes > 1) {
        throw new Error('the table is gone');
      }
    };
    const samePage = [0, 1].map((ordinal) => message({ ordinal, group: 'A' }));
    const otherPage = [message({ ordinal: 3, group: 'B' }), message({ page: 1, ordinal: 0, group: 'B' })];
    const response = await harness.deliver([...samePage, ...otherPage]);
    expect(failures(response)).toHaveLength(4);
    expect(handled).toEqual(['record-0-0', 'record-0-3']);
  });

  test('the same record twice in a batch is handled once', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed();
    const batch = [0, 1, 0].map((ordinal) => message({ ordinal, group: 'A' }));
    expect(failures(await harness.deliver(batch))).toEqual([]);
    expect(handled).toEqual(['record-0-0', 'record-0-1']);
  });
});

describe("PROTOCOL 4.2: another's live claim", () => {
  test('the message and its followers come back when the lease ends, at no attempt', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed();
    const until = START + 90_000;
    await harness.setClaim(0, { t: 'other', a: 1, u: until, f: START });
    const batch = [0, 1].map((ordinal) => message({ ordinal, group: 'A', receiveCount: 2 }));
    expect(failures(await harness.deliver(batch))).toHaveLength(2);
    expect(handled).toEqual([]);
    const seconds = Math.ceil((until + CLOCK_SKEW_BOUND_MS + 1 - START) / 1000);
    expect([...harness.queue.visibility.values()]).toEqual([seconds, seconds]);
    expect((await harness.page()).claims).toEqual({ 0: { t: 'other', a: 1, u: until, f: START } });
  });
});

describe('a second copy of a message, received for the first time', () => {
  test("waits for another's live claim", async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed();
    await harness.setClaim(0, { t: 'other', a: 1, u: LEASE_END, f: START });
    expect(failures(await harness.deliver([message({ receiveCount: 1 })]))).toHaveLength(1);
    expect(handled).toEqual([]);
    expect(await harness.claim(0)).toMatchObject({ t: 'other' });
  });

  test('counts on from the attempts of the first', async () => {
    const attempts: number[] = [];
    const harness = await new Harness([job((_, { attempt }) => attempts.push(attempt))]).seed();
    await harness.setClaim(0, { a: 2, f: START, e: 'Error: x' });
    expect(failures(await harness.deliver([message({ receiveCount: 1 })]))).toEqual([]);
    expect(attempts).toEqual([3]);
  });
});

describe('PROTOCOL 4.3 and 4.4: settlements', () => {
  test('a settlement whose reply was lost is read again and acknowledged', async () => {
    const harness = await new Harness([job(() => undefined)]).seed();
    let writes = 0;
    harness.store.after = (call) => {
      if (call === 'update' && ++writes === 2) {
        throw new Error('reply lost');
      }
    };
    expect(failures(await harness.deliver([message()]))).toEqual([]);
    expect((await harness.page()).succeeded).toEqual(new Set([0]));
  });

  test('a refused success returns its message', async () => {
    const harness: Harness = await new Harness([
      job(() => harness.setClaim(0, { t: 'thief', a: 2, u: LEASE_END, f: START })),
    ]).seed();
    expect(failures(await harness.deliver([message()]))).toHaveLength(1);
    expect((await harness.page()).settled).toBeUndefined();
    expect(await harness.claim(0)).toMatchObject({ t: 'thief' });
  });

  test('after a refused success the follower is not claimed', async () => {
    const handled: string[] = [];
    const harness: Harness = await new Harness([
      job(async (record) => {
        handled.push(record.id);
        await harness.setClaim(0, { t: 'thief', a: 2, u: LEASE_END, f: START });
      }),
    ]).seed();
    const batch = [0, 1].map((ordinal) => message({ ordinal, group: 'A' }));
    expect(failures(await harness.deliver(batch))).toHaveLength(2);
    expect(handled).toEqual(['record-0-0']);
    expect(await harness.claim(1)).toBeUndefined();
  });

  test('only what is stored as settled is acknowledged', async () => {
    const harness = await new Harness([job(() => undefined)]).seed();
    let writes = 0;
    harness.store.before = (call) => {
      if (call === 'update' && ++writes > 1) {
        throw new Error('the table is gone');
      }
    };
    const batch = [0, 1].map((ordinal) => message({ ordinal }));
    expect(failures(await harness.deliver(batch))).toHaveLength(2);
    // They are claimed: there is no point in coming back before the lease is over.
    expect([...harness.queue.visibility.values()][0]).toBeGreaterThan(REMAINING / 1000);
  });

  test('an outcome waits for company 200 ms at most', async () => {
    const harness: Harness = await new Harness([
      job(async (record) => {
        if (record.id === 'record-0-1') {
          await new Promise<void>((resolve) => harness.clock.setTimer(10_000, resolve));
        }
      }),
    ]).seed();
    const work = harness.handle([0, 1].map((ordinal) => message({ ordinal })));
    await harness.clock.advance(199);
    expect((await harness.page()).succeeded).toBeUndefined();
    await harness.clock.advance(1);
    expect((await harness.page()).succeeded).toEqual(new Set([0]));
    expect(failures(await harness.clock.run(work))).toEqual([]);
  });

  test('a message whose record is settled is acknowledged, and what is due on its page is repeated', async () => {
    const harness = await new Harness([job(() => undefined)]).seed([1]);
    harness.store.before = (call, key) => {
      if (call === 'delete' && key.pk.endsWith('#OPEN')) {
        throw new Error('the table is gone');
      }
    };
    expect(failures(await harness.deliver([message()]))).toEqual([]);
    expect((await harness.run()).state).toBe('scanned');
    harness.store.before = () => undefined;
    expect(failures(await harness.deliver([message({ receiveCount: 2 })]))).toEqual([]);
    expect((await harness.run()).state).toBe('completed');
    expect(harness.store.items().filter((item) => item.pk === ITEM_KEYS.openPartition(FANOUT))).toEqual([]);
  });

  test('a record of a cancelled run is settled as cancelled at its last receive, also behind one that comes back', async () => {
    const harness = await new Harness([job(() => undefined)]).seed([1], { state: 'cancelled' });
    const batch = [
      message({ envelope: { run: 'unknown' }, group: 'A' }),
      message({ ordinal: 0, group: 'A', receiveCount: CONFIGURATION.maxReceiveCount }),
    ];
    expect(failures(await harness.deliver(batch))).toEqual([batch[0]!.messageId]);
    expect((await harness.page()).cancelled).toEqual(new Set([0]));
    expect(harness.dead()).toEqual([]);
  });

  test('a record that was never started expires at its last receive, also behind one that comes back', async () => {
    const configuration = { ...CONFIGURATION, defaults: { ...CONFIGURATION.defaults, expiresAfter: 60 } };
    const harness = await new Harness([job(() => undefined)], { configuration }).seed([2]);
    await harness.setClaim(1, { a: 1, f: 0 });
    await harness.clock.advance(61_000);
    const batch = [
      message({ envelope: { run: 'unknown' }, group: 'A' }),
      message({ ordinal: 0, group: 'A', receiveCount: CONFIGURATION.maxReceiveCount }),
      message({ ordinal: 1, group: 'A', receiveCount: CONFIGURATION.maxReceiveCount }),
    ];
    expect(failures(await harness.deliver(batch))).toEqual([batch[0]!.messageId]);
    expect((await harness.page()).expired).toEqual(new Set([0]));
    expect(harness.dead()).toMatchObject([{ ordinal: 1, cause: 'Backstop', attempts: 1, errorName: 'UnknownRun' }]);
  });

  test('a record of a cancelled run is settled as cancelled without a call, also one that had failed before', async () => {
    const handled: string[] = [];
    const harness = await new Harness([job((record) => handled.push(record.id))]).seed([3], { state: 'cancelled' });
    await harness.setClaim(1, { a: 1, f: START, e: 'Error: x' });
    await harness.setClaim(2, { t: 'other', a: 1, u: LEASE_END, f: START });
    const batch = [message({ ordinal: 0 }), message({ ordinal: 1, receiveCount: 2 }), message({ ordinal: 2 })];
    expect(failures(await harness.deliver(batch))).toEqual([batch[2]!.messageId]);
    expect(handled).toEqual([]);
    expect((await harness.page()).cancelled).toEqual(new Set([0, 1]));
  });

  test('a record that has not started within expiresAfter expires; one that has started is retried on', async () => {
    const handled: string[] = [];
    const defaults = { ...CONFIGURATION.defaults, expiresAfter: 60 };
    const harness = await new Harness([job((record) => handled.push(record.id))], {
      configuration: { ...CONFIGURATION, defaults },
    }).seed([3]);
    await harness.setClaim(1, { a: 1, f: START, e: 'Error: x' });
    await harness.clock.advance(59_999);
    await harness.deliver([message({ ordinal: 0 })]);
    await harness.clock.advance(1);
    const batch = [message({ ordinal: 1, receiveCount: 2 }), message({ ordinal: 2 })];
    expect(failures(await harness.deliver(batch))).toEqual([]);
    expect(handled).toEqual(['record-0-0', 'record-0-1']);
    expect(await harness.run()).toMatchObject({ totals: { succeeded: 2, expired: 1 } });
  });

  test('a record that is no longer eligible is settled as obsolete without a call', async () => {
    const handled: string[] = [];
    const harness = await new Harness([
      job((record) => handled.push(record.id), {
        stillEligible: (record) => Promise.resolve(record.id !== 'record-0-0'),
      }),
    ]).seed([2]);
    await harness.deliver([0, 1].map((ordinal) => message({ ordinal })));
    expect(handled).toEqual(['record-0-1']);
    expect(await harness.run()).toMatchObject({ totals: { succeeded: 1, obsolete: 1 } });
  });
});
