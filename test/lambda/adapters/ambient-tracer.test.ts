import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { AmbientTracer } from '../../../lambda/adapters/ambient-tracer';

const XRAY = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;Lineage=1:0a1b2c3d:0';
const OF_XRAY = '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01';
const OTHER = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };
const OF_OTHER = `00-${OTHER.traceId}-${OTHER.spanId}-01`;
const API = Symbol.for('opentelemetry.js.api.1');

/** The trace that OpenTelemetry sees right now. */
const activeTrace = (): string | undefined => trace.getSpanContext(context.active())?.traceId;

const within = <T>(work: () => T): T => context.with(trace.setSpanContext(ROOT_CONTEXT, OTHER), work);

/** A function in which OpenTelemetry is set up, as its layer does it. */
function withOpenTelemetry(): void {
  beforeEach(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  });
  afterEach(() => {
    context.disable();
    propagation.disable();
  });
}

describe('AmbientTracer, in Lambda alone', () => {
  it('names the trace of the invocation, which Lambda changes with each', () => {
    const environment: Record<string, string> = {};
    const tracer = new AmbientTracer(environment);
    expect(tracer.current()).toEqual({});
    environment._X_AMZN_TRACE_ID = XRAY;
    expect(tracer.current()).toEqual({ xray: XRAY, traceparent: OF_XRAY });
    environment._X_AMZN_TRACE_ID = 'unlike a header';
    expect(tracer.current()).toEqual({});
  });

  it('does work in a trace, across what is awaited, and beside other work', async () => {
    const tracer = new AmbientTracer({ _X_AMZN_TRACE_ID: XRAY });
    const seen = await Promise.all(
      ['one', 'two'].map((xray) =>
        tracer.run({ xray }, async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return tracer.current();
        }),
      ),
    );
    expect(seen).toEqual([{ xray: 'one' }, { xray: 'two' }]);
    expect(tracer.current()).toEqual({ xray: XRAY, traceparent: OF_XRAY });
  });

  it('hands on what the work answers and throws', () => {
    const tracer = new AmbientTracer({});
    expect(tracer.run({}, () => 7)).toBe(7);
    expect(() =>
      tracer.run({}, () => {
        throw new Error('thrown');
      }),
    ).toThrow('thrown');
  });
});

describe('AmbientTracer, beside OpenTelemetry', () => {
  withOpenTelemetry();

  it('names the active span, and the trace of X-Ray beside it', () => {
    const tracer = new AmbientTracer({ _X_AMZN_TRACE_ID: XRAY });
    expect(within(() => tracer.current())).toEqual({ traceparent: OF_OTHER, xray: XRAY });
    expect(tracer.current()).toEqual({ traceparent: OF_XRAY, xray: XRAY });
    expect(within(() => new AmbientTracer({}).current())).toEqual({
      traceparent: OF_OTHER,
      xray: `Root=1-${'a'.repeat(8)}-${'a'.repeat(24)};Parent=${OTHER.spanId};Sampled=1`,
    });
  });

  it('restores a trace, so that spans which the work opens belong to it', async () => {
    const tracer = new AmbientTracer({});
    const seen = await within(() =>
      tracer.run({ traceparent: OF_XRAY }, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return activeTrace();
      }),
    );
    expect(seen).toBe('5759e988bd862e3fe1be46a994272793');
    expect(within(activeTrace)).toBe(OTHER.traceId);
  });

  it('leaves the active trace alone where there is none to restore', () => {
    expect(within(() => new AmbientTracer({}).run({}, activeTrace))).toBe(OTHER.traceId);
  });
});

describe('AmbientTracer, beside an OpenTelemetry that is broken', () => {
  const broken = (): never => {
    throw new Error('broken');
  };
  const globals = globalThis as Record<symbol, unknown>;
  let before: unknown;

  beforeEach(() => {
    before = globals[API];
  });
  afterEach(() => {
    globals[API] = before;
  });

  it.each<[string, unknown]>([
    ['is null', null],
    ['has nothing registered', {}],
    [
      'throws at every call',
      { context: { active: broken, bind: broken }, propagation: { inject: broken, extract: broken } },
    ],
    ['is something else', { context: 1, propagation: 2 }],
    ['cannot bind', { context: { active: () => 1 }, propagation: { inject: () => 1, extract: () => 1 } }],
  ])('that %s, does the work once all the same', (_, api) => {
    globals[API] = api;
    const tracer = new AmbientTracer({ _X_AMZN_TRACE_ID: XRAY });
    let calls = 0;
    expect(tracer.run({ traceparent: OF_OTHER }, () => (calls += 1))).toBe(1);
    expect(calls).toBe(1);
    expect(tracer.current()).toEqual({ xray: XRAY, traceparent: OF_XRAY });
  });
});
