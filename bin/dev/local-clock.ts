import { CronFanoutError } from '../../lambda/contract';
import type { Clock, Timer } from '../../lambda/ports';

/** Turns of the event loop without a hold after which nothing is taken to run. */
const QUIET_TURNS = 4;
/** Longest delay that a Node.js timer takes, in milliseconds; longer ones are waited for in pieces. */
const LONGEST_REAL_TIMER_MS = 2_147_483_647;

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * Local time: the machine's clock plus an offset that only grows. Everything of a local run reads it: queue engine, event source mapping, invocations,
 * and, through the offset, the function processes.
 *
 * Whatever runs *holds* the clock (an invocation in flight does); a held clock goes at the machine's pace. While `runAhead` waits and nothing holds it, it
 * jumps from timer to timer, so that back-offs and visibility timeouts cost no real time.
 */
export class LocalClock implements Clock {
  private readonly pending = new Set<Pending>();
  private created = 0;
  private holds = 0;
  private readonly waiting = new Set<() => void>();
  /** Grows with every hold and every timer: shows whether anything happened meanwhile. */
  private activity = 0;
  private skipped = 0;
  /** When the timer of the machine is set for, in local time. */
  private armedFor: number | undefined;
  private realTimer: NodeJS.Timeout | undefined;
  private stopped = false;

  /** Milliseconds by which local time is ahead of the machine's. */
  get offset(): number {
    return this.skipped;
  }

  now(): number {
    return Date.now() + this.skipped;
  }

  setTimer(milliseconds: number, callback: () => void): Timer {
    const timer: Pending = { due: this.now() + Math.max(0, milliseconds), order: this.created++, callback };
    this.pending.add(timer);
    this.activity++;
    this.arm();
    return { cancel: () => void this.pending.delete(timer) };
  }

  /** Keeps local time at the machine's pace until the answer is called; calling it again does nothing. */
  hold(): () => void {
    let held = true;
    this.holds++;
    this.activity++;
    return () => {
      if (held) {
        held = false;
        this.holds--;
        this.activity++;
        if (this.holds === 0) {
          this.wakeAll();
        }
      }
    };
  }

  /**
   * Lets local time run ahead until `done` answers true, which is asked whenever nothing runs.
   *
   * @param limit local time, in epoch milliseconds, beyond which it gives up
   * @throws CronFanoutError `LocalTimeExhausted` at the limit, or when no timer is left that could change anything
   */
  async runAhead(done: () => Promise<boolean>, limit: number, signal?: AbortSignal): Promise<void> {
    while (!isAborted(signal) && !this.stopped) {
      await this.quiet(signal);
      const before = this.activity;
      if (await done()) {
        return;
      }
      // Asking took a while: if something began meanwhile, it may be what the answer waits for.
      if (this.holds === 0 && before === this.activity && !isAborted(signal)) {
        this.jump(limit);
      }
    }
  }

  /** Forgets every timer; none fires any more. */
  stop(): void {
    this.stopped = true;
    this.pending.clear();
    clearTimeout(this.realTimer);
    this.wakeAll();
  }

  /** Resolves when nothing has run for some turns of the event loop, or when it is aborted or stopped. */
  private async quiet(signal?: AbortSignal): Promise<void> {
    let turns = 0;
    let seen = this.activity;
    while (turns < QUIET_TURNS && !isAborted(signal) && !this.stopped) {
      if (this.holds > 0) {
        await this.released(signal);
      }
      await new Promise((resolve) => setImmediate(resolve));
      turns = this.holds === 0 && seen === this.activity ? turns + 1 : 0;
      seen = this.activity;
    }
  }

  /** Resolves when nothing holds the clock any more: runs may take minutes, so it waits instead of looking again and again. */
  private released(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  private wakeAll(): void {
    for (const wake of [...this.waiting]) {
      wake();
    }
  }

  private jump(limit: number): void {
    const next = this.first();
    if (next === undefined || next.due > limit) {
      throw new CronFanoutError('LocalTimeExhausted', {
        what: 'local time',
        received: `${new Date(this.now()).toISOString()}, with ${next === undefined ? 'nothing' : 'nothing before the limit'} left to wait for`,
        allowed: `an end of the run before ${new Date(limit).toISOString()}`,
        change: 'look into the logs of the functions (--keep-logs FILE): the run does not come to its end by itself',
      });
    }
    this.skipped += Math.max(0, next.due - this.now());
    // The machine's timer was set for a later moment than it is now.
    this.armedFor = undefined;
    this.fire();
  }

  private fire(): void {
    for (let next = this.first(); next !== undefined && next.due <= this.now(); next = this.first()) {
      this.pending.delete(next);
      this.activity++;
      next.callback();
    }
    this.arm();
  }

  private arm(): void {
    const next = this.first();
    if (next?.due === this.armedFor) {
      return;
    }
    clearTimeout(this.realTimer);
    this.armedFor = next?.due;
    if (next !== undefined && !this.stopped) {
      const delay = Math.min(Math.max(0, next.due - this.now()), LONGEST_REAL_TIMER_MS);
      this.realTimer = setTimeout(() => {
        this.armedFor = undefined;
        this.fire();
      }, delay);
    }
  }

  private first(): Pending | undefined {
    let first: Pending | undefined;
    for (const timer of this.pending) {
      if (first === undefined || timer.due < first.due || (timer.due === first.due && timer.order < first.order)) {
        first = timer;
      }
    }
    return first;
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
