/** A message on its way to SQS. */
export interface OutgoingMessage {
  readonly ordinal: number;
  readonly key: string;
  /** Logical ordering lane; `groupId` may be coarser. */
  readonly group: string;
  readonly body: string;
  /** Length of the body in UTF-8. */
  readonly bytes: number;
  readonly groupId: string;
  readonly deduplicationId: string;
}

/** Bounds of one batch. */
export interface BatchBounds {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Which messages may be sent next. Of each group only the first unsettled message may be on its way, so a batch holds at most one message of a group, and a message that has to
 * be sent again is never overtaken by its followers.
 */
export class SendOrder {
  /** Messages behind the head of their group, in order. */
  private readonly followers = new Map<string, OutgoingMessage[]>();
  /** Heads of their groups that are not on their way. */
  private ready: OutgoingMessage[] = [];
  /** Messages on their way. */
  private outstanding = 0;
  /** Those of them that will soon let a follower go. */
  private readonly expected = new Set<OutgoingMessage>();
  private abandoned = false;
  private waiters: (() => void)[] = [];

  constructor(
    messages: readonly OutgoingMessage[],
    private readonly bounds: BatchBounds,
  ) {
    for (const message of messages) {
      const queue = this.followers.get(message.group);
      if (queue === undefined) {
        this.followers.set(message.group, []);
        this.ready.push(message);
      } else {
        queue.push(message);
      }
    }
  }

  /** Whether nothing more may be taken, or sent again. */
  get isAbandoned(): boolean {
    return this.abandoned;
  }

  /** The next batch; `wait` while messages on their way hold back others that would fill it; `done` when nothing is left to take. */
  take(): OutgoingMessage[] | 'wait' | 'done' {
    if (this.abandoned) {
      return 'done';
    }
    if (this.ready.length === 0) {
      return this.outstanding === 0 ? 'done' : 'wait';
    }
    if (this.ready.length < this.bounds.entries && this.expected.size > 0) {
      return 'wait';
    }
    const batch = this.ready.splice(0, this.fitting());
    this.outstanding += batch.length;
    for (const message of batch.filter(({ group }) => (this.followers.get(group)?.length ?? 0) > 0)) {
      this.expected.add(message);
    }
    return batch;
  }

  /** Marks a message that SQS accepted or refused for good; the next of its group may go. */
  settle(message: OutgoingMessage): void {
    const next = this.followers.get(message.group)?.shift();
    this.outstanding -= 1;
    this.expected.delete(message);
    if (next !== undefined) {
      this.ready.push(next);
    }
    this.wake();
  }

  /** Marks messages that wait to be sent again: nobody else waits for them. */
  delay(messages: readonly OutgoingMessage[]): void {
    for (const message of messages) {
      this.expected.delete(message);
    }
    this.wake();
  }

  /** Lets nothing more be taken. */
  abandon(): void {
    this.abandoned = true;
    this.wake();
  }

  /** Resolves when something may have become different for {@link take}. */
  change(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  private fitting(): number {
    let bytes = 0;
    let count = 0;
    for (const message of this.ready.slice(0, this.bounds.entries)) {
      bytes += message.bytes;
      if (count > 0 && bytes > this.bounds.bytes) {
        break;
      }
      count += 1;
    }
    return count;
  }

  private wake(): void {
    const { waiters } = this;
    this.waiters = [];
    for (const wake of waiters) {
      wake();
    }
  }
}
