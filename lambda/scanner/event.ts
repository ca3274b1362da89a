import { createHash } from 'node:crypto';
import type { ContinuationEvent, ResumeEvent, ScannerEvent, TickEvent, TraceContext } from '../contract';
import { CronFanoutError, isTraceparent, traceContext } from '../contract';

const RECEIVED_LENGTH = 120;
const SCHEDULED_TIME_LENGTH = 256;

/** A runId that may stand in keys of the state table as it is. */
const PLAIN_RUN_ID = /^[A-Za-z0-9:._-]{1,64}$/;

/** What EventBridge Scheduler leaves where it does not know a context attribute. */
const CONTEXT_ATTRIBUTE = '<aws.scheduler.';

/**
 * Reads the event of an invocation.
 *
 * @throws CronFanoutError `InvalidScannerEvent`, or `UnsubstitutedTick` for a tick without its scheduled time
 */
export function readEvent(event: unknown): ScannerEvent {
  if (typeof event !== 'object' || event === null) {
    throw invalid(event, 'a JSON object with a kind');
  }
  const fields = event as Readonly<Record<string, unknown>>;
  switch (fields.kind) {
    case 'tick':
      return readTick(fields);
    case 'continuation':
      return readContinuation(fields);
    case 'resume':
      return readResume(fields);
    case 'watchdog':
      return { kind: 'watchdog' };
    default:
      throw invalid(event, 'kind "tick", "continuation", "resume" or "watchdog"');
  }
}

function readTick(fields: Readonly<Record<string, unknown>>): TickEvent {
  const { scheduledTime, scheduleArn, attempt } = fields;
  if (typeof scheduledTime !== 'string' || scheduledTime === '' || scheduledTime.length > SCHEDULED_TIME_LENGTH) {
    throw invalid(fields, `a scheduledTime of 1 to ${SCHEDULED_TIME_LENGTH} characters`);
  }
  if (scheduledTime.startsWith(CONTEXT_ATTRIBUTE)) {
    throw new CronFanoutError('UnsubstitutedTick', {
      what: 'scheduledTime of the tick',
      received: JSON.stringify(scheduledTime),
      allowed: 'the scheduled time itself, which tells one tick from another',
      change:
        'let EventBridge Scheduler call the scanner; when you call it yourself, give a time such as "2026-01-01T00:00:00Z"',
    });
  }
  return {
    kind: 'tick',
    scheduledTime,
    scheduleArn: typeof scheduleArn === 'string' ? scheduleArn : '',
    attempt: typeof attempt === 'string' ? attempt : '',
  };
}

function readContinuation(fields: Readonly<Record<string, unknown>>): ContinuationEvent {
  const { fence, hops, idle } = fields;
  const runId = readRunId(fields);
  if (!isCount(fence) || !isCount(hops) || (idle !== undefined && !isCount(idle))) {
    throw invalid(fields, 'a fence and hops, and idle where it is given: integers from 1 on');
  }
  return { kind: 'continuation', runId, fence, hops, ...(idle !== undefined && { idle }) };
}

function readResume(fields: Readonly<Record<string, unknown>>): ResumeEvent {
  return { kind: 'resume', runId: readRunId(fields) };
}

function readRunId(fields: Readonly<Record<string, unknown>>): string {
  const { runId } = fields;
  if (typeof runId !== 'string' || !PLAIN_RUN_ID.test(runId)) {
    throw invalid(fields, 'a runId of 1 to 64 characters of A-Z a-z 0-9 : . _ -');
  }
  return runId;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/**
 * `runId` of a tick: its scheduled time, so that the same tick is the same run however often it is delivered. A time that may not stand in a key (`#` separates
 * there) is hashed.
 */
export function runIdOfTick({ scheduledTime }: Pick<TickEvent, 'scheduledTime'>): string {
  return PLAIN_RUN_ID.test(scheduledTime)
    ? scheduledTime
    : `tick-${createHash('sha256').update(scheduledTime).digest('hex').slice(0, 32)}`;
}

/** The trace that a caller of its own names in its event, as W3C `traceparent`; `undefined` where it names none. */
export function callerTrace(event: unknown): TraceContext | undefined {
  const { traceparent } = (typeof event === 'object' && event !== null ? event : {}) as { traceparent?: unknown };
  return isTraceparent(traceparent) ? traceContext({ traceparent }) : undefined;
}

function invalid(event: unknown, allowed: string): CronFanoutError {
  return new CronFanoutError('InvalidScannerEvent', {
    what: 'event of the scanner',
    received: shown(event),
    allowed,
    change: "leave the input of the fanout's schedules as the construct wrote it",
  });
}

/** Its kind and the names of its members: what they hold may be anything. */
function shown(event: unknown): string {
  if (typeof event !== 'object' || event === null) {
    return event === undefined ? 'nothing' : event === null ? 'null' : `a ${typeof event}`;
  }
  const { kind } = event as { readonly kind?: unknown };
  const names = Object.keys(event).join(', ') || 'no members';
  const named = typeof kind === 'string' ? `kind ${JSON.stringify(kind)} and members ${names}` : names;
  return `an object with ${named}`.slice(0, RECEIVED_LENGTH);
}
