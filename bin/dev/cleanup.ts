/** What must be undone, in reverse order: processes to end, ports to free, directories to remove. */
export class Cleanup {
  private readonly steps: (() => unknown)[] = [];
  private under: Promise<void> | undefined;

  /** Adds a step; may answer a promise, must not depend on steps that were added before it being undone. */
  add(step: () => unknown): void {
    this.steps.push(step);
  }

  /** Undoes everything, also where a step fails; a second call waits for the first. @throws the first error of a step */
  run(): Promise<void> {
    return (this.under ??= this.undo());
  }

  private async undo(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) {
      throw errors[0];
    }
  }
}
