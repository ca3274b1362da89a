import type { Clock, Timer } from '../ports';

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(milliseconds: number, callback: () => void): Timer {
    const timer = setTimeout(callback, Math.max(0, milliseconds));
    return {
      cancel: () => {
        clearTimeout(timer);
      },
    };
  },
};
