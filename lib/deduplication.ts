/** When an eligible record is not enqueued because of a message that it has already. */
export class Deduplication {
  /** A record whose earlier message is unsettled, in whatever run, is skipped and counted. */
  static readonly WHILE_IN_FLIGHT = new Deduplication('whileInFlight');
  /** Only a key that comes twice in a run is left out; the next run enqueues it again. */
  static readonly PER_RUN = new Deduplication('perRun');

  private constructor(
    /** The choice as the runtime reads it. */
    readonly name: 'whileInFlight' | 'perRun',
  ) {}
}
