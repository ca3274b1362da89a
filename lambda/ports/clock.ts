/** Cancels a timer. */
export interface Timer {
  /** Idempotent; a timer that has fired is not affected. */
  cancel(): void;
}

/** Time. Everything that reads or waits for time gets it from here. */
export interface Clock {
  /** Now, in epoch milliseconds. */
  now(): number;
  /** Calls `callback` once, `milliseconds` from now at the earliest. */
  setTimer(milliseconds: number, callback: () => void): Timer;
}

/**
 * Waits on a clock.
 *
 * @param milliseconds how long; 0 or less still yields once
 * @param signal ends the wait early; the promise then resolves, since its caller reads the signal anyway
 */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const timer = clock.setTimer(milliseconds, finish);
    function finish(): void {
      timer.cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    }
    signal?.addEventListener('abort', finish, { once: true });
  });
}
