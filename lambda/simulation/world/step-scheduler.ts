/** Calls that wait for their turn; a world lets them through one at a time, in an order that its seed chooses. */
export class StepScheduler {
  private readonly waiting: (() => void)[] = [];
  private released = 0;

  /** Calls that wait. */
  get size(): number {
    return this.waiting.length;
  }

  /** Calls that were let through. */
  get steps(): number {
    return this.released;
  }

  /** Resolves when it is the caller's turn. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /**
   * Lets one call through.
   *
   * @param fraction which one, in [0, 1)
   */
  release(fraction: number): void {
    const [next] = this.waiting.splice(Math.floor(fraction * this.waiting.length), 1);
    this.released += 1;
    next?.();
  }
}
