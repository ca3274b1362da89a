import { sleep } from '../../../lambda/ports';
import { VirtualClock } from '../../../lambda/simulation/virtual-clock';

describe('VirtualClock', () => {
  it('fires timers in the order of their due times, then of their creation', async () => {
    const clock = new VirtualClock(0);
    const fired: string[] = [];
    clock.setTimer(20, () => fired.push('late'));
    clock.setTimer(10, () => fired.push('first'));
    clock.setTimer(10, () => fired.push('second'));
    clock.setTimer(10, () => fired.push('cancelled')).cancel();
    expect(clock.nextTimer()).toBe(10);
    await clock.advance(20);
    expect(fired).toEqual(['first', 'second', 'late']);
    expect([clock.now(), clock.nextTimer()]).toEqual([20, undefined]);
  });

  it('lets what a timer starts run before the next one', async () => {
    const clock = new VirtualClock(0);
    const times: number[] = [];
    const work = (async () => {
      for (let turn = 0; turn < 3; turn++) {
        await sleep(clock, 5);
        times.push(clock.now());
      }
    })();
    await clock.advance(100);
    await work;
    expect(times).toEqual([5, 10, 15]);
  });

  it('runs work to its end, however long it sleeps', async () => {
    const clock = new VirtualClock(0);
    expect(await clock.run(sleep(clock, 86_400_000).then(() => clock.now()))).toBe(86_400_000);
  });

  it('fails work that nothing can wake', async () => {
    await expect(new VirtualClock(0).run(new Promise(() => undefined))).rejects.toThrow('work still waits');
  });
});

describe('sleep', () => {
  it('ends early when its signal fires, and leaves no timer', async () => {
    const clock = new VirtualClock(0);
    const controller = new AbortController();
    const slept = sleep(clock, 1_000, controller.signal);
    controller.abort();
    await slept;
    expect([clock.now(), clock.nextTimer()]).toEqual([0, undefined]);
  });

  it('does not start when its signal has fired', async () => {
    const clock = new VirtualClock(0);
    await sleep(clock, 1_000, AbortSignal.abort());
    expect(clock.nextTimer()).toBeUndefined();
  });
});
