import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceContext } from '../contract';
import { traceContext } from '../contract';
import type { Tracer } from '../ports';
import type { Environment } from './configuration';

/*
 * The part of OpenTelemetry that is used: what its API keeps under a global symbol, whoever registered it (a layer, the user's own code). So the bundle has no copy of the API, and needs none.
 * @see https://github.com/open-telemetry/opentelemetry-js/blob/main/api/src/internal/global-utils.ts
 */
interface OpenTelemetry {
  readonly context?: {
    active(): unknown;
    bind<T>(context: unknown, work: () => T): () => T;
  };
  readonly propagation?: {
    inject(context: unknown, carrier: Carrier, setter: unknown): void;
    extract(context: unknown, carrier: Carrier, getter: unknown): unknown;
  };
}

type Carrier = Record<string, string>;

const API = Symbol.for('opentelemetry.js.api.1');
const SETTER = {
  set: (carrier: Carrier, name: string, value: string): void => {
    carrier[name.toLowerCase()] = value;
  },
};
const GETTER = {
  keys: (carrier: Carrier): string[] => Object.keys(carrier),
  get: (carrier: Carrier, name: string): string | undefined => carrier[name.toLowerCase()],
};
/** Where Lambda says which trace an invocation is part of. */
const XRAY_VARIABLE = '_X_AMZN_TRACE_ID';

/**
 * The trace of an invocation: the one that `run` set, else that of OpenTelemetry where the function has it, else the one that Lambda names. `run` restores a trace for OpenTelemetry too, so that spans which
 * a handler opens are children of it.
 */
export class AmbientTracer implements Tracer {
  private readonly storage = new AsyncLocalStorage<TraceContext>();

  /** @param environment read anew by every call: Lambda changes it with every invocation */
  constructor(private readonly environment: Environment = process.env) {}

  current(): TraceContext {
    return this.storage.getStore() ?? traceContext({ traceparent: injected(), xray: this.environment[XRAY_VARIABLE] });
  }

  run<T>(trace: TraceContext, work: () => T): T {
    return this.storage.run(trace, bound(trace, work));
  }
}

function openTelemetry(): OpenTelemetry | undefined {
  return (globalThis as { readonly [API]?: OpenTelemetry })[API];
}

function injected(): unknown {
  const carrier: Carrier = {};
  try {
    const { context, propagation } = openTelemetry() ?? {};
    if (context !== undefined) {
      propagation?.inject(context.active(), carrier, SETTER);
    }
  } catch {
    // Whatever is registered there: without its trace the work goes on.
  }
  return carrier.traceparent;
}

function bound<T>({ traceparent, xray }: TraceContext, work: () => T): () => T {
  const carrier: Carrier = {
    ...(traceparent !== undefined && { traceparent }),
    ...(xray !== undefined && { 'x-amzn-trace-id': xray }),
  };
  try {
    const { context, propagation } = openTelemetry() ?? {};
    if (context === undefined || propagation === undefined || Object.keys(carrier).length === 0) {
      return work;
    }
    return context.bind(propagation.extract(context.active(), carrier, GETTER), work);
  } catch {
    return work;
  }
}
