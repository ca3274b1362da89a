/** Until when a run is on for the overlap policy. */
export class OverlapUntil {
  /** Until its scan is over: everything is in the queue. */
  static readonly SCANNED = new OverlapUntil('scanned');
  /**
   * Until every record of it is settled. Records that are retried for hours hold back the ticks of these hours; a run that failed is over. With `QUEUE_ONE` the waiting tick runs with the next tick or call of the watchdog after
   * that, within five minutes; with `CANCEL_RUNNING` a tick cancels what is still queued of the run before.
   */
  static readonly COMPLETED = new OverlapUntil('completed');

  private constructor(
    /** The choice as the runtime reads it. */
    readonly name: 'scanned' | 'completed',
  ) {}
}
