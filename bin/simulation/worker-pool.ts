import { Worker } from 'node:worker_threads';
import type { Answer, Task } from './worker';

/** Seconds after which a seed that does not answer is given up. */
const PATIENCE_SECONDS = 60;

/** What came of a task: an answer, or that the code hung or threw. */
export type Outcome = { readonly answer: Answer } | { readonly error: string };

/** Runs tasks in a thread of its own, one after another. */
export class SimulationWorker {
  private worker: Worker;

  /** @param bundle path of the bundled worker */
  constructor(private readonly bundle: string) {
    this.worker = this.start();
  }

  /** Runs a task; never rejects. A thread that hangs is ended, and the next task has a new one. */
  run(task: Task, patienceSeconds = PATIENCE_SECONDS): Promise<Outcome> {
    return new Promise((resolve) => {
      const { worker } = this;
      const finish = (outcome: Outcome): void => {
        clearTimeout(timer);
        worker.off('message', finish).off('error', fail);
        resolve(outcome);
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
