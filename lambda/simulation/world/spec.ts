import type { FanoutConfiguration, JsonValue } from '../../contract';
import type { FaultRates } from './faults';

/*
 * A world as data: drawn from a seed by a scenario, made smaller by the shrinker. Times are milliseconds, counted from the start of the world.
 */

/** What a simulated handler does with one attempt. */
export type Behaviour =
  | 'succeed'
  /** Throws an error. */
  | 'fail'
  /** Throws something that is no error. */
  | 'failOddly'
  /** Throws a `PermanentError`. */
  | 'refuse'
  /** Throws a `RetryLater`. */
  | 'later'
  /** Takes seconds. */
  | 'slow'
  /** Goes on until it is told to stop, and stops then. */
  | 'linger'
  /** Ends a little after its invocation, whatever it is told. */
  | 'overrun'
  /** Goes on long beyond the end of its invocation. */
  | 'ignore';

/** What is wrong with a record. */
export type Flaw =
  /** `key` throws. */
  | 'key'
  /** It cannot be written as JSON. */
  | 'payload'
  /** It is too large for a message. */
  | 'large'
  /** The schema refuses it. */
  | 'schema'
  /** SQS refuses it for good. */
  | 'refused'
  /** `group` returns no text. */
  | 'group';

/** A record of a simulated source. */
export interface RecordSpec {
  readonly key: string;
  readonly group: string;
  /** By attempt; afterwards it succeeds. */
  readonly behaviours: readonly Behaviour[];
  readonly flaw?: Flaw;
  /** `stillEligible` says no. */
  readonly obsolete?: true;
}

/** A simulated job. */
export interface JobSpec {
  readonly jobType: string;
  readonly records: readonly RecordSpec[];
  /** Records of one item of the source. */
  readonly chunk: number;
  /** Whether the job declares `group`. */
  readonly isGrouped: boolean;
  /** Whether it queues a part of its records, and loads them again. @default false */
  readonly isProjected?: boolean;
  /** Probability that a record appears or goes away with a read of the source while faults strike. */
  readonly changes: number;
  /** Most milliseconds that a call of the handler takes by itself. */
  readonly handlerMs: number;
}

/** A tick that is delivered; the same `scheduledTime` again is the same tick. */
export interface TickSpec {
  readonly at: number;
  readonly scheduledTime: string;
}

/** A deployment while the world runs: what its environments are from then on. */
export interface DeploySpec {
  readonly at: number;
  readonly concurrency: number;
  readonly batchSize: number;
  readonly configuration: FanoutConfiguration;
  /** @default - the version before */
  readonly payloadVersion?: number;
  /** Job types that its code does not have. @default - none */
  readonly removed?: readonly string[];
}

/** A message that somebody sends by hand. */
export interface PoisonSpec {
  readonly at: number;
  readonly body: string;
  readonly groupId: string;
}

/** A redrive of all messages of the dead-letter queue. `native`: as the console of SQS does it, with nothing said to the ledger. */
export interface RedriveSpec {
  readonly at: number;
  readonly native: boolean;
}

/** An operator lets a failed run go on. */
export interface ResumeSpec {
  readonly at: number;
  readonly runId: string;
}

/** A time in which the consumer's mapping is disabled. */
export interface OutageSpec {
  readonly at: number;
  readonly until: number;
}

/** A fanout of a world. */
export interface FanoutSpec {
  readonly fanoutId: string;
  readonly jobs: readonly JobSpec[];
  readonly configuration: FanoutConfiguration;
  /** Invocations of the consumer at once; 2 or more. */
  readonly concurrency: number;
  /** Messages of one invocation, 1 to 10. */
  readonly batchSize: number;
  /** Seconds. */
  readonly consumerTimeout: number;
  /** Seconds. */
  readonly scannerTimeout: number;
  readonly ticks: readonly TickSpec[];
  /** Seconds between two calls of the watchdog. */
  readonly watchdog: number;
  readonly deploys: readonly DeploySpec[];
  readonly poison: readonly PoisonSpec[];
  readonly redrives: readonly RedriveSpec[];
  readonly resumes: readonly ResumeSpec[];
  readonly outages: readonly OutageSpec[];
  /** Version of the payload that the code knows at first. @default 1 */
  readonly payloadVersion?: number;
}

/** A world. */
export interface WorldSpec {
  readonly seed: number;
  readonly fanouts: readonly FanoutSpec[];
  readonly faults: FaultRates;
  /** Places, in the order of their occurrence, from which on nothing goes wrong any more. */
  readonly faultPlaces: number;
  /** Only faults of these places strike; for shrinking. */
  readonly onlyFaults?: readonly number[];
  /** Most milliseconds by which a clock is ahead or behind. */
  readonly skewMs: number;
  /** Whether environments of the consumer freeze between invocations. */
  readonly freezes: boolean;
  /** Epoch milliseconds at which the world begins. @default - 2026-01-01 */
  readonly startsAt?: number;
  /** Steps after which a world that has not come to rest never will. @default 200000 */
  readonly maxSteps?: number;
  /** Milliseconds of the world after which it should long have come to rest. @default - a day */
  readonly maxMs?: number;
}

/** Payload of a simulated record. */
export interface Payload {
  readonly [name: string]: JsonValue;
  readonly id: string;
  readonly group: string;
  /** Version of its shape. */
  readonly version: number;
}
