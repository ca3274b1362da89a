import type { JsonObject } from './json';

/** What the schedule sends to the scanner; the strings are filled in by EventBridge Scheduler. */
export interface TickEvent {
  readonly kind: 'tick';
  /** `<aws.scheduler.scheduled-time>`: identifies the tick; opaque. */
  readonly scheduledTime: string;
  /** `<aws.scheduler.schedule-arn>`. */
  readonly scheduleArn: string;
  /** `<aws.scheduler.attempt-number>`: delivery attempts of the Scheduler, from 1. */
  readonly attempt: string;
}

/** What the scanner sends to itself when its time runs short. It acquires the lock only while `fence` is the newest. */
export interface ContinuationEvent {
  readonly kind: 'continuation';
  readonly runId: string;
  readonly fence: number;
  /** How often this run has continued, for the bound on continuations. */
  readonly hops: number;
  /** Invocations in a row, up to the one that sent this, that brought the run no further; absent: none. */
  readonly idle?: number;
}

/** What an operator sends: a failed run goes on from its place. */
export interface ResumeEvent {
  readonly kind: 'resume';
  readonly runId: string;
}

/** What the watchdog schedule sends: take over stalled runs and settle what no code will. */
export interface WatchdogEvent {
  readonly kind: 'watchdog';
}

/** Every event that the scanner reads. */
export type ScannerEvent = TickEvent | ContinuationEvent | ResumeEvent | WatchdogEvent;

/** What an invocation of the scanner answers, for logs, tests and the local run. */
export interface ScannerAnswer {
  /**
   * `scanned`: this invocation finished the scan. `continued`: it handed over to a continuation. `skipped`: the tick was refused because
   * another run is on. `queued`: likewise, and it runs right after. `duplicate`: this run is scanned already, waits already, or another invocation is scanning it.
   * `cancelled`: a later tick took the place of the run. `lost`: the lock was lost on the way. `busy`: another run is on, so that none can be resumed. `idle`: the watchdog
   * found nothing to do.
   */
  readonly outcome:
    'scanned' | 'continued' | 'skipped' | 'queued' | 'duplicate' | 'cancelled' | 'lost' | 'busy' | 'idle';
  readonly runId?: string;
  /** Records read and sent by this invocation. */
  readonly counts?: JsonObject;
}
