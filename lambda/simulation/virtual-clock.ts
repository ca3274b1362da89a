import * as timers from 'node:timers';
import type { Clock, Timer } from '../ports';

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** That of the platform, also where a test has put another one in its place. */
const { setImmediate: turnOfTheLoop } = timers;

/** A clock that moves only when it is told to. Timers fire in the order of their due times, then of their creation. */
export class VirtualClock implements Clock {
  private readonly pending = new Set<Pending>();
  private current: number;
  private created = 0;

  /** @param start epoch milliseconds at which the clock begins */
  constructor(start = Date.UTC(2026, 0, 1)) {
    this.current = start;
  }

  now(): number {
    return this.current;
  }

  setTimer(milliseconds: number, callback: () => void): Timer {
    const timer: Pending = { due: this.current + Math.max(0, milliseconds), order: this.created++, callback };
    this.pending.add(timer);
    return { cancel: () => void this.pending.delete(timer) };
  }

  /** When the next timer is due, in epoch milliseconds; `undefined` when there is none. */
  nextTimer(): number | undefined {
    return this.first()?.due;
  }

  /** Moves forward, firing what becomes due; promises settle before, between and after the timers. */
  async advance(milliseconds: number): Promise<void> {
    const target = this.current + milliseconds;
    await settled();
    for (let next = this.first(); next !== undefined && next.due <= target; next = this.first()) {
      this.pending.delete(next);
      this.current = Math.max(this.current, next.due);
      next.callback();
      await settled();
    }
    this.current = target;
    await settled();
  }

  /**
   * Moves from timer to timer until `work` is settled, and answers its result.
   *
   * @throws when nothing is left that could move the clock while `work` still waits, or after `maxTimers` timers
   */
  async run<T>(work: Promise<T>, maxTimers = 100_000): Promise<T> {
    const state = { settled: false };
    const done = work.finally(() => (state.settled = true));
    done.catch(() => undefined);
    await settled();
    for (let fired = 0; !state.settled; fired++) {
      const next = this.first();
      if (next === undefined || fired >= maxTimers) {
        throw new Error(`the clock stands at ${this.current}: ${fired} timers fired, none is left, work still waits`);
      }
      await this.advance(Math.max(0, next.due - this.current));
    }
    return done;
  }

  /**
   * Moves to the next timer and fires it alone; promises settle afterwards, by {@link settled}.
   *
   * @param until epoch milliseconds up to which a timer is looked for
   * @returns whether there was one
   */
  fireNext(until = Infinity): boolean {
    const next = this.first();
    if (next === undefined || next.due > until) {
      return false;
    }
    this.pending.delete(next);
    this.current = Math.max(this.current, next.due);
    next.callback();
    return true;
  }

  /** Moves forward without firing anything: at most to the next timer. */
  elapse(milliseconds: number): void {
    this.current = Math.min(this.current + milliseconds, this.first()?.due ?? Infinity);
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

/** Lets every chain of promises run that waits for nothing but promises, however long it is. */
export function settled(): Promise<void> {
  return new Promise((resolve) => turnOfTheLoop(resolve));
}
