import { channel } from 'node:diagnostics_channel';
import type { HandlerSignal, JsonValue } from '../contract';
import { CHANNELS } from '../contract';
import type { AnyJob, HandlerContext } from '../job/job';
import type { Clock } from '../ports';
import type { TimeBudget } from './time-budget';

/** What came of an attempt. */
export type AttemptResult =
  | { readonly kind: 'succeeded' }
  /** `load` found no record, or `stillEligible` said no; the handler was not called. */
  | { readonly kind: 'obsolete' }
  | { readonly kind: 'failed'; readonly thrown: unknown };

/** An attempt that went on after its signal and its grace; `late` resolves when it ends after all. */
export interface AbandonedAttempt {
  readonly kind: 'abandoned';
  readonly late: Promise<AttemptResult>;
}

/** One attempt at one record. */
export interface Attempt {
  readonly job: AnyJob;
  /** What was queued of the record. */
  readonly payload: JsonValue;
  readonly dependencies: object;
  readonly context: Omit<HandlerContext, 'signal'>;
  /** Where the record lies, for whoever watches. */
  readonly place: Pick<HandlerSignal, 'segment' | 'page' | 'ordinal'>;
  /** Milliseconds that the attempt may take; absent: until the invocation must stop. */
  readonly timeout?: number;
}

const handlerChannel = channel(CHANNELS.handler);

/** Makes one attempt, within its time and that of the invocation. Never rejects. */
export async function makeAttempt(
  attempt: Attempt,
  clock: Clock,
  budget: TimeBudget,
): Promise<AttemptResult | AbandonedAttempt> {
  const abort = new AbortController();
  const start = clock.now();
  const allowed = Math.max(0, Math.min(budget.stop - start, attempt.timeout ?? Infinity));
  const stop = clock.setTimer(allowed, () => {
    abort.abort(new DOMException('the time of the handler is over', 'TimeoutError'));
  });
  const work = run(attempt, abort.signal).finally(() => {
    budget.note(attempt.job.jobType, clock.now() - start);
  });
  let endGrace: () => void = () => undefined;
  const graceOver = new Promise<AbandonedAttempt>((resolve) => {
    endGrace = () => {
      resolve({ kind: 'abandoned', late: work });
    };
  });
  const grace = clock.setTimer(allowed + budget.grace, endGrace);
  const result = await Promise.race([work, graceOver]);
  stop.cancel();
  grace.cancel();
  return result;
}

async function run(attempt: Attempt, signal: AbortSignal): Promise<AttemptResult> {
  const { job, payload } = attempt;
  const context = { ...attempt.dependencies, ...attempt.context, signal };
  let record: JsonValue | null | undefined = payload;
  try {
    if (job.load !== undefined) {
      record = await job.load(payload, context);
      if (record === undefined || record === null) {
        return { kind: 'obsolete' };
      }
    }
    if (job.stillEligible !== undefined && !(await job.stillEligible(record, context))) {
      return { kind: 'obsolete' };
    }
  } catch (thrown) {
    return { kind: 'failed', thrown };
  }
  publish(attempt, 'start');
  try {
    await job.handler(record, context);
  } catch (thrown) {
    publish(attempt, 'failed');
    return { kind: 'failed', thrown };
  }
  publish(attempt, 'succeeded');
  return { kind: 'succeeded' };
}

function publish({ context, place }: Attempt, phase: HandlerSignal['phase']): void {
  if (handlerChannel.hasSubscribers) {
    const { jobType, runId, key, group, attempt } = context;
    const signal: HandlerSignal = { phase, jobType, runId, key, group, ...place, attempt };
    handlerChannel.publish(signal);
  }
}
