import type { TraceContext } from '../contract';

/** The trace that code runs in. Nothing here may throw: a trace decides over no record. */
export interface Tracer {
  /** The trace of the present call; empty where there is none. */
  current(): TraceContext;
  /** Does `work` in a trace, and answers what it answers. */
  run<T>(trace: TraceContext, work: () => T): T;
}

/** No traces. */
export const noTracer: Tracer = {
  current: () => ({}),
  run: (_, work) => work(),
};
