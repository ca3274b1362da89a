import type { JsonValue } from '../../contract';
import type { AnyJob, HandlerContext, SourceContext } from '../../job/job';
import { sleep } from '../../ports';
import { CallFailed } from './faulty-calls';
import type { Fault, FaultPlan } from './faults';
import type { Instance } from './instance';
import { never } from './never';
import type { HandlerCall, Observer } from './observation';
import type { StepScheduler } from './step-scheduler';
import type { Trace } from './trace';

/** Milliseconds that a slow handler or source takes. */
const SLOW_MS = 15_000;
/** Milliseconds that a handler takes which goes on whatever it is told: longer than any invocation. */
const HANG_MS = 1_800_000;
/** Functions of a job that are part of an attempt, and called before its handler. */
const BEFORE_HANDLER = ['load', 'stillEligible'] as const;
/** Values that are thrown and are no errors. */
const ODD: readonly unknown[] = ['a text', undefined, null, 42, { name: 1, message: 2 }, Symbol('odd')];

/** What a job is watched with, in one execution environment. */
export interface JobWatch {
  readonly instance: Instance;
  readonly fanoutId: string;
  readonly plan: FaultPlan;
  readonly steps: StepScheduler;
  readonly trace: Trace;
  readonly observe: Observer;
  /** Epoch milliseconds of the world. */
  readonly now: () => number;
  /** Most milliseconds that a call of the handler takes by itself. */
  readonly handlerMs: number;
}

type AnySource = (context: SourceContext) => AsyncIterable<unknown>;

/** The job as one environment runs it: its source and its handler take their turns, may meet faults, and are watched. */
export function observedJob(job: AnyJob, watch: JobWatch): AnyJob {
  const source = job.source as unknown as AnySource;
  return {
    ...job,
    source: ((context: SourceContext) =>
      observedSource(job.jobType, source.call(job, context), context, watch)) as never,
    ...Object.fromEntries(
      BEFORE_HANDLER.flatMap((name) => {
        const call: unknown = Reflect.get(job, name);
        return typeof call === 'function' ? [[name, observedBefore(job, call as AnyJob['handler'], watch)]] : [];
      }),
    ),
    handler: (record, context) => observedHandler(job, record, context, watch),
  };
}

/** A function of the job that is called before its handler, as part of the attempt. */
function observedBefore(job: AnyJob, call: AnyJob['handler'], watch: JobWatch): AnyJob['handler'] {
  return async (record, context) => {
    const started = callOf(context, watch);
    watch.observe({ type: 'attemptStarted', call: started });
    try {
      return await call.call(job, record, context);
    } catch (thrown) {
      started.thrown = thrown;
      started.result = 'failed';
      watch.trace.add(watch.now(), watch.instance.name, `attempt ${started.attempt} of ${started.key} fails`);
      throw thrown;
    }
  };
}

async function* observedSource(
  jobType: string,
  items: ReturnType<AnySource>,
  context: SourceContext,
  { instance, fanoutId, plan, steps, trace, observe, now }: JobWatch,
): AsyncGenerator<unknown, void, undefined> {
  const { runId, segment, signal } = context;
  for await (const item of items) {
    await steps.turn();
    if (!instance.isAlive) {
      await never();
    }
    const fault = plan.next('source');
    trace.add(now(), instance.name, `source yields ${shown(item)}${fault === undefined ? '' : `  <== ${fault}`}`);
    await instance.whenRunning();
    if (fault === 'sourceError') {
      throw new CallFailed('the source cannot be reached');
    }
    if (fault === 'sourceSlow') {
      await sleep(instance.clock, SLOW_MS * plan.shape(0), signal);
    }
    if (fault === 'sourceHang') {
      await sleep(instance.clock, HANG_MS);
    }
    for (const record of recordsOf(item)) {
      observe({ type: 'yielded', by: instance, fanoutId, runId, jobType, segment: segment.index, record });
    }
    yield item;
  }
}

/** Records of an item, which may be anything where a user's source yields it. */
function recordsOf(item: unknown): readonly unknown[] {
  const { record, records = [record] } = (item ?? {}) as { record?: unknown; records?: unknown };
  return Array.isArray(records) ? records : [];
}

function shown(item: unknown): string {
  return recordsOf(item)
    .map((one) => shownId((one as { id?: unknown } | null | undefined)?.id))
    .join();
}

function shownId(id: unknown): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '?';
}

async function observedHandler(
  job: AnyJob,
  record: JsonValue,
  context: HandlerContext,
  watch: JobWatch,
): Promise<unknown> {
  const { instance, plan, trace, observe, now } = watch;
  const call = callOf(context, watch);
  const fault = plan.next('handler');
  trace.add(
    now(),
    instance.name,
    `handler ${call.key}, attempt ${call.attempt}${fault === undefined ? '' : `  <== ${fault}`}`,
  );
  observe({ type: 'handlerStarted', call });
  const end = async (result: 'succeeded' | 'failed', thrown?: unknown): Promise<void> => {
    await instance.whenRunning();
    call.endedAt = now();
    call.result = result;
    call.thrown = thrown;
    call.isStopped = context.signal.aborted;
    trace.add(now(), instance.name, `handler ${call.key} ${result}`);
    observe({ type: 'handlerEnded', call });
  };
  try {
    await sleep(instance.clock, Math.floor(plan.shape(1) * watch.handlerMs));
    await strike(fault, plan.shape(2) * SLOW_MS, watch, context.signal);
    const result: unknown = await job.handler(record, context);
    await end('succeeded');
    return result;
  } catch (thrown) {
    await end('failed', thrown);
    throw thrown;
  }
}

function callOf(context: HandlerContext, { instance, fanoutId, now }: JobWatch): HandlerCall {
  const { runId, jobType, key, group, attempt, maxAttempts, idempotencyKey } = context;
  return {
    instance,
    fanoutId,
    runId,
    jobType,
    key,
    group,
    attempt,
    maxAttempts,
    idempotencyKey,
    startedAt: now(),
    deadline: instance.deadline,
  };
}

async function strike(
  fault: Fault | undefined,
  slowMs: number,
  { instance, observe }: JobWatch,
  signal: AbortSignal,
): Promise<void> {
  if (fault === 'handlerCrash') {
    observe({ type: 'troubled', by: instance, fault });
    instance.kill('crash');
    await never();
  }
  if (fault === 'handlerError') {
    throw new Error('the handler fails');
  }
  if (fault === 'handlerOddError') {
    throw ODD[Math.floor(slowMs) % ODD.length];
  }
  if (fault === 'handlerSlow') {
    await sleep(instance.clock, slowMs, signal);
  }
  if (fault === 'handlerHang') {
    await sleep(instance.clock, HANG_MS);
  }
}
