/** Messages between the local run and a function process, over the IPC channel of Node.js. */

/** An error as AWS Lambda reports it to whoever invoked the function. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  /** Lines of the stack. */
  readonly trace?: readonly string[];
}

/** What of the Lambda context is data. */
export interface ContextData {
  readonly awsRequestId: string;
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  /** MiB, as text, as in AWS. */
  readonly memoryLimitInMB: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
}

/** Calls the handler. A process is sent the next one only after it has answered. */
export interface InvokeMessage {
  readonly kind: 'invoke';
  /** The event as JSON text. */
  readonly event: string;
  readonly context: ContextData;
  /** Milliseconds by which local time is ahead of the machine's. */
  readonly offset: number;
  /** When the invocation times out, in epoch milliseconds of local time. */
  readonly deadline: number;
}

/** What a function process sends. */
export type FunctionMessage =
  /** The handler is loaded. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'initFailed'; readonly error: FunctionError }
  | { readonly kind: 'succeeded'; readonly payload: string }
  | { readonly kind: 'failed'; readonly error: FunctionError }
  /** In their order; those of one turn of the event loop come together. */
  | { readonly kind: 'signals'; readonly signals: readonly FunctionSignal[] };

/** What the runtime published on a diagnostics channel. */
export interface FunctionSignal {
  /** Name of a diagnostics channel of lambda/contract. */
  readonly channel: string;
  readonly message: unknown;
  /** Nanoseconds of the machine's monotonic clock, which all processes share: signals of several processes can be put in order. */
  readonly at: number;
}

/** Environment variable that names the handler, as in AWS: `file.export`. */
export const HANDLER_VARIABLE = '_HANDLER';
/** Environment variable that names the directory of the code, as in AWS. */
export const TASK_ROOT_VARIABLE = 'LAMBDA_TASK_ROOT';
/** Property of `globalThis` under which the preload leaves the function that sets the offset of local time. */
export const SET_OFFSET = Symbol.for('cron-fanout.local.setOffset');
/** Property of `globalThis` under which the preload leaves the function that sends the signals that wait. */
export const SEND_SIGNALS = Symbol.for('cron-fanout.local.sendSignals');
