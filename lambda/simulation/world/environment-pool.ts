import type { Instance } from './instance';

/** An execution environment that is kept for further invocations. */
interface Kept {
  readonly instance: Instance;
}

/** The execution environments of a function that wait for their next invocation; each has the code of the deployment that made it. */
export class EnvironmentPool<Environment extends Kept> {
  private idle: Environment[] = [];

  /** @param create makes an environment with the code that is deployed now */
  constructor(private readonly create: () => Environment) {}

  /** An environment for one invocation, and what gives it back after that. */
  take(): { readonly environment: Environment; readonly giveBack: () => void } {
    const { idle } = this;
    let environment = idle.pop();
    while (environment?.instance.isAlive === false) {
      environment = idle.pop();
    }
    const taken = environment ?? this.create();
    return {
      environment: taken,
      giveBack: () => {
        // After a deployment nobody takes from this list any more.
        if (taken.instance.isAlive) {
          idle.push(taken);
        }
      },
    };
  }

  /** Lets the environments that exist now take no further invocation, also those whose invocation is under way. */
  retire(): void {
    this.idle = [];
  }
}
