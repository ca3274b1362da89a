import * as fc from 'fast-check';
import type { KeysItem, PageItem } from '../../../lambda/contract';
import type { TestRecord } from './fixture';
import { Fixture, dyingAt, jobOver, placesOf, someRecords, tick } from './fixture';

const WATCHDOG = { kind: 'watchdog' };
const RECORDS = 23;

/** A source ordered by `at`, so that records can appear and go in the midst of it. */
const orderedJob = (records: Map<number, TestRecord>) =>
  jobOver(() => [], {
    async *source({ cursor = -1 }: { cursor?: number }) {
      const places = [...records.keys()].filter((at) => at > cursor).sort((left, right) => left - right);
      for (const at of places) {
        yield { record: records.get(at), cursor: at };
      }
    },
    group: (record: TestRecord) => `g${record.id.length}`,
  });

/** Of each key, the messages whose place is not withdrawn: those that a consumer would handle. */
function liveMessages(fixture: Fixture): Map<string, Set<string>> {
  const items = fixture.memory.items();
  const live = new Map<string, Set<string>>();
  for (const { key, page, ordinal, run, job } of fixture.queue.envelopes()) {
    const pk = `F#${run}#${job}#000#${String(page).padStart(6, '0')}`;
    const item = items.find((other) => other.pk === pk) as PageItem | undefined;
    if (item?.withdrawn?.has(ordinal) !== true) {
      live.set(key, (live.get(key) ?? new Set()).add(`${page}/${ordinal}`));
    }
  }
  return live;
}

jest.setTimeout(60_000);

describe('Scanner, a crash at any write', () => {
  const crash = fc.record({
    write: fc.integer({ min: 1, max: 30 }),
    isApplied: fc.boolean(),
    // One lease, or longer than SQS remembers a deduplication id.
    pause: fc.constantFrom(60_000, 360_000),
    removed: fc.option(fc.nat({ max: RECORDS - 1 })),
    inserted: fc.option(fc.nat({ max: RECORDS })),
    event: fc.constantFrom(tick(), WATCHDOG),
  });

  it('leaves every record in one place, its message in the queue, and the books balanced', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(crash, { minLength: 1, maxLength: 4 }), async (crashes) => {
        const records = new Map(someRecords(RECORDS).map((record, place) => [place * 10, record]));
        const fixture = new Fixture({ jobs: [orderedJob(records)], configuration: { pageSize: 7 } });
        for (const [number, { write, isApplied, pause, removed, inserted, event }] of crashes.entries()) {
          const first = number === 0 ? tick() : event;
          await fixture.invoke(first, dyingAt(fixture, write, isApplied)).catch(() => undefined);
          await fixture.clock.advance(pause);
          if (removed !== null) {
            records.delete(removed * 10);
          }
          if (inserted !== null) {
            records.set(inserted * 10 - 5 + number, { id: `new${inserted}-${number}` });
          }
        }
        // Records that were there from the first moment to the last.
        const constant = [...records.values()].map(({ id }) => id).filter((id) => id.startsWith('r'));
        await fixture.invoke(tick());
        await fixture.settleAll();
        await fixture.invoke(WATCHDOG);

        const live = liveMessages(fixture);
        for (const [key, places] of placesOf(fixture, constant)) {
          expect([key, places, [...(live.get(key) ?? [])]]).toEqual([key, [expect.any(String)], places]);
        }
        expect([...live.values()].every(({ size }) => size === 1)).toBe(true);
        const run = await fixture.runItem();
        expect(run?.state).toBe('completed');
        const { eligible, enqueued, duplicate, succeeded, withdrawn } = run!.totals!;
        expect([eligible, enqueued]).toEqual([enqueued + duplicate, succeeded + withdrawn]);
        expect(fixture.items('F#OPEN')).toEqual([]);
        const pages = fixture.memory.items().filter(({ sk }) => sk.startsWith('KEYS#')) as KeysItem[];
        expect(pages.every(({ count }) => count <= 1000)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('leaves every record in the queue once where nothing changes between the crashes', async () => {
    for (let write = 1; write <= 32; write++) {
      for (const isApplied of [true, false]) {
        const fixture = new Fixture({ records: someRecords(15), configuration: { pageSize: 6 } });
        await fixture.invoke(tick(), dyingAt(fixture, write, isApplied)).catch(() => undefined);
        await fixture.clock.advance(60_000);
        await fixture.invoke();
        expect([write, isApplied, fixture.queue.keys()]).toEqual([
          write,
          isApplied,
          someRecords(15).map(({ id }) => id),
        ]);
      }
    }
  });
});
