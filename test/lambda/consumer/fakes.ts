import type { DeadEnvelope, ItemKey } from '../../../lambda/contract';
import type {
  Change,
  Condition,
  Item,
  Logger,
  MessageQueue,
  SendBatchResult,
  SendEntry,
  VisibilityChange,
} from '../../../lambda/ports';
import { MemoryStateStore } from '../../../lambda/simulation/memory-state-store';

/** A store that counts its calls and fails when it is told to. */
export class WatchedStore extends MemoryStateStore {
  readonly calls: string[] = [];
  /** Called before each call; what it throws is the call's failure. */
  before: (call: string, key: ItemKey) => void = () => undefined;
  /** Called after each call has taken effect; what it throws is a lost reply. */
  after: (call: string, key: ItemKey) => void = () => undefined;

  override async get<T extends ItemKey>(key: ItemKey): Promise<T | undefined> {
    return this.watched('get', key, () => super.get<T>(key));
  }

  override async query<T extends ItemKey>(pk: string, range = {}): Promise<T[]> {
    return this.watched('query', { pk, sk: '' }, () => super.query<T>(pk, range));
  }

  override async put(item: Item, condition?: Condition): Promise<boolean> {
    return this.watched('put', item, () => super.put(item, condition));
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as in the port
  override async update<T extends ItemKey>(
    key: ItemKey,
    change: Change,
    condition?: Condition,
  ): Promise<{ readonly applied: true; readonly item: T } | { readonly applied: false }> {
    return this.watched('update', key, () => super.update<T>(key, change, condition));
  }

  override async delete(key: ItemKey, condition?: Condition): Promise<boolean> {
    return this.watched('delete', key, () => super.delete(key, condition));
  }

  private async watched<T>(call: string, key: ItemKey, make: () => Promise<T>): Promise<T> {
    this.calls.push(`${call} ${key.sk.split('#')[0] ?? ''}`);
    this.before(call, key);
    const result = await make();
    this.after(call, key);
    return result;
  }
}

/** A queue that remembers what it was told. */
export class RecordingQueue implements MessageQueue {
  readonly sent: SendEntry[] = [];
  readonly visibility = new Map<string, number>();
  /** Called before a send takes effect; what it throws is the call's failure. */
  beforeSend: () => void = () => undefined;
  failVisibility = false;

  async sendBatch(entries: readonly SendEntry[]): Promise<SendBatchResult> {
    this.beforeSend();
    // The queue forgets ids after five minutes; within a test it remembers them.
    const fresh = entries.filter((entry) => !this.sent.some((sent) => sent.deduplicationId === entry.deduplicationId));
    this.sent.push(...fresh);
    return { accepted: entries.map((entry) => entry.id), failed: [] };
  }

  async changeVisibility(changes: readonly VisibilityChange[]): Promise<number> {
    if (this.failVisibility) {
      throw new Error('the queue cannot be reached');
    }
    changes.forEach((change) => this.visibility.set(change.receiptHandle, change.seconds));
    return 0;
  }

  /** Bodies of the dead messages. */
  dead(): DeadEnvelope[] {
    return this.sent.map((entry) => JSON.parse(entry.body) as DeadEnvelope);
  }
}

/** One log line. */
export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that keeps its lines. */
export class MemoryLogger implements Logger {
  constructor(
    readonly lines: Line[] = [],
    private readonly fields: Readonly<Record<string, unknown>> = {},
  ) {}

  debug(message: string, fields = {}): void {
    this.lines.push({ level: 'debug', message, fields: { ...this.fields, ...fields } });
  }
  info(message: string, fields = {}): void {
    this.lines.push({ level: 'info', message, fields: { ...this.fields, ...fields } });
  }
  warn(message: string, fields = {}): void {
    this.lines.push({ level: 'warn', message, fields: { ...this.fields, ...fields } });
  }
  error(message: string, fields = {}): void {
    this.lines.push({ level: 'error', message, fields: { ...this.fields, ...fields } });
  }
  with(fields: Readonly<Record<string, unknown>>): Logger {
    return new MemoryLogger(this.lines, { ...this.fields, ...fields });
  }
}
