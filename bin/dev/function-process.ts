import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import type { FunctionError, FunctionMessage, FunctionSignal, InvokeMessage } from './function-host/messages';

/** How to start a function process. */
export interface ProcessOptions {
  /** Path of the script that is loaded before the asset. */
  readonly preload: string;
  /** Path of the script that loads the handler. */
  readonly bootstrap: string;
  /** Memory of the function, in MiB. */
  readonly memoryMebibytes: number;
  /** The whole environment: nothing of the local run's own is passed on. */
  readonly environment: Readonly<Record<string, string>>;
  readonly onSignal: (signal: FunctionSignal, processId: number) => void;
  /** Called with every line that the process writes. */
  readonly onLine: (line: string) => void;
}

/** How a process answered. */
export type ProcessAnswer =
  | { readonly kind: 'succeeded'; readonly payload: string }
  | { readonly kind: 'failed'; readonly error: FunctionError }
  | { readonly kind: 'initFailed'; readonly error: FunctionError }
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null };

/**
 * One execution environment: a Node.js process that holds the code of a function and serves one invocation at a time.
 *
 * States: starting -> idle -> busy -> idle ... -> exited. A process that failed to load its handler, or that has exited, is never used again.
 */
export class FunctionProcess {
  private readonly child: ChildProcess;
  private readonly ready: Promise<ProcessAnswer | undefined>;
  private answer: ((answer: ProcessAnswer) => void) | undefined;
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>;
  private gone = false;

  constructor(private readonly options: ProcessOptions) {
    this.child = spawn(process.execPath, [...memoryFlags(options), '--import', options.preload, options.bootstrap], {
      env: { ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.readLines(this.child.stdout);
    this.readLines(this.child.stderr);
    this.ready = new Promise((resolve) => {
      this.answer = resolve;
      this.child.on('message', (message: FunctionMessage) => {
        if (message.kind === 'ready') {
          resolve(undefined);
        } else if (message.kind === 'signals') {
          for (const signal of message.signals) {
            options.onSignal(signal, this.id);
          }
        } else {
          this.answer?.(message);
        }
      });
    });
    this.exited = new Promise((resolve) => {
      const end = (code: number | null, signal: string | null): void => {
        this.gone = true;
        this.answer?.({ kind: 'exited', code, signal });
        resolve();
      };
      this.child.once('exit', end);
      this.child.once('error', () => {
        end(null, null);
      });
    });
  }

  /** Process id; 0 where the process could not be started. */
  get id(): number {
    return this.child.pid ?? 0;
  }

  /** Whether the process can't serve another invocation. */
  get isGone(): boolean {
    return this.gone;
  }

  /**
   * Calls the handler; the caller sees to it that no other call is under way.
   *
   * @param message made once the handler is loaded, since the time for loading it does not count
   */
  async invoke(message: () => InvokeMessage): Promise<ProcessAnswer> {
    const failed = await this.ready;
    if (failed !== undefined) {
      this.kill();
      return failed;
    }
    return new Promise((resolve) => {
      this.answer = resolve;
      if (this.gone) {
        resolve({ kind: 'exited', code: this.child.exitCode, signal: this.child.signalCode });
      } else {
        this.child.send(message());
      }
    });
  }

  /** Ends the process at once. */
  kill(): void {
    this.gone = true;
    this.child.kill('SIGKILL');
  }

  private readLines(stream: Readable | null): void {
    if (stream !== null) {
      createInterface({ input: stream, crlfDelay: Infinity }).on('line', this.options.onLine);
    }
  }
}

/** Divides the memory of a function as AWS Lambda's runtime for Node.js does: 90 % for what lives long, 5 % for what does not. */
function memoryFlags({ memoryMebibytes }: ProcessOptions): string[] {
  const share = (percent: number): number => Math.floor((memoryMebibytes * percent) / 100);
  return [`--max-old-space-size=${share(90)}`, `--max-semi-space-size=${share(5)}`];
}
