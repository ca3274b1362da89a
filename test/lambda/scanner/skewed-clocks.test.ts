import type { Clock } from '../../../lambda/ports';
import { sleep } from '../../../lambda/ports';
import { Scanner } from '../../../lambda/scanner/scanner';
import { Fixture, TICK, drained, jobOver, laterTick, someRecords, tick } from './fixture';

const RECORDS = 60;
const WATCHDOG = { kind: 'watchdog' };
const ids = someRecords(RECORDS).map(({ id }) => id);

/** A scanner whose source takes a second for each record. */
function slowFixture(): Fixture {
  const fixture: Fixture = new Fixture({
    jobs: [
      jobOver(() => [], {
        async *source({ cursor = 0 }: { cursor?: number }) {
          for (let place = cursor; place < RECORDS; place++) {
            await sleep(fixture.clock, 1000);
            yield { record: { id: `r${place}` }, cursor: place + 1 };
          }
        },
      }),
    ],
  });
  return fixture;
}

/** The clock of a machine that is ahead of the others; negative: behind. */
const ahead = (clock: Clock, milliseconds: number): Clock => ({
  now: () => clock.now() + milliseconds,
  setTimer: (delay, callback) => clock.setTimer(delay, callback),
});

describe('scanners whose clocks differ', () => {
  it.each([5_000, -5_000, 61_000, 600_000])(
    'send every record once where the second one is %d ms ahead, however early it takes the lock',
    async (milliseconds) => {
      const fixture = slowFixture();
      const first = fixture.start(tick()).catch(() => ({ outcome: 'ended' }));
      await drained();
      await fixture.clock.advance(25_000);
      const second = fixture.start(WATCHDOG, { clock: ahead(fixture.clock, milliseconds) });
      const answers = await fixture.run(Promise.all([first, second]));
      // Within a lease nothing happens at all; beyond it the first one loses the lock, and sends nothing more.
      const isTaken = milliseconds > fixture.context.configuration.lease * 1000;
      expect(answers.map(({ outcome }) => outcome)).toEqual(isTaken ? ['lost', 'scanned'] : ['scanned', 'idle']);
      expect(fixture.queue.keys()).toEqual(ids);
      expect(await fixture.runItem(TICK)).toMatchObject({ state: 'scanned' });
    },
  );
});

describe('invocations of the scanner at once in one process', () => {
  it('do not meet: each has its own lock, budget and answer', async () => {
    const fixture = slowFixture();
    const scanner = new Scanner(fixture.context);
    const answers = fixture.run(
      Promise.all([tick(), laterTick, WATCHDOG, tick()].map((event) => scanner.handle(event, () => 900_000))),
    );
    expect((await answers).map(({ outcome }) => outcome)).toEqual(['scanned', 'skipped', 'idle', 'duplicate']);
    expect(fixture.queue.keys()).toEqual(ids);
  });
});
