import type {
  ContinuationEvent,
  Envelope,
  FanoutConfiguration,
  ItemKey,
  JobConfiguration,
  KeysItem,
  LockItem,
  PageItem,
  RunItem,
  ScannerAnswer,
} from '../../../lambda/contract';
import { ITEM_KEYS } from '../../../lambda/contract';
import { ErrorTexts } from '../../../lambda/job/error-texts';
import { JobSetup } from '../../../lambda/job/environment';
import type { AnyJob } from '../../../lambda/job/job';
import { JOB_BRAND } from '../../../lambda/job/job';
import { collectJobs } from '../../../lambda/job/registry';
import { decodeEnvelope, hashText, keyHash } from '../../../lambda/ledger';
import { noTracer } from '../../../lambda/ports';
import type { LogFields, Logger, MessageQueue, SendBatchResult, SendEntry, StateStore } from '../../../lambda/ports';
import { Scanner } from '../../../lambda/scanner/scanner';
import type { ScannerContext } from '../../../lambda/scanner/context';
import { MemoryStateStore } from '../../../lambda/simulation/memory-state-store';
import { RecordedMetrics } from '../../../lambda/simulation/recorded-metrics';
import { SeededRandomness } from '../../../lambda/simulation/seeded-randomness';
import { VirtualClock } from '../../../lambda/simulation/virtual-clock';

export const FANOUT = 'F';
export const JOB = 'job';
export const TICK = '2026-01-01T00:00:00Z';
const LATER_TICK = '2026-01-01T00:05:00Z';
const DEDUPLICATION_MS = 300_000;

/** The event of a tick. */
export function tick(scheduledTime = TICK): {
  kind: string;
  scheduledTime: string;
  scheduleArn: string;
  attempt: string;
} {
  return { kind: 'tick', scheduledTime, scheduleArn: 'arn', attempt: '1' };
}

export const laterTick = tick(LATER_TICK);

const JOB_CONFIGURATION: JobConfiguration = {
  retry: { maxAttempts: 5, delays: { kind: 'fixed', delay: 1 }, jitter: 0 },
  deduplication: 'whileInFlight',
  quarantine: 3600,
};

export const CONFIGURATION: FanoutConfiguration = {
  lanes: 'group',
  serialFailure: 'block',
  visibilityTimeout: 60,
  maxReceiveCount: 100,
  queueRetention: 345_600,
  ledgerRetention: 1_728_000,
  pageSize: 10,
  lease: 60,
  defaults: JOB_CONFIGURATION,
  jobs: {},
};

/** A log that is kept. */
export class KeptLog implements Logger {
  constructor(readonly lines: { level: string; message: string; fields: LogFields }[] = []) {}
  debug(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }
  info(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }
  warn(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }
  error(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }
  with(): Logger {
    return this;
  }
}

/** What a fake queue does with a call instead of accepting it. */
export type QueueFault = (
  entries: readonly SendEntry[],
  accept: (entries: readonly SendEntry[]) => void,
) => SendBatchResult | Promise<SendBatchResult>;

/** A FIFO queue that only takes messages in: drops what it knows for five minutes, as SQS does, and fails when told to. */
export class FakeQueue implements MessageQueue {
  readonly calls: (readonly SendEntry[])[] = [];
  readonly messages: SendEntry[] = [];
  /** Faults of the next calls, in order. */
  readonly faults: QueueFault[] = [];
  private readonly known = new Map<string, number>();

  constructor(private readonly clock: VirtualClock) {}

  sendBatch(entries: readonly SendEntry[]): Promise<SendBatchResult> {
    this.calls.push(entries);
    const accept = (accepted: readonly SendEntry[]): void => {
      accepted.forEach((entry) => {
        this.accept(entry);
      });
    };
    const fault = this.faults.shift();
    if (fault !== undefined) {
      return Promise.resolve().then(() => fault(entries, accept));
    }
    accept(entries);
    return Promise.resolve({ accepted: entries.map(({ id }) => id), failed: [] });
  }

  changeVisibility(): Promise<number> {
    return Promise.resolve(0);
  }

  /** Envelopes of the messages, in their order. */
  envelopes(): Envelope[] {
    return this.messages.map(({ body }) => {
      const decoded = decodeEnvelope(body);
      if (decoded.kind !== 'valid') {
        throw new Error(decoded.cause);
      }
      return decoded.envelope;
    });
  }

  keys(): string[] {
    return this.envelopes().map(({ key }) => key);
  }

  private accept(entry: SendEntry): void {
    const since = this.known.get(entry.deduplicationId);
    if (since !== undefined && this.clock.now() - since < DEDUPLICATION_MS) {
      return;
    }
    this.known.set(entry.deduplicationId, this.clock.now());
    this.messages.push(entry);
  }
}

/** A job over records that are kept in an array; the cursor is the place behind a record. */
export interface TestRecord {
  readonly id: string;
  readonly [name: string]: unknown;
}

export function jobOver(records: () => readonly unknown[], parts: Record<string, unknown> = {}): AnyJob {
  const declared: unknown = {
    jobType: JOB,
    async *source({ cursor }: { cursor?: number }) {
      for (let place = cursor ?? 0; place < records().length; place++) {
        yield { record: records()[place], cursor: place + 1 };
      }
    },
    key: (record: TestRecord) => record.id,
    handler: () => undefined,
    ...parts,
    [JOB_BRAND]: true,
  };
  return declared as AnyJob;
}

/** Records `r0`, `r1`, ... */
export function someRecords(count: number, from = 0): TestRecord[] {
  return Array.from({ length: count }, (_, place) => ({ id: `r${from + place}` }));
}

/** What a fixture is made of; everything has a plain default. */
export interface FixtureOptions {
  readonly jobs?: readonly AnyJob[];
  readonly records?: readonly unknown[];
  readonly configuration?: Partial<FanoutConfiguration>;
  readonly deduplication?: 'whileInFlight' | 'perRun';
  /** Milliseconds of an invocation. */
  readonly timeout?: number;
}

/** A scanner over memory, with a clock that stands until it is moved. */
export class Fixture {
  readonly clock = new VirtualClock();
  readonly memory = new MemoryStateStore();
  readonly queue = new FakeQueue(this.clock);
  readonly log = new KeptLog();
  readonly metrics = new RecordedMetrics();
  readonly continuations: ContinuationEvent[] = [];
  readonly randomness = new SeededRandomness(7);
  readonly context: ScannerContext;
  private readonly timeout: number;

  constructor({ jobs, records = [], configuration, deduplication, timeout = 900_000 }: FixtureOptions = {}) {
    const registry = collectJobs({ default: jobs ?? [jobOver(() => records)] });
    this.timeout = timeout;
    this.context = {
      fanoutId: FANOUT,
      configuration: {
        ...CONFIGURATION,
        ...configuration,
        defaults: {
          ...JOB_CONFIGURATION,
          ...(deduplication !== undefined && { deduplication }),
          ...configuration?.defaults,
        },
      },
      registry,
      setup: new JobSetup(registry, {
        secrets: { read: (name) => Promise.resolve(`value of ${name}`) },
        logger: this.log,
      }),
      store: this.memory,
      queue: this.queue,
      clock: this.clock,
      randomness: this.randomness,
      invoker: {
        continueScan: (event) => {
          this.continuations.push(event);
          return Promise.resolve();
        },
      },
      logger: this.log,
      metrics: this.metrics,
      tracer: noTracer,
      errors: new ErrorTexts(registry),
    };
  }

  /** Starts an invocation; `parts` replaces ports for it alone. */
  start(event: unknown, parts: Partial<ScannerContext> = {}): Promise<ScannerAnswer> {
    const deadline = this.clock.now() + this.timeout;
    return new Scanner({ ...this.context, ...parts }).handle(event, () => deadline - this.clock.now());
  }

  /** Runs an invocation to its end, moving the clock wherever it waits. */
  invoke(event: unknown = tick(), parts: Partial<ScannerContext> = {}): Promise<ScannerAnswer> {
    return this.run(this.start(event, parts));
  }

  /** Moves the clock until `work` is settled. */
  run<T>(work: Promise<T>): Promise<T> {
    return this.clock.run(work);
  }

  lock(): Promise<LockItem | undefined> {
    return this.memory.get(ITEM_KEYS.lock(FANOUT));
  }

  runItem(runId = TICK): Promise<RunItem | undefined> {
    return this.memory.get(ITEM_KEYS.run(FANOUT, runId));
  }

  keysItem(page: number, runId = TICK): Promise<KeysItem | undefined> {
    return this.memory.get(ITEM_KEYS.keys({ fanoutId: FANOUT, runId, jobType: JOB, segment: 0, page }));
  }

  pageItem(page: number, runId = TICK): Promise<PageItem | undefined> {
    return this.memory.get(ITEM_KEYS.page({ fanoutId: FANOUT, runId, jobType: JOB, segment: 0, page }));
  }

  /** Settles every ordinal of the pages that are stored, as the consumer would. */
  async settleAll(): Promise<void> {
    for (const item of this.memory.items().filter(({ sk }) => sk === 'PAGE') as PageItem[]) {
      const open = Array.from({ length: item.sealed ?? 0 }, (_, ordinal) => ordinal).filter(
        (ordinal) => item.settled?.has(ordinal) !== true,
      );
      if (open.length > 0) {
        const add = [
          [['settled'], new Set(open)],
          [['succeeded'], new Set(open)],
        ] as const;
        await this.memory.update({ pk: item.pk, sk: item.sk }, { add });
      }
    }
  }

  items(prefix: string): ItemKey[] {
    return this.memory.items().filter(({ pk, sk }) => pk.startsWith(prefix) || sk.startsWith(prefix));
  }
}

/** Resolves when every promise that can settle without a timer has settled. */
export function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Where each key is written down and not withdrawn, over all pages of a run: `page/ordinal` by key. */
export function placesOf(fixture: Fixture, keys: readonly string[]): Map<string, string[]> {
  const items = fixture.memory.items();
  const names = new Map(keys.map((key) => [hashText(keyHash(JOB, key)), key]));
  const places = new Map<string, string[]>(keys.map((key) => [key, []]));
  for (const item of items.filter(({ sk }) => sk.startsWith('KEYS#')) as KeysItem[]) {
    const number = item.sk.slice('KEYS#'.length);
    const page = items.find(({ pk, sk }) => sk === 'PAGE' && pk === `${item.pk}#${number}`) as PageItem | undefined;
    for (let ordinal = 0; ordinal < item.count; ordinal++) {
      const name = names.get(hashText(item.hashes.subarray(ordinal * 8, ordinal * 8 + 8)));
      if (name !== undefined && page?.withdrawn?.has(ordinal) !== true) {
        places.get(name)?.push(`${Number(number)}/${ordinal}`);
      }
    }
  }
  return places;
}

/** A store whose calls go through `before`, which may hold or fail them. */
export function gatedStore(
  store: StateStore,
  gate: <T>(name: string, call: () => Promise<T>) => Promise<T>,
): StateStore {
  return {
    get: (key) => gate('get', () => store.get(key)),
    getMany: (keys) => gate('getMany', () => store.getMany(keys)),
    query: (pk, range) => gate('query', () => store.query(pk, range)),
    put: (item, condition) => gate('put', () => store.put(item, condition)),
    update: (key, change, condition) => gate('update', () => store.update(key, change, condition)),
    delete: (key, condition) => gate('delete', () => store.delete(key, condition)),
  };
}

/** A store that is gone for good from its n-th write on, as a process that ends there sees it. */
export function dyingAt(fixture: Fixture, write: number, isApplied: boolean): Partial<ScannerContext> {
  let writes = 0;
  const store = gatedStore(fixture.memory, async (name, call) => {
    const isWrite = name === 'put' || name === 'update' || name === 'delete';
    if (isWrite) {
      writes += 1;
    }
    if (writes > write || (isWrite && writes === write && !isApplied)) {
      throw new Error('the process has ended');
    }
    const result = await call();
    if (isWrite && writes === write) {
      throw new Error('the process has ended');
    }
    return result;
  });
  return { store };
}

/** A queue that only takes in the first calls, and fails at once from then on. */
export function queueDyingAt(fixture: Fixture, calls: number): Partial<ScannerContext> {
  let made = 0;
  return {
    queue: {
      changeVisibility: () => Promise.resolve(0),
      sendBatch: (entries) =>
        ++made > calls ? Promise.reject(new Error('the queue is away')) : fixture.queue.sendBatch(entries),
    },
  };
}
