import type { Clock } from '../ports';
import { sleep } from '../ports';

/** Waits before the next try, in milliseconds. */
const PAUSES_MS = [50, 200, 800, 3_000] as const;

/** A bounded number of tries with growing pauses, shared by everything that waits for the same table. */
export class Patience {
  private tries = 0;
  /** Why the last try failed. */
  cause: unknown;

  /** @param signal ends the pauses and the tries */
  constructor(
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {}

  /** Whether no further try is due. */
  isOver(): boolean {
    return this.tries > PAUSES_MS.length || this.signal.aborted;
  }

  /** Notes a failed try and waits until the next one is due. */
  async pause(cause: unknown): Promise<void> {
    const milliseconds = PAUSES_MS[this.tries];
    this.tries += 1;
    this.cause = cause;
    if (milliseconds !== undefined) {
      await sleep(this.clock, milliseconds, this.signal);
    }
  }
}
