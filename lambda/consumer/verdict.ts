import type { Entry } from './record-book';
import type { Plan } from './plan';
import type { BatchAnswer } from './batch-answer';
import type { EnvironmentGuard } from './environment-guard';
import type { ConsumerOptions } from './options';
import type { RecordMessage } from './received-message';
import type { Subject } from './subject';
import type { Thrown } from './thrown';
import type { TimeBudget } from './time-budget';

/** What the lanes of an invocation share. */
export interface LaneServices {
  readonly options: ConsumerOptions;
  readonly budget: TimeBudget;
  readonly answer: BatchAnswer;
  readonly guard: EnvironmentGuard;
  /** What is to be done with a message whose record is settled as `dead` already: if it was given up as lost, this is its redrive. */
  readonly planLate: (message: RecordMessage) => Promise<Plan | undefined>;
}

/** An outcome that is not stored yet. */
export interface Settlement {
  readonly subject: Subject;
  readonly entry: Entry;
  /** When the message comes back if the outcome can't be stored, epoch milliseconds. */
  readonly retryAt: number;
}

/** The message comes back, and so does everything behind it in its lane. */
export interface Return {
  readonly kind: 'return';
  readonly error: Thrown;
  /** When, in epoch milliseconds; absent: after the visibility timeout of the queue. */
  readonly at?: number;
}

/** What a record's turn came to. */
export type Verdict =
  /** What became of the record is stored. */
  | { readonly kind: 'acknowledge' }
  /** It is to be stored, then the message is acknowledged. */
  | { readonly kind: 'settle'; readonly settlement: Settlement }
  | Return;
