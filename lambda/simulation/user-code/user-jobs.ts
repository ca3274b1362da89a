import { CronFanoutError } from '../../contract';
import type { AnyJob, HandlerContext, SetupContext, SourceContext } from '../../job/job';
import type { JobFaults } from '../job-faults';
import type { Instance } from '../world/instance';
import type { RecordLog } from './record-log';
import type { UserCode } from './user-code';

/** What stands in for parts of the user's jobs. */
export interface Replacements {
  /** Instead of every job's `setup`. */
  readonly setup?: ((context: SetupContext) => unknown) | undefined;
  /** Instead of the job's source. */
  readonly source?: ((job: AnyJob, context: SourceContext) => AsyncIterable<unknown>) | undefined;
}

/** What the jobs of one execution environment are made with. */
export interface UserJobOptions extends Replacements {
  readonly code: UserCode;
  readonly log: RecordLog;
  readonly instance: Instance;
  readonly faults: JobFaults;
}

const OVER = { done: true, value: undefined } as const;

type AnyFunction = (this: unknown, ...values: unknown[]) => unknown;

/** Members of a job that are not simply called in the environment's time. */
const SPECIAL: ReadonlySet<string> = new Set(['setup', 'source', 'key', 'schema']);

/** The user's jobs as one execution environment runs them: the same jobs, with all their functions called in the environment's time. */
export function userJobs(jobs: readonly AnyJob[], options: UserJobOptions): AnyJob[] {
  const setups = new Map<unknown, AnyJob['setup']>();
  return jobs.map((job) => ({
    ...job,
    ...plainFunctions(job, options),
    ...setupOf(job, options, setups),
    source: sourceOf(job, options),
    key: keyOf(job, options),
    ...schemaOf(job, options),
  }));
}

/** Every function that a job may have, those of later versions too. */
function plainFunctions(job: AnyJob, { code, instance }: UserJobOptions): Partial<AnyJob> {
  const members = Object.entries(job).filter(([name, value]) => typeof value === 'function' && !SPECIAL.has(name));
  return Object.fromEntries(
    members.map(([name, value]) => {
      const called = value as AnyFunction;
      const what = `${name} of job ${JSON.stringify(job.jobType)}`;
      const wrapped: AnyFunction = (...values) =>
        code.call(instance, what, () => called.apply(job, values), signalIn(values));
      return [name, wrapped];
    }),
  );
}

function signalIn(values: readonly unknown[]): AbortSignal | undefined {
  const context = values.at(-1) as Partial<HandlerContext> | null | undefined;
  return context?.signal instanceof AbortSignal ? context.signal : undefined;
}

/** One function for each function: jobs that share a `setup` go on sharing what it returns. */
function setupOf(job: AnyJob, options: UserJobOptions, known: Map<unknown, AnyJob['setup']>): Partial<AnyJob> {
  const { code, instance, faults } = options;
  const setup = options.setup ?? job.setup;
  if (setup === undefined) {
    return {};
  }
  const what = `setup of job ${JSON.stringify(job.jobType)}`;
  const wrapped: NonNullable<AnyJob['setup']> =
    known.get(setup) ??
    (async (context) => {
      try {
        // Async, so that one that throws at once fails like one that throws later.
        const called = async (): Promise<unknown> => await setup.call(job, context);
        const result = await code.call(instance, what, called);
        faults.setUp(what, result);
        return result as object;
      } catch (thrown) {
        faults.setupFailed(what, thrown);
        throw thrown;
      }
    });
  known.set(setup, wrapped);
  return { setup: wrapped };
}

function keyOf(job: AnyJob, { code, instance, log }: UserJobOptions): AnyJob['key'] {
  return (record) => {
    const key: unknown = code.call(instance, 'key', () => job.key(record));
    if (typeof key === 'string') {
      log.keyed(job.jobType, record, key);
    }
    return key as string;
  };
}

function schemaOf({ schema }: AnyJob, { code, instance, log }: UserJobOptions): Partial<AnyJob> {
  if (schema === undefined) {
    return {};
  }
  const standard = schema['~standard'];
  const validate: typeof standard.validate = async (value, ...rest) => {
    const result = await code.call(instance, 'schema', () => standard.validate(value, ...rest));
    if (result.issues === undefined) {
      log.validated(value, result.value);
    }
    return result;
  };
  return { schema: { '~standard': { ...standard, validate } } };
}

function sourceOf(job: AnyJob, options: UserJobOptions): AnyJob['source'] {
  const { code, instance, source, faults } = options;
  const what = `source of job ${JSON.stringify(job.jobType)}`;
  return ((context: SourceContext) => {
    const { signal } = context;
    const items: unknown = code.call(
      instance,
      what,
      () => (source === undefined ? job.source(context) : source(job, context)),
      signal,
    );
    const open = (items as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator];
    if (typeof open !== 'function') {
      throw noIterable(what, items);
    }
    const iterator = open.call(items as AsyncIterable<unknown>);
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          faults.itemYielded();
          return code.call(instance, what, () => iterator.next(), signal);
        },
        return: () => code.call(instance, what, () => iterator.return?.() ?? Promise.resolve(OVER), signal),
      }),
    };
  }) as never;
}

/** As the scanner says it, which is handed an iterable in any case. */
function noIterable(what: string, items: unknown): CronFanoutError {
  return new CronFanoutError('InvalidSource', {
    what,
    received: `a function that returns ${items === null ? 'null' : typeof items}`,
    allowed: 'an async generator, or a function that returns an async iterable',
    change: 'write it as `async *source({ cursor }) { yield { record, cursor }; }`',
  });
}
