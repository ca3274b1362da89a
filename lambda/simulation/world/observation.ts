import type { ContinuationEvent, Envelope, ItemKey, ScannerEvent } from '../../contract';
import type { Attribute, Change, SendEntry } from '../../ports';
import type { Instance } from './instance';

/** A stored item. */
export type Stored = Readonly<Record<string, Attribute | undefined>>;

/** A call of a handler. */
export interface HandlerCall {
  readonly instance: Instance;
  readonly fanoutId: string;
  readonly runId: string;
  readonly jobType: string;
  readonly key: string;
  readonly group: string;
  /** As the handler was told. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly idempotencyKey: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** When Lambda ends its invocation, epoch milliseconds. */
  readonly deadline: number;
  /** Epoch milliseconds; absent while it runs, and where its environment ended first. */
  endedAt?: number;
  result?: 'succeeded' | 'failed';
  /** What it threw. */
  thrown?: unknown;
  /** Whether it ended after its signal, so that its invocation may have given it up. */
  isStopped?: boolean;
}

/** What happens in a world, told to the invariants right after it took effect. */
export type Observation =
  /** An item was written, changed or deleted. */
  | {
      readonly type: 'written';
      readonly by: Instance;
      /** Fanout of whoever wrote. */
      readonly fanoutId: string;
      readonly key: ItemKey;
      readonly before: Stored | undefined;
      readonly after: Stored | undefined;
      readonly change?: Change | undefined;
    }
  /** A write to the lock was answered. */
  | {
      readonly type: 'lockAnswered';
      readonly by: Instance;
      readonly fanoutId: string;
      readonly isApplied: boolean;
      /** Lease that is stored then, epoch milliseconds; absent where the write was refused. */
      readonly leaseUntil?: number | undefined;
      readonly fence?: number | undefined;
    }
  /** A call that sends to the work queue is made. */
  | {
      readonly type: 'sending';
      readonly by: Instance;
      readonly fanoutId: string;
      readonly entries: readonly SendEntry[];
    }
  /** A message was stored in the work queue. */
  | {
      readonly type: 'queued';
      readonly fanoutId: string;
      readonly envelope: Envelope | undefined;
      readonly groupId: string;
      readonly serial: number;
    }
  /** A message of the work queue was deleted. */
  | { readonly type: 'acknowledged'; readonly fanoutId: string; readonly envelope: Envelope | undefined }
  /** SQS moved a message to the dead-letter queue, since it was received too often; `isLost`: it grew too old. */
  | {
      readonly type: 'backstopped';
      readonly fanoutId: string;
      readonly envelope: Envelope | undefined;
      readonly isLost: boolean;
    }
  /** A message was stored in the dead-letter queue. */
  | { readonly type: 'buried'; readonly fanoutId: string; readonly envelope: Envelope | undefined }
  /** A message of the dead-letter queue goes back to the work queue. */
  | { readonly type: 'redriven'; readonly fanoutId: string; readonly envelope: Envelope | undefined }
  /** A scanner hands its run over to a continuation. */
  | { readonly type: 'handedOver'; readonly by: Instance; readonly fanoutId: string; readonly event: ContinuationEvent }
  /** An attempt began with something else than its handler, which it may never come to: `load` or `stillEligible`. */
  | { readonly type: 'attemptStarted'; readonly call: HandlerCall }
  | { readonly type: 'handlerStarted'; readonly call: HandlerCall }
  | { readonly type: 'handlerEnded'; readonly call: HandlerCall }
  /** The source yielded a record. */
  | {
      readonly type: 'yielded';
      readonly by: Instance;
      readonly fanoutId: string;
      readonly runId: string;
      readonly jobType: string;
      readonly segment: number;
      readonly record: unknown;
    }
  /** An invocation began; `calls` of the ports are counted until it ends. */
  | {
      readonly type: 'invoked';
      readonly by: Instance;
      readonly fanoutId: string;
      readonly role: 'scanner' | 'consumer';
    }
  /** An invocation of the scanner was answered. */
  | {
      readonly type: 'answered';
      readonly by: Instance;
      readonly fanoutId: string;
      readonly event: ScannerEvent;
      readonly outcome: string;
    }
  /** A port was called. */
  | { readonly type: 'called'; readonly by: Instance }
  /** A fault struck an instance. */
  | { readonly type: 'troubled'; readonly by: Instance; readonly fault: string };

/** Told of everything that happens in a world. */
export type Observer = (observation: Observation) => void;

/** What to do with the observations of each kind. */
export type Handlers = {
  readonly [Type in Observation['type']]?: (observation: Extract<Observation, { type: Type }>) => void;
};

/** An observer that looks at some kinds of observations. */
export function observing(handlers: Handlers): Observer {
  const byType = handlers as Readonly<Record<string, Observer | undefined>>;
  return (observation) => {
    byType[observation.type]?.(observation);
  };
}
