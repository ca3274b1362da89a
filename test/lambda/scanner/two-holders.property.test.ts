import * as fc from 'fast-check';
import type { PageItem } from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import type { StateStore } from '../../../lambda/ports';
import { when } from '../../../lambda/ports';
import type { ScannerContext } from '../../../lambda/scanner/context';
import type { TestRecord } from './fixture';
import { Fixture, JOB, TICK, drained, dyingAt, gatedStore, jobOver, tick } from './fixture';

const WATCHDOG = { kind: 'watchdog' };
const LEASE_MS = 60_000;
const MAX_STEPS = 4000;

/** Lets the calls of several actors through one at a time, in an order that is given. */
class Turns {
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Waits for this actor's turn, then makes the call. */
  async take<T>(actor: string, call: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.waiting.set(actor, [...(this.waiting.get(actor) ?? []), resolve]);
    });
    return call();
  }

  /** Lets calls through until none is left: of each burst so many of one actor, then of whoever waits. Something happens at one step. */
  async play(bursts: readonly Burst[], event: { step: number; happen: () => void }): Promise<void> {
    const wishes = bursts.flatMap(({ actor, calls }) => Array.from({ length: calls }, () => actor));
    for (let step = 0; step < MAX_STEPS; step++) {
      await drained();
      if (step === event.step) {
        event.happen();
      }
      const waiting = [...this.waiting.entries()].filter(([, calls]) => calls.length > 0);
      if (waiting.length === 0) {
        return;
      }
      const wish = wishes[step % wishes.length];
      const [, calls] = waiting.find(([actor]) => actor === wish) ?? waiting[step % waiting.length]!;
      calls.shift()!();
    }
    throw new Error('the actors never come to an end');
  }
}

/** Calls of one actor in a row. */
interface Burst {
  readonly actor: 'zombie' | 'taker' | 'consumer';
  readonly calls: number;
}

/** A consumer as section 4 of the protocol has it, cut to what meets the scanner: claim, handle, settle. */
async function consume(fixture: Fixture, store: StateStore, handled: Map<string, number>, from: number): Promise<void> {
  for (const { key, run, page, ordinal } of fixture.queue.envelopes().slice(from)) {
    const item = ITEM_KEYS.page({ fanoutId: 'F', runId: run, jobType: JOB, segment: 0, page });
    const open = when.all(when.storedItem, when.not(when.contains('settled', ordinal)));
    const place = ['claims', String(ordinal)] as const;
    const claim = await store.update<PageItem>(
      item,
      { set: [[[...place], { a: 1, f: 0, t: 'c' }]] },
      when.all(open, when.absent(...place)),
    );
    if (!claim.applied) {
      continue;
    }
    handled.set(key, (handled.get(key) ?? 0) + 1);
    const set = new Set([ordinal]);
    await store.update(
      item,
      {
        add: [
          [['settled'], set],
          [['succeeded'], set],
        ],
        remove: [[...place]],
      },
      open,
    );
  }
}

/** An invocation whose calls take turns with others', by a clock that stands still or runs ahead. */
function partsOf(fixture: Fixture, turns: Turns, actor: string, ahead: number): Partial<ScannerContext> {
  const now = fixture.clock.now() + ahead;
  return {
    clock: { now: () => now, setTimer: (milliseconds, callback) => fixture.clock.setTimer(milliseconds, callback) },
    store: gatedStore(fixture.memory, (_, call) => turns.take(actor, call)),
    queue: {
      changeVisibility: () => Promise.resolve(0),
      sendBatch: (entries) => turns.take(actor, () => fixture.queue.sendBatch(entries)),
    },
  };
}

jest.setTimeout(60_000);

describe('Scanner, two holders at once', () => {
  const change = fc.record({
    kind: fc.constantFrom('none', 'insert', 'remove'),
    place: fc.nat({ max: 6 }),
    step: fc.nat({ max: 90 }),
  });

  it('handles every record once, whatever an earlier holder does that does not know that it is one', async () => {
    const burst = fc.record<Burst>({
      actor: fc.constantFrom('zombie', 'taker', 'consumer'),
      calls: fc.integer({ min: 1, max: 40 }),
    });
    const orders = fc.array(burst, { minLength: 1, maxLength: 12 });
    // The write at which a holder before both of them ended, if there was one: then both read a page again.
    const crash = fc.option(fc.integer({ min: 4, max: 16 }));
    await fc.assert(
      fc.asyncProperty(
        orders,
        change,
        fc.constantFrom(tick(), WATCHDOG),
        crash,
        async (bursts, { kind, place, step }, event, crashedAt) => {
          const records = new Map(
            Array.from({ length: 6 }, (_, at): [number, TestRecord] => [at * 10, { id: `r${at}` }]),
          );
          const job = jobOver(() => [], {
            async *source({ cursor = -1 }: { cursor?: number }) {
              for (let at = cursor; ;) {
                const next = [...records.keys()].filter((key) => key > at).sort((left, right) => left - right)[0];
                if (next === undefined) {
                  return;
                }
                at = next;
                yield { record: records.get(at), cursor: at };
              }
            },
          });
          const fixture = new Fixture({ jobs: [job], configuration: { pageSize: 2 } });
          const turns = new Turns();
          const handled = new Map<string, number>();
          if (crashedAt !== null) {
            await fixture.invoke(tick(), dyingAt(fixture, crashedAt, true)).catch(() => undefined);
            await fixture.clock.advance(LEASE_MS);
          }
          // The first holder's clock stands: it never learns from it that its lease is over.
          const work = [
            fixture.start(tick(), partsOf(fixture, turns, 'zombie', 0)),
            fixture.start(event, partsOf(fixture, turns, 'taker', LEASE_MS)),
            (async () => {
              const store = gatedStore(fixture.memory, (_, next) => turns.take('consumer', next));
              for (let round = 0, seen = 0; round < 30; round++) {
                await turns.take('consumer', () => Promise.resolve());
                const known = fixture.queue.messages.length;
                await consume(fixture, store, handled, seen);
                seen = known;
              }
            })(),
          ];
          const ends = Promise.allSettled(work);
          await turns.play(bursts, {
            step,
            happen: () => {
              if (kind === 'insert') {
                records.set(place * 10 - 5, { id: 'new' });
              } else if (kind === 'remove') {
                records.delete(place * 10);
              }
            },
          });
          expect((await ends).map((end) => (end.status === 'rejected' ? String(end.reason) : ''))).toEqual([
            '',
            '',
            '',
          ]);

          await fixture.clock.advance(2 * LEASE_MS);
          await fixture.invoke(WATCHDOG);
          await consume(fixture, fixture.memory, handled, 0);
          await fixture.invoke(WATCHDOG);
          const run = await fixture.runItem(TICK);
          expect(run?.state).toBe('completed');
          const { eligible, enqueued, duplicate, succeeded, withdrawn } = run!.totals!;
          expect([eligible, enqueued]).toEqual([enqueued + duplicate, succeeded + withdrawn]);
          expect(succeeded).toBe([...handled.values()].reduce((sum, calls) => sum + calls, 0));
          expect(fixture.items('F#OPEN')).toEqual([]);
          const constant = [0, 1, 2, 3, 4, 5].filter((at) => kind !== 'remove' || at !== place).map((at) => `r${at}`);
          expect(constant.map((key) => [key, handled.get(key)])).toEqual(constant.map((key) => [key, 1]));
          expect([...handled.values()].every((calls) => calls === 1)).toBe(true);
        },
      ),
      { numRuns: 120 },
    );
  });
});
