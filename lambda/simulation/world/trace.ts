/** One line of a trace. */
export interface TraceLine {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Execution environment or part of the world. */
  readonly who: string;
  readonly what: string;
}

/** What happened in a world, in order; only what happened last is kept. */
export class Trace {
  private lines: TraceLine[] = [];
  private dropped = 0;

  /** @param limit most lines that are kept */
  constructor(private readonly limit = 4000) {}

  /** Adds a line. */
  add(at: number, who: string, what: string): void {
    this.lines.push({ at, who, what });
    if (this.lines.length > 2 * this.limit) {
      this.dropped += this.lines.length - this.limit;
      this.lines = this.lines.slice(-this.limit);
    }
  }

  /** The lines that are kept, oldest first. */
  list(): readonly TraceLine[] {
    return this.lines.slice(-this.limit);
  }

  /** The last `count` lines as text, with times relative to `start` (epoch milliseconds). */
  text(start: number, count: number): string[] {
    const shown = this.lines.slice(-count);
    const earlier = this.dropped + this.lines.length - shown.length;
    const head = earlier > 0 ? [`  ... ${earlier} earlier lines`] : [];
    return [
      ...head,
      ...shown.map(
        ({ at, who, what }) => `  ${((at - start) / 1000).toFixed(3).padStart(10)} s  ${who.padEnd(14)} ${what}`,
      ),
    ];
  }
}
