import timers from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { defineJob } from '../../../lambda/job';
import { simulateFanout } from '../../../lambda/simulation';
import { replaceTime, runInScope } from '../../../lambda/simulation/user-code/scoped-time';
import type { TimeScope } from '../../../lambda/simulation/user-code/virtual-timers';
import { VirtualClock } from '../../../lambda/simulation/virtual-clock';

const START = Date.UTC(2030, 0, 1);

function jobOf(handler: () => unknown) {
  return defineJob<{ id: string }>({
    jobType: 'j',
    async *source() {
      yield { record: { id: 'r0' }, cursor: 1 };
    },
    key: ({ id }) => id,
    handler,
  });
}

describe('time in a scope', () => {
  let clock: VirtualClock;
  let scope: TimeScope;
  let pending: number;
  let restore: () => void;
  const uncaught: unknown[] = [];

  beforeEach(() => {
    clock = new VirtualClock(START);
    pending = 0;
    scope = {
      clock,
      onTimer: (change) => (pending += change),
      onUncaught: (thrown) => uncaught.push(thrown),
    };
    restore = replaceTime();
  });

  afterEach(() => {
    restore();
  });

  const within = <T>(code: () => T): T => runInScope(scope, code);

  it('is what the clock of the scope says', async () => {
    await within(async () => {
      expect(Date.now()).toBe(START);
      expect(new Date().toISOString()).toBe('2030-01-01T00:00:00.000Z');
      expect(Date()).toBe(new Date(START).toString());
      const later = new Promise((resolve) => setTimeout(resolve, 86_400_000));
      void clock.advance(86_400_000);
      await later;
      expect(new Date().getDate()).toBe(2);
    });
  });

  it('leaves dates that are given, and classes of dates, as they are', () => {
    within(() => {
      class Day extends Date {}
      expect(new Date(5).getTime()).toBe(5);
      expect(new Date(2020, 1, 2).getFullYear()).toBe(2020);
      expect(new Date()).toBeInstanceOf(Date);
      expect(new Day()).toBeInstanceOf(Day);
      expect(new Day().getTime()).toBe(START);
      expect(Date.UTC(2030, 0)).toBe(START);
    });
  });

  it('is real outside of it, meanwhile too', async () => {
    expect(Math.abs(Date.now() - START)).toBeGreaterThan(1_000_000);
    let isDone = false;
    within(() => setTimeout(() => (isDone = true), 1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isDone).toBe(false);
    await clock.advance(1);
    expect(isDone).toBe(true);
  });

  it('moves timers of every kind', async () => {
    const seen: string[] = [];
    within(() => {
      const every = setInterval(
        (word: string) => {
          seen.push(word);
          if (seen.filter((one) => one === word).length === 3) {
            clearInterval(every);
          }
        },
        1000,
        'every',
      );
      clearTimeout(setTimeout(() => seen.push('never'), 1500));
      timers.setTimeout(() => seen.push('node:timers'), 1500).unref();
      void sleep(2500, 'promises').then((word) => seen.push(word));
      void promisify(setTimeout)(3500).then(() => seen.push('promisify'));
      AbortSignal.timeout(4500).addEventListener('abort', () => seen.push('abort'));
    });
    await clock.advance(10_000);
    expect(seen).toEqual(['every', 'node:timers', 'every', 'promises', 'every', 'promisify', 'abort']);
    expect(pending).toBe(0);
  });

  it('has timers like those of the platform', async () => {
    const seen: number[] = [];
    const timer = within(() => setTimeout(() => seen.push(clock.now() - START), 1000));
    expect(timer.hasRef()).toBe(true);
    expect(timer.ref()).toBe(timer);
    await clock.advance(900);
    timer.refresh();
    await clock.advance(900);
    expect(seen).toEqual([]);
    await clock.advance(100);
    expect(seen).toEqual([1900]);
    expect(
      within(() => setTimeout(() => undefined, -1))
        .close()
        .hasRef(),
    ).toBe(false);
    clearTimeout(undefined);
    within(() => {
      clearTimeout(undefined);
    });
  });

  it('lets a wait end early by its signal', async () => {
    const abort = new AbortController();
    const wait = within(() => sleep(1000, undefined, { signal: abort.signal }));
    abort.abort('enough');
    await expect(wait).rejects.toMatchObject({ name: 'AbortError', code: 'ABORT_ERR', cause: 'enough' });
    await expect(within(() => sleep(1000, undefined, { signal: abort.signal }))).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(pending).toBe(0);
  });

  it('tells of what a callback throws', async () => {
    within(() =>
      setTimeout(() => {
        throw new Error('oops');
      }, 1),
    );
    await clock.advance(1);
    expect(uncaught).toMatchObject([{ message: 'oops' }]);
  });
});

describe('time of the platform', () => {
  const platform = () => [
    Date,
    setTimeout,
    clearTimeout,
    setInterval,
    Reflect.get(AbortSignal, 'timeout') as unknown,
    sleep,
  ];

  it('is put back after the last of several simulations, also of ones that fail', async () => {
    const before = platform();
    const job = jobOf(() => new Promise((resolve) => setTimeout(resolve, 60_000)));
    const reports = [1, 2, 3].map((seed) => simulateFanout(job, { seed, config: { timeout: 300 } }));
    expect(platform()).not.toEqual(before);
    const failing = simulateFanout({ ...job, setup: () => Promise.reject(new Error('no')) });
    await expect(failing).rejects.toThrow();
    const outcomes = (await Promise.all(reports)).map((report) => report.outcomes);
    expect(outcomes).toEqual(Array(3).fill({ r0: 'succeeded' }));
    expect(platform()).toEqual(before);
  });

  it('is left alone with timers: real', async () => {
    const seen: number[] = [];
    const job = jobOf(async () => {
      seen.push(Date.now());
      await new Promise((resolve) => setTimeout(resolve, 30));
    });
    const { outcomes } = await simulateFanout(job, { timers: 'real' });
    expect(outcomes).toEqual({ r0: 'succeeded' });
    expect(Math.abs(Date.now() - seen[0]!)).toBeLessThan(60_000);
  });

  it('may be a fake of the test runner', async () => {
    jest.useFakeTimers({ now: Date.UTC(1999, 0, 1) });
    try {
      const seen: string[] = [];
      const job = jobOf(async () => {
        seen.push(new Date().toISOString());
        await new Promise((resolve) => setTimeout(resolve, 3_600));
      });
      const { outcomes } = await simulateFanout(job, { start: '2031-05-06T07:08:09Z' });
      expect(outcomes).toEqual({ r0: 'succeeded' });
      expect(seen[0]).toMatch(/^2031-05-06T07:08:09/);
      expect(new Date().getFullYear()).toBe(1999);
    } finally {
      jest.useRealTimers();
    }
  });
});
