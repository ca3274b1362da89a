import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { CHANNELS, ITEM_KEYS } from '../../../lambda/contract';
import type { ScanSignal } from '../../../lambda/contract';
import { keyHash } from '../../../lambda/ledger';
import { Fixture, TICK, jobOver, laterTick, someRecords, tick } from './fixture';

describe('Scanner, a tick', () => {
  it('writes every record into the queue once, in pages, and ends the run as scanned', async () => {
    const fixture = new Fixture({ records: someRecords(25) });
    const answer = await fixture.invoke();
    expect(answer).toEqual({
      outcome: 'scanned',
      runId: TICK,
      counts: { pages: 3, eligible: 25, enqueued: 25, rejected: 0, skipped: 0, duplicate: 0 },
    });
    expect(fixture.queue.keys()).toEqual(someRecords(25).map(({ id }) => id));
    expect(await fixture.runItem()).toMatchObject({ state: 'scanned', pages: { 'job#0': 3 }, lanes: 'group' });
    expect([(await fixture.keysItem(0))?.count, (await fixture.pageItem(2))?.sealed]).toEqual([10, 5]);
    expect(await fixture.lock()).toMatchObject({ fence: 1, leaseUntil: 0 });
    expect((await fixture.lock())?.token).toBeUndefined();
  });

  it('leaves no timer behind', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    await fixture.invoke();
    expect(fixture.clock.nextTimer()).toBeUndefined();
  });

  it('completes a run without records at once', async () => {
    const fixture = new Fixture();
    expect(await fixture.invoke()).toMatchObject({ outcome: 'scanned' });
    expect(await fixture.runItem()).toMatchObject({ state: 'completed', totals: { eligible: 0 } });
    expect(fixture.items('F#OPEN')).toEqual([]);
  });

  it('scans every job of the registry, each in its own lane', async () => {
    const other = jobOver(() => someRecords(2), { jobType: 'other' });
    const fixture = new Fixture({ jobs: [jobOver(() => someRecords(3)), other] });
    await fixture.invoke();
    expect(fixture.queue.envelopes().map(({ job, key }) => `${job} ${key}`)).toEqual([
      'job r0',
      'job r1',
      'job r2',
      'other r0',
      'other r1',
    ]);
    expect((await fixture.runItem())?.pages).toEqual({ 'job#0': 1, 'other#0': 1 });
  });

  it('hands setup, tick, cursor and params to the source', async () => {
    const contexts: Record<string, unknown>[] = [];
    const job = jobOver(() => [], {
      setup: () => ({ db: 'pool', runId: 'not this one' }),

      async *source(context: Record<string, unknown>) {
        contexts.push(context);
      },
    });
    await new Fixture({ jobs: [job] }).invoke();
    expect(contexts).toHaveLength(1);
    expect(contexts[0]).toMatchObject({ db: 'pool', runId: TICK, tick: { scheduledTime: TICK }, params: {} });
    expect(contexts[0]?.cursor).toBeUndefined();
    expect(contexts[0]?.signal).toBeInstanceOf(AbortSignal);
  });

  it('sends every message to one SQS group where lanes are single, and keeps the logical group', async () => {
    const fixture = new Fixture({ records: someRecords(3), configuration: { lanes: 'single' } });
    await fixture.invoke();
    expect(new Set(fixture.queue.messages.map(({ groupId }) => groupId))).toEqual(new Set(['single']));
    expect(fixture.queue.envelopes().map(({ group }) => group)).toEqual(['r0', 'r1', 'r2']);
  });

  it('publishes each page with its own numbers', async () => {
    const signals: unknown[] = [];
    const listen = (message: unknown): void => void signals.push(message);
    subscribe(CHANNELS.scan, listen);
    await new Fixture({ records: [...someRecords(11), { id: 'r0' }] }).invoke();
    unsubscribe(CHANNELS.scan, listen);
    const common = { runId: TICK, jobType: 'job', rejected: 0, skipped: 0 };
    expect(signals).toEqual<Partial<ScanSignal>[]>([
      { ...common, page: 0, eligible: 10, enqueued: 10, duplicate: 0 },
      { ...common, page: 1, eligible: 2, enqueued: 1, duplicate: 1 },
    ]);
  });

  it('never writes a payload into the log', async () => {
    const records = [
      { id: 'good', secret: 'hush' },
      { id: 'bad', secret: 'hush', price: 1n },
    ];
    const fixture = new Fixture({ records });
    await fixture.invoke();
    const text = fixture.log.lines.map((line) => JSON.stringify(line)).join('\n');
    expect(text).toContain('"bad"');
    expect(text).not.toContain('hush');
  });

  it('B13: adds nothing when the same tick is delivered again', async () => {
    const fixture = new Fixture({ records: someRecords(25) });
    await fixture.invoke();
    await fixture.clock.advance(3_600_000);
    expect(await fixture.invoke()).toEqual({ outcome: 'duplicate', runId: TICK });
    expect(fixture.queue.messages).toHaveLength(25);
    expect(fixture.items('KEYS#')).toHaveLength(3);
  });

  it('B13: an invocation that fails after it enqueued, and is retried by Lambda, enqueues each record once', async () => {
    const fixture = new Fixture({ records: someRecords(25) });
    const update = fixture.memory.update.bind(fixture.memory);
    fixture.memory.update = (key, change, condition) => {
      const isEnd = change.set?.some(([, value]) => value === 'scanned') === true;
      return isEnd ? Promise.reject(new Error('table away')) : update(key, change, condition);
    };
    await expect(fixture.invoke()).rejects.toThrow('table away');
    fixture.memory.update = update;
    expect(await fixture.invoke()).toMatchObject({ outcome: 'scanned' });
    expect(fixture.queue.keys()).toEqual(someRecords(25).map(({ id }) => id));
  });

  it('B52: two deliveries at once and a third one later have the effect of one', async () => {
    const fixture = new Fixture({ records: someRecords(25) });
    const answers = await Promise.all([fixture.invoke(), fixture.invoke()]);
    answers.push(await fixture.invoke());
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['duplicate', 'duplicate', 'scanned']);
    expect(fixture.queue.messages).toHaveLength(25);
    expect(new Set(fixture.queue.keys()).size).toBe(25);
  });

  it('B52: a tick while another run is scanned is skipped, also when it is delivered again after that run', async () => {
    const fixture = new Fixture({ records: someRecords(25) });
    const [first, second] = await Promise.all([fixture.invoke(), fixture.invoke(laterTick)]);
    expect([first.outcome, second.outcome]).toEqual(['scanned', 'skipped']);
    expect(await fixture.runItem(laterTick.scheduledTime)).toMatchObject({ state: 'skipped' });
    expect(await fixture.invoke(laterTick)).toMatchObject({ outcome: 'skipped' });
    expect(fixture.queue.messages).toHaveLength(25);
  });

  it('B49: gives every item but the lock a time to live in whole seconds', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    await fixture.clock.advance(1_700_000_000_000 - fixture.clock.now());
    await fixture.invoke();
    for (const item of fixture.memory.items() as { sk: string; expiresAt?: number }[]) {
      expect([item.sk, item.expiresAt]).toEqual([
        item.sk,
        item.sk === 'LOCK' ? undefined : Math.floor(fixture.clock.now() / 1000) + 1_728_000,
      ]);
    }
  });
});

describe('Scanner, what it leaves out', () => {
  it('skips a record whose message of another run is not settled, and sends it once it is', async () => {
    const fixture = new Fixture({ records: someRecords(12) });
    await fixture.invoke();
    const second = await fixture.invoke(laterTick);
    expect(second.counts).toMatchObject({ eligible: 12, enqueued: 0, skipped: 12 });
    await fixture.settleAll();
    expect((await fixture.invoke(tick('third'))).counts).toMatchObject({ enqueued: 12, skipped: 0 });
    expect(fixture.queue.messages).toHaveLength(24);
  });

  it('B44: enqueues a record again in a later run, within five minutes, under another deduplication id', async () => {
    const fixture = new Fixture({ records: someRecords(1) });
    await fixture.invoke();
    await fixture.settleAll();
    await fixture.invoke(laterTick);
    expect(fixture.queue.keys()).toEqual(['r0', 'r0']);
  });

  it('does not look at other runs where deduplication is perRun', async () => {
    const fixture = new Fixture({ records: someRecords(3), deduplication: 'perRun' });
    await fixture.invoke();
    expect((await fixture.invoke(laterTick)).counts).toMatchObject({ enqueued: 3, skipped: 0 });
  });

  it('counts a key that comes twice in a run as a duplicate, in one page or in two', async () => {
    const fixture = new Fixture({ records: [{ id: 'a' }, { id: 'a' }, ...someRecords(20), { id: 'a' }] });
    expect((await fixture.invoke()).counts).toMatchObject({ eligible: 23, enqueued: 21, duplicate: 2 });
    expect(fixture.queue.keys().filter((key) => key === 'a')).toHaveLength(1);
  });

  it('skips keys that died within the quarantine, of this job alone', async () => {
    const fixture = new Fixture({ records: someRecords(4) });
    const now = fixture.clock.now();
    const die = (key: string, minutesAgo: number, parts: Record<string, unknown> = {}): Promise<boolean> => {
      const item = { jobType: 'job', state: 'dead', hash: keyHash('job', key), ...parts };
      return fixture.memory.put({ ...ITEM_KEYS.dead('F', now - minutesAgo * 60_000, key), ...item });
    };
    await die('r0', 59);
    await die('r1', 61);
    await die('r2', 1, { state: 'redriven' });
    await die('r3', 1, { jobType: 'other' });
    expect((await fixture.invoke()).counts).toMatchObject({ enqueued: 2, skipped: 2 });
    expect(fixture.queue.keys()).toEqual(['r1', 'r3']);
  });

  it('drops void rows of the index of open pages', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    await fixture.invoke();
    await fixture.settleAll();
    const pages = fixture.items(`F#${TICK}`).filter(({ sk }) => sk === 'PAGE');
    await fixture.memory.update(pages[0]!, { set: [[['closed'], true]] });
    await fixture.invoke(laterTick);
    expect(fixture.items('F#OPEN').filter(({ sk }) => sk.startsWith(`${TICK}#`))).toEqual([]);
  });
});

describe('Scanner, one bad record', () => {
  it('B38: rejects a record that is too large with its key and size, and sends the others whole', async () => {
    const text = (bytes: number): string => 'x'.repeat(bytes);
    const records = [{ id: 'a' }, { id: 'big', text: text(1_500_000) }, { id: 'c', text: text(300_000) }];
    const fixture = new Fixture({ records });
    expect((await fixture.invoke()).counts).toMatchObject({ eligible: 3, enqueued: 2, rejected: 1 });
    expect(fixture.queue.envelopes().map(({ payload }) => payload)).toEqual([records[0], records[2]]);
    const [rejected] = (await fixture.keysItem(0))!.rejected;
    expect(rejected?.key).toBe('big');
    expect(rejected?.cause).toMatch(/its message has 15001\d\d bytes; allowed: 1032192/);
  });

  it('B42: rejects what JSON does not keep, with key and path', async () => {
    const records = [{ id: 'a', price: 10n }, { id: 'b', rates: [1, NaN] }, { id: 'c' }];
    const fixture = new Fixture({ records });
    expect((await fixture.invoke()).counts).toMatchObject({ enqueued: 1, rejected: 2 });
    expect((await fixture.keysItem(0))?.rejected).toEqual([
      { key: 'a', cause: '$.price: JSON has no bigint: yield String(value)' },
      { key: 'b', cause: '$.rates[1]: JSON has no NaN' },
    ]);
  });

  it('tells the first twenty of many rejected records, and counts them all', async () => {
    const fixture = new Fixture({ records: Array.from({ length: 25 }, () => ({})), configuration: { pageSize: 50 } });
    expect((await fixture.invoke()).counts).toMatchObject({ eligible: 25, rejected: 25, enqueued: 0 });
    const keys = await fixture.keysItem(0);
    expect([keys?.rejectedCount, keys?.rejected.length, keys?.rejected[0]?.key]).toEqual([
      25,
      20,
      '(record 1 of page 0)',
    ]);
  });

  it('settles what SQS refuses for good as rejected, and the run still completes', async () => {
    const fixture = new Fixture({ records: someRecords(3) });
    fixture.queue.faults.push((entries, accept) => {
      accept([entries[0]!, entries[2]!]);
      const failed = [{ id: '1', code: 'InvalidMessageContents', message: 'no', senderFault: true }];
      return { accepted: ['0', '2'], failed };
    });
    expect((await fixture.invoke()).counts).toMatchObject({ eligible: 3, enqueued: 2, rejected: 1 });
    expect((await fixture.pageItem(0))?.rejected).toEqual(new Set([1]));
    await fixture.settleAll();
    await fixture.invoke({ kind: 'watchdog' });
    expect((await fixture.runItem())?.totals).toMatchObject({ eligible: 3, enqueued: 2, rejected: 1, succeeded: 2 });
  });
});
