import type { FanoutConfiguration } from '../contract';
import type { JobSetup } from '../job/environment';
import type { ErrorTexts } from '../job/error-texts';
import type { JobRegistry } from '../job/registry';
import type { Clock, Invoker, Logger, MessageQueue, Metrics, Randomness, StateStore, Tracer } from '../ports';

/** What the scanner works with: the ports, the configuration and the jobs of one fanout. */
export interface ScannerContext {
  readonly fanoutId: string;
  readonly configuration: FanoutConfiguration;
  readonly registry: JobRegistry;
  readonly setup: JobSetup;
  readonly store: StateStore;
  /** The FIFO work queue. */
  readonly queue: MessageQueue;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Invokes the scanner again, for a continuation. */
  readonly invoker: Invoker;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** What may be told of errors. */
  readonly errors: ErrorTexts;
}

const MS_PER_SECOND = 1000;

/** Value of `expiresAt` of an item that is written now, in seconds: TTL is garbage collection, nothing relies on it. */
export function expiryOf({ clock, configuration }: ScannerContext): number {
  return Math.floor(clock.now() / MS_PER_SECOND) + configuration.ledgerRetention;
}
