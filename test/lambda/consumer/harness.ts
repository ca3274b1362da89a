import type {
  Claim,
  DeadItem,
  FanoutConfiguration,
  ItemKey,
  JobConfiguration,
  JsonObject,
  PageItem,
  RunItem,
} from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { Consumer } from '../../../lambda/consumer/consumer';
import type { ConsumerOptions } from '../../../lambda/consumer/options';
import type { SqsBatchResponse, SqsRecord } from '../../../lambda/consumer/sqs-event';
import { defineJob } from '../../../lambda/job';
import { ErrorTexts } from '../../../lambda/job/error-texts';
import type { AnyJob, HandlerContext, JobDefinition } from '../../../lambda/job/job';
import { collectJobs } from '../../../lambda/job/registry';
import { MemoryLogger, RecordingQueue, WatchedStore } from './fakes';
import { FANOUT, JOB, pageId, REMAINING, RUN, START } from './messages';
import { noTracer } from '../../../lambda/ports';
import type { Item } from '../../../lambda/ports';
import { MemoryStateStore } from '../../../lambda/simulation/memory-state-store';
import { RecordedMetrics } from '../../../lambda/simulation/recorded-metrics';
import { SeededRandomness } from '../../../lambda/simulation/seeded-randomness';
import { VirtualClock } from '../../../lambda/simulation/virtual-clock';

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
  readonly metrics = new RecordedMetrics();
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
    const jobs = collectJobs({ jobs: this.jobs });
    this.consumer = new Consumer({
      fanoutId: FANOUT,
      configuration: CONFIGURATION,
      jobs,
      setup: { dependenciesOf: () => Promise.resolve({}) },
      store: this.store,
      queue: this.queue,
      deadLetterQueue: this.deadLetterQueue,
      clock: this.clock,
      randomness: this.randomness,
      logger: this.logger,
      metrics: this.metrics,
      tracer: noTracer,
      errors: new ErrorTexts(jobs),
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
    await this.store.put({ ...ITEM_KEYS.openRun(FANOUT, RUN), runId: RUN, expiresAt: 1 });
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
    return (await this.peek(ITEM_KEYS.page(pageId(page)))) as PageItem;
  }

  async run(): Promise<RunItem> {
    return (await this.peek(ITEM_KEYS.run(FANOUT, RUN))) as RunItem;
  }

  async claim(ordinal: number, page = 0): Promise<Claim | undefined> {
    return (await this.page(page)).claims[String(ordinal)];
  }

  /** Puts a claim into a page, as another invocation would. */
  async setClaim(ordinal: number, claim: Claim, page = 0): Promise<void> {
    const item = await this.page(page);
    await this.store.put({ ...item, claims: { ...item.claims, [ordinal]: claim } });
    this.store.calls.length = 0;
  }

  dead(): DeadItem[] {
    return this.store.items().filter((item) => item.pk === ITEM_KEYS.deadPartition(FANOUT)) as DeadItem[];
  }

  /** Reads without being watched. */
  private async peek(key: ItemKey): Promise<ItemKey | undefined> {
    return MemoryStateStore.prototype.get.call(this.store, key);
  }
}

export * from './fakes';
export * from './messages';
