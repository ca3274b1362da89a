import type { FanoutConfiguration } from '../contract';
import type { ErrorTexts } from '../job/error-texts';
import type { AnyJob } from '../job/job';
import type { JobRegistry } from '../job/registry';
import type { Clock, Logger, MessageQueue, Metrics, Randomness, StateStore, Tracer } from '../ports';

/** What a consumer works with, for the life of its execution environment. */
export interface ConsumerOptions {
  readonly fanoutId: string;
  readonly configuration: FanoutConfiguration;
  readonly jobs: JobRegistry;
  /** What the job's `setup` returned; it is called once per execution environment. Rejects when it failed; the next call tries again. */
  readonly setup: { dependenciesOf(job: AnyJob): Promise<object> };
  readonly store: StateStore;
  /** The work queue: for visibility alone, a retry is a redelivery. */
  readonly queue: MessageQueue;
  readonly deadLetterQueue: MessageQueue;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** What may be told of errors. */
  readonly errors: ErrorTexts;
  /** Ends the process of the execution environment; see `EnvironmentGuard`. */
  readonly exit: () => void;
}

/** The part of a Lambda context that the consumer reads. */
export interface InvocationContext {
  getRemainingTimeInMillis(): number;
}
