import { randomUUID } from 'node:crypto';
import type { Timer } from '../../lambda/ports';
import type { FunctionError, FunctionSignal } from './function-host/messages';
import { HANDLER_VARIABLE, TASK_ROOT_VARIABLE } from './function-host/messages';
import type { ProcessAnswer } from './function-process';
import { FunctionProcess } from './function-process';
import type { LocalClock } from './local-clock';

/** A function as its template describes it, with every value resolved. */
export interface FunctionDescription {
  readonly name: string;
  readonly arn: string;
  /** Directory of the asset. */
  readonly directory: string;
  /** `file.export`. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMebibytes: number;
  /** Invocations at once; absent: no limit of its own. */
  readonly reservedConcurrency?: number;
}

/** What came of an invocation. */
export type InvocationResult =
  | { readonly status: 'succeeded'; readonly requestId: string; readonly payload: unknown }
  | { readonly status: 'failed'; readonly requestId: string; readonly error: FunctionError }
  /** The function's concurrency was used up; it was not called. */
  | { readonly status: 'throttled' };

/** What a pool works with. */
export interface PoolOptions {
  readonly clock: LocalClock;
  readonly scripts: { readonly preload: string; readonly bootstrap: string };
  /** Variables that are added to those of the template: region, credentials, endpoints. */
  readonly environment: Readonly<Record<string, string>>;
  readonly onSignal: (signal: FunctionSignal, processId: number) => void;
  /** Called when a process is gone. */
  readonly onExit: (processId: number) => void;
  readonly onLine: (functionName: string, line: string) => void;
  /** Called when a function can't be loaded: it never will be, so there is no use in going on. */
  readonly onInitFailure: (functionName: string, error: FunctionError) => void;
}

/**
 * The execution environments of one function: a warm one is used again, a new one is started when none is idle, one invocation at a time in each. An
 * invocation that runs out of time ends with its process, as in AWS Lambda.
 */
export class FunctionPool {
  private readonly idle: FunctionProcess[] = [];
  private readonly all = new Set<FunctionProcess>();
  private readonly running = new Set<Promise<unknown>>();
  private started = 0;
  private stopped = false;

  constructor(
    readonly description: FunctionDescription,
    private readonly options: PoolOptions,
  ) {}

  /** Processes that were started so far. */
  get processesStarted(): number {
    return this.started;
  }

  /** Calls the function. Never rejects: what goes wrong is in the answer. */
  async invoke(event: unknown): Promise<InvocationResult> {
    if (this.stopped || this.running.size >= (this.description.reservedConcurrency ?? Infinity)) {
      return { status: 'throttled' };
    }
    const release = this.options.clock.hold();
    const call = this.call(event);
    this.running.add(call);
    try {
      return await call;
    } finally {
      this.running.delete(call);
      release();
    }
  }

  /**
   * Takes no further invocation, waits for those in flight, and ends every process.
   *
   * @param graceMilliseconds real time that invocations in flight are given
   */
  async stop(graceMilliseconds: number): Promise<void> {
    this.stopped = true;
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise((resolve) => (timer = setTimeout(resolve, graceMilliseconds)));
    await Promise.race([Promise.allSettled(this.running), grace]);
    clearTimeout(timer);
    for (const one of this.all) {
      one.kill();
    }
    await Promise.all([...this.all].map((one) => one.exited));
  }

  private async call(event: unknown): Promise<InvocationResult> {
    const requestId = randomUUID();
    const used = this.idle.pop() ?? this.start();
    const { clock } = this.options;
    const milliseconds = this.description.timeoutSeconds * 1000;
    const state = { timedOut: false };
    let timer: Timer | undefined;
    const answer = await used.invoke(() => {
      timer = clock.setTimer(milliseconds, () => {
        state.timedOut = true;
        used.kill();
      });
      return {
        kind: 'invoke',
        event: JSON.stringify(event),
        context: this.context(requestId),
        offset: clock.offset,
        deadline: clock.now() + milliseconds,
      };
    });
    timer?.cancel();
    this.putBack(used);
    return state.timedOut && answer.kind === 'exited'
      ? { status: 'failed', requestId, error: timeout(requestId, this.description.timeoutSeconds) }
      : this.resultOf(requestId, answer);
  }

  private resultOf(requestId: string, answer: ProcessAnswer): InvocationResult {
    switch (answer.kind) {
      case 'succeeded':
        return { status: 'succeeded', requestId, payload: JSON.parse(answer.payload) };
      case 'failed':
        return { status: 'failed', requestId, error: answer.error };
      case 'initFailed':
        this.options.onInitFailure(this.description.name, answer.error);
        return { status: 'failed', requestId, error: answer.error };
      case 'exited':
        return { status: 'failed', requestId, error: exitError(requestId, answer.code, answer.signal) };
    }
  }

  private start(): FunctionProcess {
    const { description, options } = this;
    const started = new FunctionProcess({
      ...options.scripts,
      memoryMebibytes: description.memoryMebibytes,
      // Last, so that nothing in a template sends a call off this machine.
      environment: { ...processEnvironment(description), ...description.environment, ...options.environment },
      onSignal: options.onSignal,
      onLine: (line) => {
        options.onLine(description.name, line);
      },
    });
    this.started++;
    this.all.add(started);
    void started.exited.then(() => {
      options.onExit(started.id);
      this.all.delete(started);
      const place = this.idle.indexOf(started);
      if (place >= 0) {
        this.idle.splice(place, 1);
      }
    });
    return started;
  }

  private putBack(used: FunctionProcess): void {
    if (!used.isGone) {
      this.idle.push(used);
    }
  }

  private context(awsRequestId: string) {
    const { name, arn, memoryMebibytes } = this.description;
    return {
      awsRequestId,
      functionName: name,
      functionVersion: '$LATEST',
      invokedFunctionArn: arn,
      memoryLimitInMB: String(memoryMebibytes),
      logGroupName: `/aws/lambda/${name}`,
      logStreamName: 'local',
    };
  }
}

/** The variables that AWS Lambda itself sets. */
function processEnvironment({
  name,
  directory,
  handler,
  memoryMebibytes,
}: FunctionDescription): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMebibytes),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    [HANDLER_VARIABLE]: handler,
    [TASK_ROOT_VARIABLE]: directory,
  };
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html */
function timeout(requestId: string, seconds: number): FunctionError {
  return {
    errorType: 'Sandbox.Timedout',
    errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds.toFixed(2)} seconds`,
  };
}

function exitError(requestId: string, code: number | null, signal: string | null): FunctionError {
  const how = signal === null ? `exit status ${code ?? 'unknown'}` : `signal: ${signal}`;
  return {
    errorType: 'Runtime.ExitError',
    errorMessage: `RequestId: ${requestId} Error: Runtime exited with error: ${how}`,
  };
}
