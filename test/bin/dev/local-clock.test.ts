import { LocalClock } from '../../../bin/dev/local-clock';
import { sleep } from '../../../lambda/ports';

const HOUR = 3_600_000;

describe('LocalClock', () => {
  const clocks: LocalClock[] = [];
  const create = (): LocalClock => {
    const clock = new LocalClock();
    clocks.push(clock);
    return clock;
  };
  afterEach(() => {
    for (const clock of clocks.splice(0)) {
      clock.stop();
    }
  });

  it('jumps from timer to timer in the order in which they are due', async () => {
    const clock = create();
    const start = clock.now();
    const fired: [string, number][] = [];
    const note = (name: string) => () => fired.push([name, Math.round((clock.now() - start) / HOUR)]);
    clock.setTimer(3 * HOUR, note('third'));
    clock.setTimer(HOUR, note('first'));
    clock.setTimer(2 * HOUR, note('second'));
    await clock.runAhead(async () => fired.length === 3, start + 24 * HOUR);
    expect(fired).toEqual([
      ['first', 1],
      ['second', 2],
      ['third', 3],
    ]);
    expect(clock.offset).toBeGreaterThan(2.9 * HOUR);
  });

  it('goes at the pace of the machine while something holds it', async () => {
    const clock = create();
    const release = clock.hold();
    let fired = false;
    clock.setTimer(HOUR, () => (fired = true));
    const asked: boolean[] = [];
    const ahead = clock.runAhead(async () => {
      asked.push(fired);
      return fired;
    }, Infinity);
    for (let turn = 0; turn < 20; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(asked).toEqual([]);
    expect(clock.offset).toBe(0);
    release();
    release();
    await ahead;
    expect(asked).toEqual([false, true]);
  });

  it('does not jump over what began while it asked', async () => {
    const clock = create();
    clock.setTimer(HOUR, () => undefined);
    const offsets: number[] = [];
    let asked = 0;
    await clock.runAhead(async () => {
      offsets.push(clock.offset);
      if (asked++ === 0) {
        clock.setTimer(0, () => undefined);
      }
      return asked === 2;
    }, Infinity);
    expect(offsets).toEqual([0, 0]);
  });

  it('does not fire a timer that was cancelled', async () => {
    const clock = create();
    let fired = 0;
    clock.setTimer(HOUR, () => fired++).cancel();
    const waited = sleep(clock, 2 * HOUR);
    let over = false;
    void waited.then(() => (over = true));
    await clock.runAhead(async () => over, Infinity);
    expect(fired).toBe(0);
  });

  it('fires at the pace of the machine when nobody runs ahead', async () => {
    const clock = create();
    const before = Date.now();
    await sleep(clock, 5);
    expect(clock.now() - before).toBeGreaterThanOrEqual(4);
    expect(clock.offset).toBe(0);
  });

  it('fails with its time when nothing is left to wait for', async () => {
    await expect(create().runAhead(async () => false, Date.now() + HOUR)).rejects.toMatchObject({
      code: 'LocalTimeExhausted',
    });
  });

  it('fails at the limit, however many timers are left', async () => {
    const clock = create();
    const again = (): void => void clock.setTimer(HOUR, again);
    again();
    const limit = clock.now() + 10.5 * HOUR;
    await expect(clock.runAhead(async () => false, limit)).rejects.toMatchObject({ code: 'LocalTimeExhausted' });
    expect(clock.now()).toBeLessThanOrEqual(limit);
  });

  it('ends when it is aborted or stopped', async () => {
    const clock = create();
    const abort = new AbortController();
    const release = clock.hold();
    const ahead = clock.runAhead(async () => false, Infinity, abort.signal);
    abort.abort();
    await ahead;
    const stopped = clock.runAhead(async () => false, Infinity);
    clock.stop();
    await stopped;
    release();
  });
});
