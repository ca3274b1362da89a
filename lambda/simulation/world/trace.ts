/** One line of a trace. */
export interface TraceLine {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Execution environment or part of the world. */
  readonly who: string;
  readonly what: string;
}

/** What happened in a world, in order; of a long one, how it began and how it ended are kept. */
export class Trace {
  private readonly first: TraceLine[] = [];
  private last: TraceLine[] = [];
  private dropped = 0;

  /** @param limit most lines that are kept of the beginning, and of the end */
  constructor(private readonly limit = 2000) {}

  /** Adds a line. */
  add(at: number, who: string, what: string): void {
    if (this.first.length < this.limit) {
      this.first.push({ at, who, what });
      return;
    }
    this.last.push({ at, who, what });
    if (this.last.length > 2 * this.limit) {
      this.dropped += this.last.length - this.limit;
      this.last = this.last.slice(-this.limit);
    }
  }

  /**
   * The trace as text, with times relative to `start`.
   *
   * @param start epoch milliseconds
   * @param count most lines; of a longer trace, the first and the last ones
   */
  text(start: number, count: number): string[] {
    const lines = [...this.first, ...this.last].map(({ at, who, what }) => lineText(at - start, who, what));
    const left = lines.length + this.dropped - count;
    if (left <= 0) {
      return lines;
    }
    const half = Math.floor(count / 2);
    return [...lines.slice(0, half), `  ... ${left} lines ...`, ...lines.slice(-half)];
  }
}

function lineText(elapsedMs: number, who: string, what: string): string {
  return `  ${(elapsedMs / 1000).toFixed(3).padStart(10)} s  ${who.padEnd(14)} ${what}`;
}
