import { ITEM_KEYS } from '../../../lambda/contract';
import { sleep } from '../../../lambda/ports';
import { FANOUT, Fixture, JOB, TICK, dyingAt, jobOver, laterTick, queueDyingAt, someRecords, tick } from './fixture';

const WATCHDOG = { kind: 'watchdog' };
const ids = (count: number): string[] => someRecords(count).map(({ id }) => id);

describe('Scanner, continuation', () => {
  /** A source that takes a second for each record. */
  const slowJob = (fixture: () => Fixture, count: number) =>
    jobOver(() => someRecords(count), {
      async *source({ cursor = 0 }: { cursor?: number }) {
        for (let place = cursor; place < count; place++) {
          await sleep(fixture().clock, 1000);
          yield { record: { id: `r${place}` }, cursor: place + 1 };
        }
      },
    });

  it('hands over when time runs short, and goes on where it was', async () => {
    const fixture: Fixture = new Fixture({ jobs: [slowJob(() => fixture, 100)], timeout: 60_000 });
    expect(await fixture.invoke()).toMatchObject({ outcome: 'continued', runId: TICK });
    expect(fixture.continuations).toEqual([{ kind: 'continuation', runId: TICK, fence: 1, hops: 1 }]);
    expect((await fixture.lock())?.token).toBeDefined();
    let answer;
    do {
      answer = await fixture.invoke(fixture.continuations.at(-1));
    } while (answer.outcome === 'continued');
    expect(answer).toMatchObject({ outcome: 'scanned', runId: TICK });
    expect(fixture.continuations.at(-1)).toMatchObject({ hops: fixture.continuations.length });
    expect(fixture.queue.keys()).toEqual(ids(100));
    expect((await fixture.runItem())?.takeovers).toBeUndefined();
  });

  it('refuses a tick between hand-over and continuation', async () => {
    const fixture: Fixture = new Fixture({ jobs: [slowJob(() => fixture, 100)], timeout: 60_000 });
    await fixture.invoke();
    expect(await fixture.invoke(laterTick)).toMatchObject({ outcome: 'skipped' });
    expect(await fixture.invoke(tick())).toMatchObject({ outcome: 'duplicate' });
  });

  it('runs a continuation that is delivered twice once', async () => {
    const fixture: Fixture = new Fixture({ jobs: [slowJob(() => fixture, 60)], timeout: 60_000 });
    await fixture.invoke();
    const [first] = fixture.continuations;
    const answers = await Promise.all([fixture.invoke(first), fixture.invoke(first)]);
    expect(answers.map(({ outcome }) => outcome)).toEqual(['scanned', 'duplicate']);
    expect(await fixture.invoke(first)).toMatchObject({ outcome: 'duplicate' });
    expect(fixture.queue.keys()).toEqual(ids(60));
  });

  it('goes on by the watchdog where the continuation never arrives, once the lease that was kept for it is over', async () => {
    const fixture: Fixture = new Fixture({ jobs: [slowJob(() => fixture, 60)], timeout: 60_000 });
    expect(await fixture.invoke()).toMatchObject({ outcome: 'continued' });
    expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'idle' });
    await fixture.clock.advance(fixture.context.configuration.lease * 1000);
    expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'scanned', runId: TICK });
    expect(fixture.queue.keys()).toEqual(ids(60));
    expect(await fixture.invoke(fixture.continuations[0])).toMatchObject({ outcome: 'duplicate' });
  });

  it('gives the lock back when Lambda does not accept the continuation', async () => {
    const fixture: Fixture = new Fixture({ jobs: [slowJob(() => fixture, 60)], timeout: 60_000 });
    const invoker = { continueScan: () => Promise.reject(new Error('throttled')) };
    await expect(fixture.invoke(tick(), { invoker })).rejects.toThrow('throttled');
    expect((await fixture.lock())?.token).toBeUndefined();
    expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'scanned', runId: TICK });
    expect(fixture.queue.keys()).toEqual(ids(60));
  });

  it('fails a run that continues without end', async () => {
    const fixture: Fixture = new Fixture({ jobs: [slowJob(() => fixture, 100)], timeout: 60_000 });
    await fixture.invoke();
    const [event] = fixture.continuations;
    await expect(fixture.invoke({ ...event, hops: 201 })).rejects.toMatchObject({ code: 'TooManyContinuations' });
    expect(await fixture.runItem()).toMatchObject({ state: 'failed' });
    expect((await fixture.lock())?.token).toBeUndefined();
  });

  it('writes the page at hand down and hands over when a source is slow within a page', async () => {
    const fixture: Fixture = new Fixture({
      jobs: [slowJob(() => fixture, 100)],
      timeout: 20_000,
      configuration: { pageSize: 500 },
    });
    expect(await fixture.invoke()).toMatchObject({ outcome: 'continued' });
    expect(fixture.queue.messages.length).toBeGreaterThan(0);
  });

  it.each([
    ['open', false],
    ['settled', true],
  ])('leaves a page, whose records are %s, that it had no time to read again to its end', async (_, areSettled) => {
    let delay = 0;
    const fixture: Fixture = new Fixture({
      jobs: [
        jobOver(() => someRecords(10), {
          async *source({ cursor = 0 }: { cursor?: number }) {
            for (let place = cursor; place < 10; place++) {
              await sleep(fixture.clock, delay);
              yield { record: { id: `r${place}` }, cursor: place + 1 };
            }
          },
        }),
      ],
      timeout: 20_000,
    });
    await expect(fixture.invoke(tick(), dyingAt(fixture, 7, true))).rejects.toThrow('the process has ended');
    expect(await fixture.keysItem(0)).toMatchObject({ count: 10 });
    if (areSettled) {
      const all = new Set(Array.from({ length: 10 }, (_, ordinal) => ordinal));
      await fixture.memory.update(
        ITEM_KEYS.page({ fanoutId: FANOUT, runId: TICK, jobType: JOB, segment: 0, page: 0 }),
        {
          add: [
            [['settled'], all],
            [['succeeded'], all],
          ],
        },
      );
    }
    delay = 4000;
    await fixture.clock.advance(60_000);
    expect(await fixture.invoke(WATCHDOG)).toMatchObject({ outcome: 'continued' });
    delay = 0;
    expect(await fixture.invoke(fixture.continuations.at(-1))).toMatchObject({ outcome: 'scanned' });
    expect((await fixture.pageItem(0))?.withdrawn).toBeUndefined();
    expect(await fixture.keysItem(0)).toMatchObject({ count: 10, duplicateCount: 0 });
    expect((await fixture.runItem())?.pages).toEqual({ 'job#0': 1 });
    expect(fixture.queue.keys()).toEqual(areSettled ? [] : ids(10));
  });

  it('reads a page again to its end though pages are smaller by now', async () => {
    const fixture: Fixture = new Fixture({ records: someRecords(10) });
    await expect(fixture.invoke(tick(), dyingAt(fixture, 7, true))).rejects.toThrow('the process has ended');
    await fixture.clock.advance(60_000);
    const configuration = { ...fixture.context.configuration, pageSize: 4 };
    expect(await fixture.invoke(WATCHDOG, { configuration })).toMatchObject({ outcome: 'scanned' });
    expect((await fixture.pageItem(0))?.withdrawn).toBeUndefined();
    expect(fixture.queue.keys()).toEqual(ids(10));
  });

  it('hands over from the midst of a page when SQS is away for too long, and sends the rest later', async () => {
    const fixture = new Fixture({ records: someRecords(10), timeout: 4000 });
    expect(await fixture.invoke(tick(), queueDyingAt(fixture, 0))).toMatchObject({ outcome: 'continued' });
    expect(await fixture.invoke(fixture.continuations[0])).toMatchObject({ outcome: 'scanned' });
    expect(fixture.queue.keys()).toEqual(ids(10));
  });
});
