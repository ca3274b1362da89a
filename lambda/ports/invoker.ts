import type { ContinuationEvent } from '../contract';

/** Invokes the scanner asynchronously. */
export interface Invoker {
  /** Resolves when Lambda has accepted the event. */
  continueScan(event: ContinuationEvent): Promise<void>;
}
