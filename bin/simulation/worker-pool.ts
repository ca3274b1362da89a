import { Worker } from 'node:worker_threads';
import type { Answer, Task } from './worker';

/** Seconds after which a seed that does not answer is given up. */
const PATIENCE_SECONDS = 60;

/** What came of a task: an answer, that the code hung or threw, or that nobody waits for it any more. */
export type Outcome = { readonly answer: Answer } | { readonly error: string } | 'stopped';

/** Runs tasks in a thread of its own, one after another. */
export class SimulationWorker {
  private worker: Worker;

  /**
   * @param bundle path of the bundled worker
   * @param signal ends the task at hand, and every further one at once
   */
  constructor(
    private readonly bundle: string,
    private readonly signal: AbortSignal,
  ) {
    this.worker = this.start();
  }

  /** Runs a task; never rejects. A thread that hangs is ended, and the next task has a new one. */
  run(task: Task, patienceSeconds = PATIENCE_SECONDS): Promise<Outcome> {
    return new Promise((resolve) => {
      const { worker, signal } = this;
      const finish = (outcome: Outcome): void => {
        clearTimeout(timer);
        worker.off('message', finish).off('error', fail);
        signal.removeEventListener('abort', stop);
        resolve(outcome);
      };
      const stop = (): void => {
        finish('stopped');
      };
      const restart = (error: string): void => {
        finish({ error });
        void worker.terminate();
        this.worker = this.start();
      };
      const fail = (error: unknown): void => {
        restart(String(error));
      };
      const timer = setTimeout(() => {
        restart(`seed ${task.seed} does not come to an end`);
      }, patienceSeconds * 1000);
      if (signal.aborted) {
        stop();
        return;
      }
      signal.addEventListener('abort', stop);
      worker.on('message', finish).on('error', fail);
      worker.postMessage(task);
    });
  }

  /** Ends the thread. */
  async end(): Promise<void> {
    await this.worker.terminate();
  }

  private start(): Worker {
    return new Worker(this.bundle, { stdout: false, stderr: false });
  }
}
