/** Forgotten entries above which the list of them is cut. */
const CUT_FLOOR = 1024;

/** A map that remembers each key for a fixed time after it was first set. */
export class Recent<T> {
  private readonly values = new Map<string, T>();
  private order: { readonly key: string; readonly until: number }[] = [];
  private head = 0;

  /** @param milliseconds how long a key is remembered */
  constructor(private readonly milliseconds: number) {}

  /** The value of a key that is still remembered. */
  get(key: string, now: number): T | undefined {
    this.forget(now);
    return this.values.get(key);
  }

  /** Remembers a key that is not remembered; `now` must not go back. */
  set(key: string, value: T, now: number): void {
    this.forget(now);
    if (!this.values.has(key)) {
      this.order.push({ key, until: now + this.milliseconds });
    }
    this.values.set(key, value);
  }

  /** Number of keys that are held. */
  get size(): number {
    return this.values.size;
  }

  private forget(now: number): void {
    for (let oldest = this.order[this.head]; oldest !== undefined && oldest.until <= now;) {
      this.values.delete(oldest.key);
      this.head += 1;
      oldest = this.order[this.head];
    }
    if (this.head > CUT_FLOOR && this.head * 2 > this.order.length) {
      this.order = this.order.slice(this.head);
      this.head = 0;
    }
  }
}
