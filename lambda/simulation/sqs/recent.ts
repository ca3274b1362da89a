/** Forgotten entries above which the list of them is cut. */
const CUT_FLOOR = 1024;

/** A map that remembers each key for a fixed time after it was last set. */
export class Recent<T> {
  private readonly values = new Map<string, { readonly value: T; readonly until: number }>();
  private order: { readonly key: string; readonly until: number }[] = [];
  private head = 0;

  /** @param milliseconds how long a key is remembered */
  constructor(private readonly milliseconds: number) {}

  /** The value of a key that is still remembered. */
  get(key: string, now: number): T | undefined {
    this.forget(now);
    return this.values.get(key)?.value;
  }

  /** Remembers a key from now on; `now` must not go back. */
  set(key: string, value: T, now: number): void {
    this.forget(now);
    const until = now + this.milliseconds;
    this.values.set(key, { value, until });
    this.order.push({ key, until });
  }

  /** Number of keys that are held. */
  get size(): number {
    return this.values.size;
  }

  private forget(now: number): void {
    for (
      let oldest = this.order[this.head];
      oldest !== undefined && oldest.until <= now;
      oldest = this.order[this.head]
    ) {
      // A key that was set again since has a later entry.
      if (this.values.get(oldest.key)?.until === oldest.until) {
        this.values.delete(oldest.key);
      }
      this.head += 1;
    }
    if (this.head > CUT_FLOOR && this.head * 2 > this.order.length) {
      this.order = this.order.slice(this.head);
      this.head = 0;
    }
  }
}
