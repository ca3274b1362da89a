import type { Claim, DeadItem } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { keyHash } from '../../../lambda/ledger';
import { CONFIGURATION, dyingAt, FANOUT, Fixture, JOB, laterTick, someRecords, TICK } from './fixture';

const WATCHDOG = { kind: 'watchdog' };
const DEADLINE_MS = (CONFIGURATION.queueRetention + 12 * 3600) * 1000;
const PAGE = ITEM_KEYS.page({ fanoutId: FANOUT, runId: TICK, jobType: JOB, segment: 0, page: 0 });

const deadOf = (fixture: Fixture): DeadItem[] =>
  fixture.items(ITEM_KEYS.deadPartition(FANOUT)).filter(({ pk }) => pk.endsWith('#DEAD')) as DeadItem[];

const setClaims = (fixture: Fixture, claims: Readonly<Record<string, Claim>>): Promise<unknown> =>
  fixture.memory.update(PAGE, {
    set: Object.entries(claims).map(([ordinal, claim]) => [['claims', ordinal], { ...claim } as never]),
  });

/** A run of `count` records of which nothing was ever heard again, at its deadline and `ms` later. */
async function lost(count: number, ms = 1): Promise<Fixture> {
  const fixture = new Fixture({ records: someRecords(count), configuration: { pageSize: 1000 } });
  await fixture.invoke();
  await fixture.clock.advance(DEADLINE_MS + ms);
  return fixture;
}

describe('PROTOCOL 3: the sweep at the deadline of a page', () => {
  it('lets records die of which no message came, and completes their run', async () => {
    const fixture = await lost(3);
    const sealedAt = (await fixture.pageItem(0))!.sealedAt!;
    await fixture.invoke(WATCHDOG);
    expect(await fixture.pageItem(0)).toMatchObject({
      closed: true,
      lostAt: sealedAt + DEADLINE_MS,
      dead: new Set([0, 1, 2]),
      claims: {},
    });
    expect(await fixture.runItem()).toMatchObject({ state: 'completed', totals: { eligible: 3, dead: 3 } });
    expect(deadOf(fixture)).toHaveLength(3);
    expect(deadOf(fixture)).toContainEqual(
      expect.objectContaining({
        cause: 'Lost',
        state: 'dead',
        key: `hash:${Buffer.from(keyHash(JOB, 'r1')).toString('hex')}`,
        group: '',
        hash: keyHash(JOB, 'r1'),
        ordinal: 1,
        attempts: 0,
        diedAt: sealedAt + DEADLINE_MS,
      }),
    );
    expect(fixture.items('F#OPEN').filter(({ pk }) => pk === 'F#OPEN')).toEqual([]);
  });

  it('does nothing up to the deadline', async () => {
    const fixture = await lost(3, 0);
    await fixture.invoke(WATCHDOG);
    expect(deadOf(fixture)).toEqual([]);
    expect((await fixture.pageItem(0))?.settled).toBeUndefined();
  });

  it('leaves alone what is settled, and what a handler holds, until its claim is over', async () => {
    const fixture = await lost(3);
    await fixture.memory.update(PAGE, {
      add: [
        [['settled'], new Set([0])],
        [['succeeded'], new Set([0])],
      ],
    });
    const now = fixture.clock.now();
    await setClaims(fixture, { 1: { t: 'token', a: 2, u: now + 1000, f: now - 5000 } });
    await fixture.invoke(WATCHDOG);
    expect(await fixture.pageItem(0)).toMatchObject({ succeeded: new Set([0]), dead: new Set([2]) });
    await fixture.clock.advance(6_001);
    await fixture.invoke(WATCHDOG);
    expect(await fixture.pageItem(0)).toMatchObject({ closed: true, dead: new Set([1, 2]) });
    expect(deadOf(fixture).find(({ ordinal }) => ordinal === 1)).toMatchObject({ attempts: 2, cause: 'Lost' });
  });

  it('carries on a death that was begun, with its own cause and identity', async () => {
    const fixture = await lost(1);
    const dying = { at: 42, cause: 'PermanentError', deathId: 'begun' };
    await setClaims(fixture, { 0: { a: 1, f: 40, e: 'Error: no', d: dying } });
    await fixture.invoke(WATCHDOG);
    expect(deadOf(fixture)).toMatchObject([{ cause: 'PermanentError', deathId: 'begun', diedAt: 42, attempts: 1 }]);
    expect(await fixture.runItem()).toMatchObject({ state: 'completed' });
    expect(await fixture.pageItem(0)).toMatchObject({ swept: new Set(['0@42']) });
  });

  it.each([true, false])(
    'is repeated after a crash at any of its writes (applied: %s), with one death for each record',
    async (isApplied) => {
      for (let write = 1; write <= 12; write++) {
        const fixture = await lost(4);
        await fixture.invoke(WATCHDOG, dyingAt(fixture, write, isApplied)).catch(() => 'ended');
        await fixture.invoke(WATCHDOG);
        expect(await fixture.pageItem(0)).toMatchObject({ dead: new Set([0, 1, 2, 3]) });
        expect(new Set(deadOf(fixture).map(({ deathId }) => deathId)).size).toBe(4);
        expect(deadOf(fixture)).toHaveLength(4);
        expect(await fixture.runItem()).toMatchObject({ state: 'completed', totals: { dead: 4 } });
      }
    },
  );

  it('two sweeps at once settle every record once', async () => {
    const fixture = await lost(40);
    const both = Promise.all([fixture.start(WATCHDOG), fixture.start(WATCHDOG)]);
    await fixture.run(both);
    await fixture.invoke(WATCHDOG);
    expect(deadOf(fixture)).toHaveLength(40);
    expect(await fixture.runItem()).toMatchObject({ state: 'completed', totals: { dead: 40 } });
  });

  it('settles a bounded number of records in one call, the others in the next', async () => {
    const fixture = await lost(700);
    await fixture.invoke(WATCHDOG);
    expect((await fixture.pageItem(0))!.dead!.size).toBe(500);
    await fixture.invoke(WATCHDOG);
    expect(await fixture.runItem()).toMatchObject({ state: 'completed', totals: { dead: 700 } });
  });

  it('keeps lost keys in quarantine', async () => {
    const fixture = await lost(3);
    await fixture.invoke(WATCHDOG);
    expect((await fixture.invoke(laterTick)).counts).toMatchObject({ skipped: 3, enqueued: 0 });
  });
});
