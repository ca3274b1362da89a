import type { Clock, Timer } from '../../ports';

/** Longest delay of a timer in milliseconds; Node.js makes one of a longer delay, and so do these timers. */
const MAX_DELAY = 2 ** 31 - 1;

/** Whose time it is: code that runs in a scope sees the scope's clock. */
export interface TimeScope {
  /** Clock of the execution environment: its timers fire only while the environment lives and runs. */
  readonly clock: Clock;
  /** Told of every timer that is set (1), and of every one that fires for good or is cancelled (-1). */
  readonly onTimer: (change: 1 | -1) => void;
  /** Told of what a callback of a timer throws, which would end a process. */
  readonly onUncaught: (thrown: unknown) => void;
}

/** What `setTimeout` and `setInterval` return in a scope; has what code does with theirs. */
export class VirtualTimer {
  private readonly delay: number;
  private timer: Timer | undefined;

  constructor(
    private readonly scope: TimeScope,
    private readonly repeats: boolean,
    milliseconds: number | undefined,
    private readonly callback: () => void,
  ) {
    const delay = Number(milliseconds);
    this.delay = delay >= 1 && delay <= MAX_DELAY ? Math.trunc(delay) : 1;
    this.start();
    scope.onTimer(1);
  }

  /** Cancels it. */
  close(): this {
    if (this.timer !== undefined) {
      this.timer.cancel();
      this.timer = undefined;
      this.scope.onTimer(-1);
    }
    return this;
  }

  /** Starts it anew. */
  refresh(): this {
    if (this.timer !== undefined) {
      this.timer.cancel();
      this.start();
    }
    return this;
  }

  /** Nothing waits for a simulated process to end. */
  ref(): this {
    return this;
  }

  /** Nothing waits for a simulated process to end. */
  unref(): this {
    return this;
  }

  /** Whether it would keep a process alive. */
  hasRef(): boolean {
    return this.timer !== undefined;
  }

  /** Cancels it at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.close();
  }

  private start(): void {
    this.timer = this.scope.clock.setTimer(this.delay, () => {
      if (this.repeats) {
        this.start();
      } else {
        this.timer = undefined;
        this.scope.onTimer(-1);
      }
      try {
        this.callback();
      } catch (thrown) {
        this.scope.onUncaught(thrown);
      }
    });
  }
}

/** Whether a value is a timer of a scope. */
export function isVirtual(timer: unknown): timer is VirtualTimer {
  return timer instanceof VirtualTimer;
}

/** `setTimeout` of `node:timers/promises`, in a scope. */
export function sleepVirtually(
  scope: TimeScope,
  milliseconds: number | undefined,
  value: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      timer?.close();
      reject(abortError(signal?.reason));
    };
    if (signal?.aborted === true) {
      reject(abortError(signal.reason));
      return;
    }
    const timer: VirtualTimer | undefined = new VirtualTimer(scope, false, milliseconds, () => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** `AbortSignal.timeout`, in a scope. */
export function timeoutSignal(scope: TimeScope, milliseconds: number): AbortSignal {
  const controller = new AbortController();
  new VirtualTimer(scope, false, milliseconds, () => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  });
  return controller.signal;
}

/** As Node.js throws it. */
function abortError(cause: unknown): Error {
  return Object.assign(new Error('The operation was aborted', { cause }), { name: 'AbortError', code: 'ABORT_ERR' });
}
