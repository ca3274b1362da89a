import type { Clock } from '../ports';

/** Part of an invocation that is kept for settling, visibility and the answer. */
const RESERVED_PART = 0.1;
const RESERVED_MS = { min: 300, max: 5_000 };

/**
 * The time of one invocation.
 *
 *     start ........................ stop ....... abandon ... answer ... deadline
 *     handlers start and run         signals fire             answer    Lambda ends the
 *                                    nothing starts           is due    environment
 *                                    handlers get their grace
 */
export class TimeBudget {
  /** When the invocation began, epoch milliseconds. */
  readonly start: number;
  /** When Lambda ends the invocation, epoch milliseconds. */
  readonly deadline: number;
  /** When handlers are told to stop; nothing starts from here on. */
  readonly stop: number;
  /** How long a handler may go on after its signal, in milliseconds. */
  readonly grace: number;
  /** When the answer is given whatever is still under way. */
  readonly answer: number;
  private readonly longest = new Map<string, number>();

  /** @param remaining milliseconds until Lambda ends the invocation */
  constructor(
    private readonly clock: Clock,
    remaining: number,
  ) {
    const reserved = Math.min(Math.max(remaining * RESERVED_PART, RESERVED_MS.min), RESERVED_MS.max);
    this.start = clock.now();
    this.deadline = this.start + remaining;
    this.stop = this.deadline - reserved;
    this.grace = reserved / 2;
    this.answer = this.deadline - reserved / 4;
  }

  /** Whether anything may still start. */
  isOver(): boolean {
    return this.clock.now() >= this.stop;
  }

  /**
   * Whether a record behind others of its lane may start: only with room for the longest call of its job in this invocation. A record that is
   * not started comes back without an attempt; one that is started and then stopped has lost one by no fault of its own.
   */
  hasRoomFor(jobType: string): boolean {
    return this.clock.now() + (this.longest.get(jobType) ?? 0) < this.stop;
  }

  /** Notes how long a call took, in milliseconds. */
  note(jobType: string, duration: number): void {
    this.longest.set(jobType, Math.max(duration, this.longest.get(jobType) ?? 0));
  }
}
