/** The trace that a run belongs to. Both members name the same trace, unless a tracer beside X-Ray is at work. */
export interface TraceContext {
  /** W3C `traceparent`. @see https://www.w3.org/TR/trace-context/#traceparent-header */
  readonly traceparent?: string;
  /** X-Ray tracing header. @see https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader */
  readonly xray?: string;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
/** Members of an X-Ray header: `Root=...;Parent=...;Sampled=1`, `Self`, `Lineage`, and what callers add. */
const XRAY_HEADER = /^[A-Za-z0-9]+=[!-:<-~]*(;[A-Za-z0-9]+=[!-:<-~]*)*$/;
const XRAY_ROOT = /(?:^|;)Root=1-([0-9a-f]{8})-([0-9a-f]{24})(?=;|$)/;
const XRAY_PARENT = /(?:^|;)Parent=([0-9a-f]{16})(?=;|$)/;
const XRAY_SAMPLED = /(?:^|;)Sampled=1(?=;|$)/;
const LONGEST_HEADER = 1_000;

/** Whether a value is a `traceparent` that can be passed on. */
export function isTraceparent(value: unknown): value is string {
  return typeof value === 'string' && TRACEPARENT.test(value);
}

/** Whether a value is an X-Ray header that SQS accepts and that names a trace. */
export function isXrayHeader(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= LONGEST_HEADER && XRAY_HEADER.test(value) && XRAY_ROOT.test(value)
  );
}

/** The same trace as a `traceparent`; `undefined` where the header names no parent. */
export function traceparentOf(xray: string): string | undefined {
  const [, time, random] = XRAY_ROOT.exec(xray) ?? [];
  const [, parent] = XRAY_PARENT.exec(xray) ?? [];
  const made = `00-${time ?? ''}${random ?? ''}-${parent ?? ''}-${XRAY_SAMPLED.test(xray) ? '01' : '00'}`;
  return isTraceparent(made) ? made : undefined;
}

/** The same trace as an X-Ray header; `undefined` where it is no `traceparent`. */
export function xrayHeaderOf(traceparent: string): string | undefined {
  const [, trace, parent, flags] = TRACEPARENT.exec(traceparent) ?? [];
  return trace === undefined || parent === undefined || flags === undefined
    ? undefined
    : `Root=1-${trace.slice(0, 8)}-${trace.slice(8)};Parent=${parent};Sampled=${parseInt(flags, 16) & 1}`;
}

/** A trace of what is known of it: what is not valid is left out, and each form stands in for the other. */
export function traceContext(known: { readonly traceparent?: unknown; readonly xray?: unknown }): TraceContext {
  const given = isXrayHeader(known.xray) ? known.xray : undefined;
  const traceparent = isTraceparent(known.traceparent)
    ? known.traceparent
    : given === undefined
      ? undefined
      : traceparentOf(given);
  const xray = given ?? (traceparent === undefined ? undefined : xrayHeaderOf(traceparent));
  return { ...(traceparent !== undefined && { traceparent }), ...(xray !== undefined && { xray }) };
}
