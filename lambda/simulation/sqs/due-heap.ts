interface Due<T> {
  readonly at: number;
  readonly value: T;
}

/** Entries below which stale ones are not worth a sweep. */
const SWEEP_FLOOR = 64;

/**
 * A heap of values by the moment at which they are due. A value may be in it several times; `isDueAt` tells which entry still counts, so
 * that nothing has to be searched for when a moment changes. Stale entries are swept out once they are the majority.
 */
export class DueHeap<T> {
  private entries: Due<T>[] = [];

  /** @param isDueAt whether `value` is still due at `at` */
  constructor(private readonly isDueAt: (value: T, at: number) => boolean) {}

  /** Adds an entry. @param live values that are due now, for the sweep */
  push(at: number, value: T, live: number): void {
    if (this.entries.length > SWEEP_FLOOR && this.entries.length > 2 * live) {
      this.sweep();
    }
    this.entries.push({ at, value });
    this.siftUp(this.entries.length - 1);
  }

  /** Moment of the earliest entry that still counts. */
  earliest(): number | undefined {
    for (let top = this.entries[0]; top !== undefined; top = this.entries[0]) {
      if (this.isDueAt(top.value, top.at)) {
        return top.at;
      }
      this.pop();
    }
    return undefined;
  }

  /** Takes the earliest value that is due at `now` or before. */
  take(now: number): T | undefined {
    const at = this.earliest();
    return at === undefined || at > now ? undefined : this.pop();
  }

  private sweep(): void {
    this.entries = this.entries.filter(({ at, value }) => this.isDueAt(value, at));
    for (let index = (this.entries.length >> 1) - 1; index >= 0; index--) {
      this.siftDown(index);
    }
  }

  private pop(): T | undefined {
    const [top] = this.entries;
    const tail = this.entries.pop();
    if (tail !== undefined && this.entries.length > 0) {
      this.entries[0] = tail;
      this.siftDown(0);
    }
    return top?.value;
  }

  private siftUp(index: number): void {
    for (let child = index; child > 0;) {
      const parent = (child - 1) >> 1;
      if (this.at(parent) <= this.at(child)) {
        return;
      }
      this.swap(parent, child);
      child = parent;
    }
  }

  private siftDown(index: number): void {
    for (let parent = index; ;) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2];
      const child = this.at(right) < this.at(left) ? right : left;
      if (this.at(child) >= this.at(parent)) {
        return;
      }
      this.swap(parent, child);
      parent = child;
    }
  }

  private at(index: number): number {
    return this.entries[index]?.at ?? Infinity;
  }

  private swap(left: number, right: number): void {
    const [low, high] = [this.entries[left], this.entries[right]];
    if (low !== undefined && high !== undefined) {
      this.entries[left] = high;
      this.entries[right] = low;
    }
  }
}
