import type { Clock, Timer } from '../../ports';

/** What a {@link Watch} reads of its queue. */
export interface Watched {
  /** Lets take effect what is due. */
  settle(): void;
  /** Epoch milliseconds at which something becomes due next. */
  nextDueAt(): number | undefined;
}

/**
 * Tells listeners that messages may have become receivable. Only while somebody listens is there a timer, set for the moment at which the
 * next message becomes visible: so a clock that jumps from timer to timer meets real events only.
 */
export class Watch {
  private readonly listeners = new Set<() => void>();
  private timer: Timer | undefined;
  private timerAt = Infinity;
  private isTold = true;

  constructor(
    private readonly clock: Clock,
    private readonly watched: Watched,
  ) {}

  /** Registers a listener. @returns ends it */
  add(listener: () => void): () => void {
    this.listeners.add(listener);
    this.arm();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) {
        this.disarm();
      }
    };
  }

  /**
   * Notes a change, to be told once after the current turn.
   *
   * @param dueAt epoch milliseconds of the due moment that the change added or dropped, if any
   */
  changed(dueAt: number | undefined): void {
    if (this.listeners.size === 0) {
      return;
    }
    if (dueAt !== undefined && dueAt <= this.timerAt) {
      this.arm();
    }
    if (this.isTold) {
      this.isTold = false;
      // Not `queueMicrotask`, which fake timers of a test runner replace.
      void Promise.resolve().then(() => {
        this.isTold = true;
        this.tell();
      });
    }
  }

  private tell(): void {
    this.watched.settle();
    for (const listener of [...this.listeners]) {
      if (this.listeners.has(listener)) {
        listener();
      }
    }
    this.arm();
  }

  private arm(): void {
    const at = this.listeners.size === 0 ? undefined : this.watched.nextDueAt();
    if (at === this.timerAt) {
      return;
    }
    this.disarm();
    if (at !== undefined) {
      this.timerAt = at;
      this.timer = this.clock.setTimer(Math.max(0, at - this.clock.now()), () => {
        this.disarm();
        this.tell();
      });
    }
  }

  private disarm(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.timerAt = Infinity;
  }
}
