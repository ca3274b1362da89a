/** How the keys of records stand in the log lines of both functions. */
export class LogKeys {
  /** As they are. */
  static readonly PLAIN = new LogKeys('plain');
  /** As the hash that the ledger has of them: for keys that are personal data. Whoever knows a key can still find its lines. */
  static readonly HASHED = new LogKeys('hashed');

  private constructor(
    /** The choice as the runtime reads it. */
    readonly name: 'plain' | 'hashed',
  ) {}
}
