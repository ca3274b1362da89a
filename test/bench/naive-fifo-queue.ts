/** A message of {@link NaiveFifoQueue}. */
interface NaiveMessage {
  readonly serial: number;
  readonly body: string;
  readonly group: string;
  hiddenUntil: number;
}

/**
 * The obvious FIFO queue: one array, searched from the front by every call. The rival of the engine in the benchmark; it has the group lock and nothing
 * of the rest (no deduplication, no redrive, no checks).
 */
export class NaiveFifoQueue {
  private messages: NaiveMessage[] = [];
  private sent = 0;

  /** Appends a message. */
  send(body: string, group: string): void {
    this.sent += 1;
    this.messages.push({ serial: this.sent, body, group, hiddenUntil: 0 });
  }

  /** Takes messages of free groups from the front; `now` and `visibility` in milliseconds. */
  receive(limit: number, now: number, visibility: number): readonly NaiveMessage[] {
    const locked = new Set(this.messages.filter(({ hiddenUntil }) => hiddenUntil > now).map(({ group }) => group));
    const taken: NaiveMessage[] = [];
    for (const message of this.messages) {
      const first = taken[0];
      const isSameGroup = first === undefined || first.group === message.group;
      if (isSameGroup && !locked.has(message.group)) {
        message.hiddenUntil = now + visibility;
        if (taken.push(message) === limit) {
          break;
        }
      }
    }
    return taken;
  }

  /** Deletes a message. */
  delete(serial: number): void {
    this.messages = this.messages.filter((message) => message.serial !== serial);
  }
}
