import type { Counts } from './observed-run';

/** Where progress is written: a terminal or a pipe. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Between two lines, in milliseconds. */
const REDRAW_MS = 200;
const LINE_MS = 3_000;
const CLEAR_LINE = '\r\u001b[2K';

/** Live progress: on a terminal one line that is redrawn, on a pipe a line every few seconds. */
export class Progress {
  private readonly timer: NodeJS.Timeout;
  private readonly started = performance.now();
  private drawn = false;

  /** @param counts what to show, asked anew for every line */
  constructor(
    private readonly stream: ProgressStream,
    private readonly counts: () => Counts,
  ) {
    this.timer = setInterval(
      () => {
        this.draw();
      },
      stream.isTTY === true ? REDRAW_MS : LINE_MS,
    );
  }

  /** Writes the last state and ends. */
  stop(): void {
    clearInterval(this.timer);
    this.draw();
    if (this.drawn && this.stream.isTTY === true) {
      this.stream.write('\n');
    }
  }

  private draw(): void {
    const line = progressLine(this.counts(), (performance.now() - this.started) / 1000);
    this.drawn = true;
    this.stream.write(this.stream.isTTY === true ? CLEAR_LINE + line : `${line}\n`);
  }
}

/** One line of progress. */
export function progressLine({ scanned, enqueued, succeeded, retried, dead }: Counts, seconds: number): string {
  const rate = seconds > 0 ? Math.round((succeeded + dead) / seconds) : 0;
  const parts = Object.entries({ scanned, enqueued, succeeded, retried, dead });
  return [...parts.map(([name, count]) => `${name} ${grouped(count)}`), `${grouped(rate)} records/s`].join('  ');
}

/** A number with its thousands set apart. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
