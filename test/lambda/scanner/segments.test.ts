import type { FanoutConfiguration } from '../../../lambda/contract';
import { sleep } from '../../../lambda/ports';
import { CONFIGURATION, FANOUT, Fixture, TICK, dyingAt, jobOver, someRecords, tick } from './fixture';

const WATCHDOG = { kind: 'watchdog' };
const RESUME = { kind: 'resume', runId: TICK };
const LEASE_MS = 60_000;

const configured = (segments: number): Partial<FanoutConfiguration> => ({
  pageSize: 4,
  defaults: { ...CONFIGURATION.defaults, segments },
});

interface SegmentContext {
  readonly cursor?: number;
  readonly segment: { readonly index: number; readonly count: number };
}

/** Records `r0` to `r<count - 1>`, dealt out to the segments in turn; `before` is awaited before each. */
function segmentedFixture(
  segments: number,
  count: number,
  before: (place: number, fixture: Fixture) => unknown = () => undefined,
  timeout = 900_000,
): Fixture {
  const fixture: Fixture = new Fixture({
    configuration: configured(segments),
    timeout,
    jobs: [
      jobOver(() => [], {
        async *source({ cursor, segment }: SegmentContext) {
          for (let place = cursor ?? segment.index; place < count; place += segment.count) {
            await before(place, fixture);
            yield { record: { id: `r${place}` }, cursor: place + segment.count };
          }
        },
      }),
    ],
  });
  return fixture;
}

const sorted = (keys: readonly string[]): string[] => [...keys].sort();
const ids = (count: number): string[] => sorted(someRecords(count).map(({ id }) => id));

describe('Scanner, segments of a source', () => {
  it('reads each segment with a cursor and pages of its own, and every record once', async () => {
    const fixture = segmentedFixture(3, 25);
    expect(await fixture.invoke()).toMatchObject({ outcome: 'scanned', counts: { eligible: 25, enqueued: 25 } });
    expect(sorted(fixture.queue.keys())).toEqual(ids(25));
    expect(await fixture.runItem()).toMatchObject({
      segments: { job: 3 },
      pages: { 'job#0': 3, 'job#1': 2, 'job#2': 2 },
    });
    await fixture.settleAll();
    await fixture.invoke(WATCHDOG);
    expect(await fixture.runItem()).toMatchObject({ state: 'completed', totals: { eligible: 25, succeeded: 25 } });
    expect(fixture.items(`${FANOUT}#OPEN`)).toEqual([]);
  });

  it('tells a source that is not split that it reads all of it', async () => {
    const seen: unknown[] = [];
    const job = jobOver(() => [], {
      async *source({ segment }: SegmentContext) {
        await Promise.resolve(seen.push(segment));
      },
    });
    const fixture = new Fixture({ jobs: [job] });
    await fixture.invoke();
    expect(seen).toEqual([{ index: 0, count: 1 }]);
    expect(await fixture.runItem()).not.toHaveProperty('segments');
  });

  it('reads no more than four segments at once', async () => {
    const [active, most] = [new Set<number>(), { count: 0 }];
    const fixture = segmentedFixture(16, 64, async (place) => {
      active.add(place % 16);
      most.count = Math.max(most.count, active.size);
      await sleep(fixture.clock, 100);
      active.delete(place % 16);
    });
    await fixture.invoke();
    expect(most.count).toBe(4);
    expect(sorted(fixture.queue.keys())).toEqual(ids(64));
  });

  it('hands over when time runs short, and every segment goes on where it was', async () => {
    const fixture = segmentedFixture(3, 90, (_, { clock }) => sleep(clock, 1000), 20_000);
    let answer = await fixture.invoke();
    while (answer.outcome === 'continued') {
      answer = await fixture.invoke(fixture.continuations.at(-1));
    }
    expect(fixture.continuations.length).toBeGreaterThan(1);
    expect(sorted(fixture.queue.keys())).toEqual(ids(90));
  });

  it('fails the run where one segment cannot be read, with every segment at rest, and resumes it', async () => {
    const state = { isBroken: true };
    const fixture = segmentedFixture(3, 40, (place) => {
      if (place === 31 && state.isBroken) {
        throw new Error('statement timeout');
      }
    });
    await expect(fixture.invoke()).rejects.toMatchObject({ code: 'SourceFailed' });
    const { rest, pages } = (await fixture.runItem())!;
    expect(sorted(Object.keys({ ...rest, ...pages }))).toEqual(['job#0', 'job#1', 'job#2']);
    state.isBroken = false;
    expect(await fixture.invoke(RESUME)).toMatchObject({ outcome: 'scanned' });
    expect(sorted(fixture.queue.keys())).toEqual(ids(40));
  });

  it('keeps the segments that a run began with when the configuration changes', async () => {
    const fixture = segmentedFixture(3, 25);
    await fixture.invoke(tick(), dyingAt(fixture, 12, true)).catch(() => undefined);
    await fixture.clock.advance(LEASE_MS);
    const configuration = { ...fixture.context.configuration, ...configured(5) };
    expect(await fixture.invoke(WATCHDOG, { configuration })).toMatchObject({ outcome: 'scanned' });
    expect(sorted(fixture.queue.keys())).toEqual(ids(25));
  });

  it('sends every record once, wherever its holder ends', async () => {
    for (let write = 1; write <= 48; write++) {
      for (const isApplied of [true, false]) {
        const fixture = segmentedFixture(3, 20);
        await fixture.invoke(tick(), dyingAt(fixture, write, isApplied)).catch(() => undefined);
        await fixture.clock.advance(LEASE_MS);
        await fixture.invoke();
        expect([write, isApplied, sorted(fixture.queue.keys())]).toEqual([write, isApplied, ids(20)]);
        await fixture.settleAll();
        await fixture.invoke(WATCHDOG);
        const { totals } = (await fixture.runItem())!;
        expect(totals).toMatchObject({ enqueued: (totals?.succeeded ?? 0) + (totals?.withdrawn ?? 0) });
        expect(fixture.items(`${FANOUT}#OPEN`)).toEqual([]);
      }
    }
  });
});
