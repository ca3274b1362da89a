/** Which key the job gave to which record, for those that told: the report names records by their keys, also those that never had a message. */
export class RecordLog {
  private readonly madeOf = new Map<unknown, unknown>();
  private readonly keys = new Map<unknown, string>();
  private readonly known = new Map<string, Set<string>>();

  /** A schema made `made` of `record`. */
  validated(record: unknown, made: unknown): void {
    if (made !== record) {
      this.madeOf.set(made, record);
    }
  }

  /** The job gave a key to a record, or to what its schema made of it. */
  keyed(jobType: string, record: unknown, key: string): void {
    let origin = record;
    // A schema is asked twice, the second time about what it made itself.
    for (let steps = 0; steps < 3; steps++) {
      this.keys.set(origin, key);
      if (!this.madeOf.has(origin)) {
        break;
      }
      origin = this.madeOf.get(origin);
    }
    const known = this.known.get(jobType) ?? new Set();
    this.known.set(jobType, known.add(key));
  }

  /** The key of a record that a source yielded; `undefined` where the job has given it none. */
  keyOf(record: unknown): string | undefined {
    return this.keys.get(record);
  }

  /** All keys of a job. */
  keysOf(jobType: string): ReadonlySet<string> {
    return this.known.get(jobType) ?? new Set();
  }
}
