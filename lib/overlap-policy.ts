/** What becomes of a tick that finds another run of its fanout on. A run is on until it is scanned; records that are queued or in work matter with `OverlapUntil.COMPLETED` alone. */
export class OverlapPolicy {
  /** The tick is skipped, and counted as a run of its own. */
  static readonly SKIP = new OverlapPolicy('skip');
  /** The newest such tick runs right after; the others are skipped. */
  static readonly QUEUE_ONE = new OverlapPolicy('queueOne');
  /**
   * A scan that is running stops at its next page, what is queued of the run is `cancelled` without a call of the handler, and the tick runs. Handlers that have started finish. Where ticks come faster than a scan
   * takes, no scan ever ends.
   */
  static readonly CANCEL_RUNNING = new OverlapPolicy('cancelRunning');

  private constructor(
    /** The choice as the runtime reads it. */
    readonly name: 'skip' | 'queueOne' | 'cancelRunning',
  ) {}
}
