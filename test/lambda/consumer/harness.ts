import type {
  Claim,
  DeadEnvelope,
  DeadItem,
  Envelope,
  FanoutConfiguration,
  ItemKey,
  JobConfiguration,
  JsonObject,
  JsonValue,
  PageId,
  PageItem,
  RunItem,
} from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { Consumer } from '../../../lambda/consumer/consumer';
import type { ConsumerOptions } from '../../../lambda/consumer/options';
import type { SqsBatchResponse, SqsRecord } from '../../../lambda/consumer/sqs-event';
import { defineJob } from '../../../lambda/job';
import type { AnyJob, HandlerContext, JobDefinition } from '../../../lambda/job/job';
import { collectJobs } from '../../../lambda/job/registry';
import { encodeEnvelope } from '../../../lambda/ledger/envelope';
import { groupId } from '../../../lambda/ledger/identity';
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
import { SeededRandomness } from '../../../lambda/simulation/seeded-randomness';
import { VirtualClock } from '../../../lambda/simulation/virtual-clock';

export const FANOUT = 'Shop-Reminders-1a2b3c4d';
export const RUN = 'tick-2026-01-01T00-00-00Z';
export const JOB = 'booking.reminder';
export const START = Date.UTC(2026, 0, 1);
/** Milliseconds that an invocation has, unless a test says otherwise. */
export const REMAINING = 60_000;

const DEFAULTS: JobConfiguration = {
  retry: { maxAttempts: 3, delays: { kind: 'exponential', initial: 10, factor: 2, max: 3600 }, jitter: 0 },
  deduplication: 'whileInFlight',
  quarantine: 3600,
};

export const CONFIGURATION: FanoutConfiguration = {
  lanes: 'group',
  serialFailure: 'block',
  visibilityTimeout: 360,
  maxReceiveCount: 50,
  queueRetention: 345_600,
  ledgerRetention: 1_641_600,
  pageSize: 250,
  lease: 60,
  defaults: DEFAULTS,
  jobs: {},
};

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

/** What a handler is given in these tests. */
export type Record_ = { readonly id: string } & JsonObject;

/** A handler of these tests. */
export type TestHandler = (record: Record_, context: HandlerContext) => unknown;

/** A job of these tests; its source is never read. */
export function job(handler: TestHandler, more: Partial<JobDefinition<Record_, object>> = {}): AnyJob {
  return defineJob<Record_>({
    jobType: JOB,
    async *source() {
      // The consumer never reads the source.
    },
    key: (record) => record.id,
    handler,
    ...more,
  }) as unknown as AnyJob;
}

/** A consumer over fakes, with one run in its ledger. */
export class Harness {
  readonly clock = new VirtualClock(START);
  readonly store = new WatchedStore();
  readonly queue = new RecordingQueue();
  readonly deadLetterQueue = new RecordingQueue();
  readonly logger = new MemoryLogger();
  readonly randomness = new SeededRandomness(7);
  readonly exits: number[] = [];
  consumer: Consumer;

  constructor(
    readonly jobs: readonly AnyJob[],
    readonly overrides: Partial<ConsumerOptions> = {},
  ) {
    this.consumer = this.start();
  }

  /** A fresh execution environment. */
  start(more: Partial<ConsumerOptions> = {}): Consumer {
    this.consumer = new Consumer({
      fanoutId: FANOUT,
      configuration: CONFIGURATION,
      jobs: collectJobs({ jobs: this.jobs }),
      setup: { dependenciesOf: () => Promise.resolve({}) },
      store: this.store,
      queue: this.queue,
      deadLetterQueue: this.deadLetterQueue,
      clock: this.clock,
      randomness: this.randomness,
      logger: this.logger,
      exit: () => this.exits.push(this.clock.now()),
      ...this.overrides,
      ...more,
    });
    return this.consumer;
  }

  /** Writes a run and its pages, as the scanner does before it sends. `pages`: records by page. */
  async seed(pages: readonly number[] = [10], run: Partial<RunItem> = {}, jobType = JOB): Promise<this> {
    await this.store.put({
      ...ITEM_KEYS.run(FANOUT, RUN),
      runId: RUN,
      state: 'scanned',
      fence: 1,
      tick: {},
      lanes: 'group',
      startedAt: START,
      pages: { [`${jobType}#0`]: pages.length },
      expiresAt: START / 1000 + 1_641_600,
      ...run,
    } as unknown as Item);
    await this.store.put({ ...ITEM_KEYS.openRun(FANOUT, RUN), runId: RUN, expiresAt: 1 } as unknown as Item);
    for (const [page, count] of pages.entries()) {
      const id = pageId(page, jobType);
      await this.store.put({
        ...ITEM_KEYS.keys(id),
        fence: 1,
        count,
        hashes: new Uint8Array(count * 8),
        rejectedCount: 0,
        rejected: [],
        skippedCount: 0,
        duplicateCount: 0,
        expiresAt: 1,
      });
      await this.store.put({ ...ITEM_KEYS.page(id), fence: 1, sealed: count, claims: {}, expiresAt: 1 });
      const { runId, segment } = id;
      await this.store.put({ ...ITEM_KEYS.openPage(id), runId, jobType, segment, page, expiresAt: 1 });
    }
    this.store.calls.length = 0;
    return this;
  }

  /** Hands a batch to the consumer and moves the clock until it has answered. */
  async deliver(records: readonly SqsRecord[], remaining = REMAINING): Promise<SqsBatchResponse> {
    return this.clock.run(this.handle(records, remaining));
  }

  /** Hands a batch to the consumer; the test moves the clock. */
  handle(records: readonly SqsRecord[], remaining = REMAINING): Promise<SqsBatchResponse> {
    return this.consumer.handle({ Records: records }, { getRemainingTimeInMillis: () => remaining });
  }

  async page(page = 0): Promise<PageItem> {
    return (await this.peek<PageItem>(ITEM_KEYS.page(pageId(page))))!;
  }

  async run(): Promise<RunItem> {
    return (await this.peek<RunItem>(ITEM_KEYS.run(FANOUT, RUN)))!;
  }

  async claim(ordinal: number, page = 0): Promise<Claim | undefined> {
    return (await this.page(page)).claims[String(ordinal)];
  }

  /** Puts a claim into a page, as another invocation would. */
  async setClaim(ordinal: number, claim: Claim, page = 0): Promise<void> {
    const item = await this.page(page);
    await this.store.put({ ...item, claims: { ...item.claims, [ordinal]: claim } } as unknown as Item);
    this.store.calls.length = 0;
  }

  dead(): DeadItem[] {
    return this.store.items().filter((item) => item.pk === ITEM_KEYS.deadPartition(FANOUT)) as DeadItem[];
  }

  private async peek<T extends ItemKey>(key: ItemKey): Promise<T | undefined> {
    return MemoryStateStore.prototype.get.call(this.store, key) as Promise<T | undefined>;
  }
}

export function pageId(page = 0, jobType = JOB): PageId {
  return { fanoutId: FANOUT, runId: RUN, jobType, segment: 0, page };
}

/** What a test says of a message; the rest is filled in. */
export interface MessageOptions {
  readonly ordinal?: number;
  readonly page?: number;
  readonly group?: string;
  readonly key?: string;
  readonly payload?: JsonValue;
  readonly jobType?: string;
  readonly receiveCount?: number;
  /** Replaces the SQS group; `null`: the event names none. */
  readonly sqsGroup?: string | null;
  readonly envelope?: Partial<DeadEnvelope>;
  /** Replaces the body. */
  readonly body?: string;
}

export function envelopeOf(options: MessageOptions = {}): Envelope {
  const { ordinal = 0, page = 0, jobType = JOB } = options;
  const key = options.key ?? `record-${page}-${ordinal}`;
  return {
    v: 1,
    fanout: FANOUT,
    job: jobType,
    run: RUN,
    segment: 0,
    page,
    ordinal,
    key,
    group: options.group ?? key,
    payload: options.payload ?? { id: key },
    ...options.envelope,
  };
}

let received = 0;

/** A message as Lambda hands it over. */
export function message(options: MessageOptions = {}): SqsRecord {
  const envelope = envelopeOf(options);
  received += 1;
  const sqsGroup = options.sqsGroup === undefined ? groupId(envelope.job, envelope.group) : options.sqsGroup;
  return {
    messageId: `m-${received}`,
    receiptHandle: `r-${received}`,
    body: options.body ?? encodeEnvelope(envelope),
    attributes: {
      ApproximateReceiveCount: String(options.receiveCount ?? 1),
      ApproximateFirstReceiveTimestamp: String(START),
      ...(sqsGroup === null ? {} : { MessageGroupId: sqsGroup }),
    },
  };
}

/** Ids that an answer hands back. */
export function failures(response: SqsBatchResponse): string[] {
  return response.batchItemFailures.map((failure) => failure.itemIdentifier);
}

/** A promise and its resolver. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
