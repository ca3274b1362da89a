import type { Clock, Logger } from '../ports';

/** What the guard needs. */
export interface EnvironmentGuardOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the process of the execution environment. */
  readonly exit: () => void;
}

/**
 * Keeps an execution environment from working beside a handler that ignored its signal.
 *
 * Such a handler is still running after the invocation has answered (or goes on when a frozen environment is thawed), while its message comes back
 * to another environment once the claim's lease is over. So: as long as one is running, the environment takes no further work; the next
 * invocation hands its messages back and ends the process, and so does the end of the lease. The exit comes after the
 * answer on purpose: what finished stays finished. A handler that ends by itself before that makes the environment usable again.
 */
export class EnvironmentGuard {
  private readonly running = new Set<Promise<unknown>>();

  constructor(private readonly options: EnvironmentGuardOptions) {}

  /** Whether a handler that ignored its signal is still running. */
  isSpent(): boolean {
    return this.running.size > 0;
  }

  /**
   * Watches a handler that ignored its signal.
   *
   * @param leaseUntil when its claim may be taken over, epoch milliseconds
   */
  watch(handler: Promise<unknown>, leaseUntil: number): void {
    const { clock } = this.options;
    this.running.add(handler);
    const timer = clock.setTimer(leaseUntil - clock.now(), () => {
      this.exit();
    });
    const ended = (): void => {
      timer.cancel();
      this.running.delete(handler);
    };
    handler.then(ended, ended);
  }

  /** Ends the process. */
  exit(): void {
    this.options.logger.error('the execution environment ends: a handler goes on after its signal', {
      handlers: this.running.size,
    });
    this.options.exit();
  }
}
