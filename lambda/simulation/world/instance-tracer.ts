import { createHash } from 'node:crypto';
import { traceContext } from '../../contract';
import type { Tracer } from '../../ports';

/** A trace of its own for every execution environment, so that a message shows whose trace it carries. */
export function instanceTracer(name: string): Tracer {
  const digest = createHash('sha256').update(name).digest('hex');
  const trace = traceContext({ traceparent: `00-${digest.slice(0, 32)}-${digest.slice(32, 48)}-01` });
  return { current: () => trace, run: (_, work) => work() };
}
