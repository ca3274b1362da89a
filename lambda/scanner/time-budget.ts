import type { Clock, Timer } from '../ports';

/** Most that is kept for handing over, in milliseconds. */
const RESERVE_MS = 30_000;
/** Part of a short invocation that is kept for handing over. */
const RESERVE_PART = 0.25;
/** Part of the reserve that is kept for handing over even from the midst of a page. */
const LAST_PART = 0.3;

/**
 * The time of one invocation. Its `signal` fires when what is left is only enough to bring the page at hand to an end and to hand over, or when
 * the scan must stop for another reason.
 */
export class TimeBudget {
  private readonly controller = new AbortController();
  private readonly reserve: number;
  private readonly timer: Timer;

  /** @param remaining milliseconds until Lambda ends the invocation */
  constructor(
    clock: Clock,
    private readonly remaining: () => number,
  ) {
    const left = remaining();
    this.reserve = Math.min(RESERVE_MS, left * RESERVE_PART);
    this.timer = clock.setTimer(left - this.reserve, () => {
      this.controller.abort();
    });
  }

  /** Fires when the scan must stop. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Whether it is time to hand over. */
  get isShort(): boolean {
    return this.remaining() <= this.reserve;
  }

  /** Whether even the page at hand must be left. */
  get isOver(): boolean {
    return this.remaining() <= this.reserve * LAST_PART;
  }

  /** Stops what listens to the signal. */
  stop(): void {
    this.controller.abort();
  }

  /** Ends the budget with its invocation: an environment that is frozen must not wake up to a timer of an earlier one. */
  end(): void {
    this.timer.cancel();
  }
}
