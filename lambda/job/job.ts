import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonObject, JsonValue, TraceContext } from '../contract';
import type { Logger } from '../ports';

/** Where a source resumes: any JSON value. `null`, `''` and `{}` mean that nothing follows. */
export type Cursor = JsonValue;

/**
 * `T` where JSON keeps it exactly; elsewhere a text that says what JSON would lose, so that the compiler shows it. A handler is
 * handed what came out of the queue: a `Date` would be a string by then, a `Map` an empty object. (`JsonValue` comes first because it contains
 * itself: taking it apart would never end.)
 */
export type JsonCompatible<T> = T extends JsonValue
  ? T
  : T extends bigint
    ? 'JSON has no bigint: yield String(value)'
    : T extends Date
      ? 'JSON has no Date: yield date.toISOString()'
      : T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
        ? 'JSON has no Map or Set: yield an array or an object'
        : T extends (...args: never[]) => unknown
          ? 'JSON has no functions'
          : T extends symbol
            ? 'JSON has no symbols'
            : T extends object
              ? { [K in keyof T]: JsonCompatible<Exclude<T[K], undefined>> | Extract<T[K], undefined> }
              : unknown extends T
                ? T
                : never;

/**
 * What a source yields: a record, or a chunk of up to 1,000 records, with the cursor that resumes *after* it. A chunk may be empty: it only moves
 * the cursor. Cursors grow: the same cursor twice fails the run.
 */
export type SourceItem<R> =
  | {
      /** The record. */
      readonly record: R;
      /** Where a scan resumes after the record. */
      readonly cursor: Cursor;
    }
  | {
      /** The records of the chunk, in the order of the source. */
      readonly records: readonly R[];
      /** Where a scan resumes after the last of them. */
      readonly cursor: Cursor;
    };

/** The tick that started a run. */
export interface Tick {
  /** The scheduled time as the Scheduler gave it; identifies the tick. */
  readonly scheduledTime: string;
}

/** What `setup` is given. */
export interface SetupContext {
  /** Reads a secret that the construct's `secrets` prop names. */
  readonly secret: (name: string) => Promise<string>;
  /** Writes structured lines to the log of the function. */
  readonly log: Logger;
}

/** A part of a source: `segments` of the job says how many there are. */
export interface Segment {
  /** 0 to `count - 1`. */
  readonly index: number;
  /** Number of segments, from 1. */
  readonly count: number;
}

/** What a source is given, besides what `setup` returned. */
export interface SourceContext {
  /** Identifies the run; of a tick it derives from the scheduled time, so that a repeated tick has the same. */
  readonly runId: string;
  /** The tick that started the run. */
  readonly tick: Tick;
  /** Parameters of a triggered run; empty for a tick. */
  readonly params: JsonObject;
  /** Where to go on; `undefined` at the beginning. */
  readonly cursor: Cursor | undefined;
  /** Which part of the source to read: `index` of `count` parts, from 0 on. Each part has its own cursor, and a key must always be in the same part. */
  readonly segment: Segment;
  /** Fires when the scan must stop: pass it to statements and requests. */
  readonly signal: AbortSignal;
  /** Writes structured lines to the log of the function. */
  readonly log: Logger;
}

/** What a handler is given, besides what `setup` returned. */
export interface HandlerContext {
  /** Identifies the run; of a tick it derives from the scheduled time, so that a repeated tick has the same. */
  readonly runId: string;
  /** `jobType` of the job, also where the message has it under an alias. */
  readonly jobType: string;
  /** Identity of the record, as `key` of the job gave it. */
  readonly key: string;
  /** Ordering lane of the record, as `group` of the job gave it. */
  readonly group: string;
  /** Parameters of a triggered run; empty for a tick. */
  readonly params: JsonObject;
  /** This call, from 1. */
  readonly attempt: number;
  /** Attempts after which the record is dead. */
  readonly maxAttempts: number;
  /** The same for every attempt and every redrive of this record of this run: hand it to systems that deduplicate by key. */
  readonly idempotencyKey: string;
  /** The trace that the run belongs to, the same for every attempt and every redrive; empty where the scanner was in none. */
  readonly trace: TraceContext;
  /** Fires before the time of the handler is over, with room left to answer. */
  readonly signal: AbortSignal;
  /** Writes structured lines to the log of the function. */
  readonly log: Logger;
}

/** Marks a job; a `Symbol.for`, since two copies of the package may meet. */
export const JOB_BRAND = Symbol.for('cron-fanout.job');

/**
 * What every job declares: where its records come from and what is done with each. Functions live here; numbers and policies are props of the construct.
 *
 * `R` is the type of a record, `D` what `setup` returns, `Q` what is queued of a record, `L` what the handler is given.
 */
export interface BaseJobDefinition<R, D extends object, Q, L> {
  /** Name of the job: 1 to 64 of `[A-Za-z0-9._-]`, beginning with a letter or digit. Part of every message: see `aliases` before renaming it. */
  readonly jobType: string;
  /**
   * Names that the job had before, or will have after a deployment that is prepared. Messages with such a name are handled by this job, a run that was begun under one goes on under it, and a
   * record that is in flight or in quarantine under one is skipped. Order in a group holds among messages of one name. A name can go once nothing of it is in the queues.
   *
   * @default - none
   */
  readonly aliases?: readonly string[];
  /**
   * Any Standard Schema (zod, valibot, arktype). Checked when a record is read; what it makes of a record is what `key`, `group` and `queuePayload` are given. Without `queuePayload` that is
   * also what goes into the queue, and it is checked again before it is handled, so the schema must accept its own result.
   *
   * @default - records are not checked at run time
   */
  readonly schema?: StandardSchemaV1<unknown, R>;
  /**
   * Version of the payload's shape: an integer, 1 or more; part of every message. A message of a newer version waits for the code that knows it, without using attempts, so that a rollback kills
   * nothing. Raise it when code that is deployed now could not handle what this code enqueues.
   *
   * @default 1
   */
  readonly payloadVersion?: number;
  /**
   * Makes a payload of this version out of one of an older version, before the schema sees it. A `PermanentError` that it throws lets the record die as `InvalidPayload`; after any other
   * error the message waits, without using attempts.
   *
   * @default - payloads of older versions are taken as they are
   */
  readonly upgrade?: (payload: JsonValue, version: number) => Q | Promise<Q>;
  /**
   * Called once per execution environment, before the first source or handler; a failure is retried by the next invocation.
   *
   * @default - nothing is set up
   */
  readonly setup?: (context: SetupContext) => D | Promise<D>;
  /** Identity of a record, 1 to 1,024 characters. */
  readonly key: (record: R) => string;
  /**
   * Ordering lane of a record, 1 to 1,024 characters: messages of one group are handled one at a time, in order.
   *
   * @default - the key
   */
  readonly group?: (record: R) => string;
  /**
   * Reads the record for its handler, by what was queued of it or by `key` of the context. Called by every attempt, after the claim, so that no attempt works on old data. It is part of the attempt: of
   * its time and its `signal`, and what it throws is treated as if the handler had thrown it. `undefined` or `null`: the record is gone, its outcome is `obsolete`.
   *
   * @default - the handler is given what was queued
   */
  readonly load?: (payload: Q, context: D & HandlerContext) => L | null | undefined | Promise<L | null | undefined>;
  /**
   * Asked right before the handler is called, about what it would be given; `false` settles the record as `obsolete`.
   *
   * @default - every record is still eligible
   */
  readonly stillEligible?: (record: NoInfer<L>, context: D & HandlerContext) => boolean | Promise<boolean>;
  /**
   * Asked about what the handler (or `load`, or `stillEligible`) threw, except for `PermanentError` and `RetryLater`, which decide themselves. `false`: the record is dead at once, with the cause
   * `NotRetryable`; anything else is a retry by the policy, and so is an error that it throws itself.
   *
   * @default - every error is retried
   */
  readonly retryIf?: (error: unknown, context: { readonly attempt: number }) => boolean;
  /**
   * Takes out of a text what must not be written down. Called with the name, the message and the stack of every error of this job (of its source, `setup`, `key`, `schema`, `load`, handler ...) before
   * any of it is logged or stored: in the ledger, in the dead-letter queue, in what the function throws. Where it throws or answers no text, the error's name alone is kept. Values of secrets that
   * `secret` read are taken out before. It does not see what user code logs itself.
   *
   * @default - texts stay as they are, but for secrets
   */
  readonly redact?: (text: string) => string;
  /** Handles one record. A return settles it as `succeeded`; a throw is retried by the retry policy. */
  readonly handler: (record: NoInfer<L>, context: D & HandlerContext) => unknown;
}

/** A job whose records go into the queue as they are. `R` is the type of a record, `D` what `setup` returns, `L` what `load` makes of a record. */
export interface JobDefinition<R, D extends object, L = R> extends BaseJobDefinition<R, D, R, L> {
  /** Yields the eligible records, resumable by cursor. */
  readonly source: (context: D & SourceContext) => AsyncIterable<SourceItem<R & JsonCompatible<R>>>;
  /**
   * See `queuePayload` of {@link ProjectedJobDefinition}.
   *
   * @default - the record is queued
   */
  readonly queuePayload?: undefined;
  /**
   * See `payloadSchema` of {@link ProjectedJobDefinition}.
   *
   * @default - `schema` is the payload's too
   */
  readonly payloadSchema?: undefined;
}

/**
 * A job that queues a projection of its records. `R` is the type of a record, `D` what `setup` returns, `Q` what `queuePayload` makes of a record, `L` what `load` makes of that.
 */
export interface ProjectedJobDefinition<R, D extends object, Q, L = Q> extends BaseJobDefinition<R, D, Q, L> {
  /** Yields the eligible records, resumable by cursor. They may hold what JSON has not: they are not queued. */
  readonly source: (context: D & SourceContext) => AsyncIterable<SourceItem<R>>;
  /**
   * What goes into the queue instead of the record: a part of it, down to its key. Answers a value that JSON keeps exactly, and not a promise. Called for one record at a time: an error rejects that
   * record alone.
   */
  readonly queuePayload: (record: R) => Q & JsonCompatible<Q>;
  /**
   * Any Standard Schema for what `queuePayload` answers. Checked before it is queued and again when it is received, so it must accept its own result.
   *
   * @default - payloads are not checked at run time
   */
  readonly payloadSchema?: StandardSchemaV1<unknown, Q>;
}

/** A job as `defineJob` returns it. */
export type Job<R = never, D extends object = never, Q = R, L = Q> = BaseJobDefinition<R, D, Q, L> & {
  /** Finds the records that are due. */
  readonly source: (context: D & SourceContext) => AsyncIterable<SourceItem<R>>;
  /** What of a record goes on the queue. */
  readonly queuePayload?: ((record: R) => Q) | undefined;
  /** Schema of what goes on the queue. */
  readonly payloadSchema?: StandardSchemaV1<unknown, Q> | undefined;
  readonly [JOB_BRAND]: true;
};

/** A job whose record type is not known: how the runtime sees it. */
export type AnyJob = Job<JsonValue, object>;
