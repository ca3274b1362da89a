/* Main module of a function process: loads the handler of a deployed asset and calls it when the local run says so. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FunctionError, FunctionMessage, InvokeMessage } from './messages';
import { HANDLER_VARIABLE, SEND_SIGNALS, SET_OFFSET, TASK_ROOT_VARIABLE } from './messages';

type Handler = (event: unknown, context: object) => unknown;

/** Extensions in the order in which AWS Lambda looks for the file of a handler. */
const EXTENSIONS = ['.js', '.mjs', '.cjs'];

const local = globalThis as unknown as Record<symbol, ((milliseconds?: number) => void) | undefined>;

/** What was published before is sent before. */
function send(message: FunctionMessage): void {
  local[SEND_SIGNALS]?.();
  process.send?.(message);
}

function errorOf(error: unknown): FunctionError {
  return error instanceof Error
    ? { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') }
    : { errorType: typeof error, errorMessage: String(error) };
}

async function loadHandler(): Promise<Handler> {
  const name = process.env[HANDLER_VARIABLE] ?? '';
  const dot = name.lastIndexOf('.');
  const base = join(process.env[TASK_ROOT_VARIABLE] ?? '', name.slice(0, dot));
  const file = EXTENSIONS.map((extension) => base + extension).find((path) => existsSync(path));
  if (file === undefined) {
    throw Object.assign(new Error(`Cannot find module '${base}'`), { name: 'Runtime.ImportModuleError' });
  }
  const loaded = (await import(pathToFileURL(file).href)) as Record<string, unknown> & {
    default?: Record<string, unknown>;
  };
  const handler = loaded[name.slice(dot + 1)] ?? loaded.default?.[name.slice(dot + 1)];
  if (typeof handler !== 'function') {
    throw Object.assign(new Error(`${name} is undefined or not exported`), { name: 'Runtime.HandlerNotFound' });
  }
  return handler as Handler;
}

async function invoke(handler: Handler, { event, context, offset, deadline }: InvokeMessage): Promise<void> {
  local[SET_OFFSET]?.(offset);
  try {
    const result = await handler(JSON.parse(event), {
      ...context,
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    });
    send({ kind: 'succeeded', payload: JSON.stringify(result ?? null) });
  } catch (error) {
    send({ kind: 'failed', error: errorOf(error) });
  }
}

loadHandler().then(
  (handler) => {
    process.on('message', (message: InvokeMessage) => void invoke(handler, message));
    send({ kind: 'ready' });
  },
  (error: unknown) => {
    send({ kind: 'initFailed', error: errorOf(error) });
  },
);
