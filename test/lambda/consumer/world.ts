import { SETTLED_OUTCOMES } from '../../../lambda/contract';
import type { Consumer } from '../../../lambda/consumer/consumer';
import type { ConsumerOptions } from '../../../lambda/consumer/options';
import type { SqsRecord } from '../../../lambda/consumer/sqs-event';
import { PermanentError } from '../../../lambda/job';
import type { HandlerContext } from '../../../lambda/job/job';
import { collectJobs } from '../../../lambda/job/registry';
import type { StateStore, VisibilityChange } from '../../../lambda/ports';
import { sleep } from '../../../lambda/ports';
import { closeIfComplete } from '../../../lambda/ledger/pages';
import { CONFIGURATION, FANOUT, Harness, job, message, pageId, REMAINING } from './harness';

/** What a handler does with an attempt. */
export type Behaviour = 'succeed' | 'fail' | 'refuse' | 'linger' | 'ignore';

/** What happens to a call of the table or of a queue. */
export type Fault = 'none' | 'fails' | 'reply lost' | 'crash before' | 'crash after' | 'crash, lands late';

/** A record of the world: its place is its index, over pages of `PAGE_SIZE`. */
export interface WorldRecord {
  readonly group: string;
  /** By attempt; afterwards it succeeds. */
  readonly behaviours: readonly Behaviour[];
}

export const PAGE_SIZE = 4;
export const MAX_ATTEMPTS = 3;
const LINGER_MS = 20_000;
/** A call takes effect whose environment is gone: about when its claims may be taken over. */
const LATE_MS = [1_000, 70_002, 70_010, 90_000] as const;

const CHAOS_CONFIGURATION = {
  ...CONFIGURATION,
  maxReceiveCount: 1000,
  defaults: {
    ...CONFIGURATION.defaults,
    retry: { maxAttempts: MAX_ATTEMPTS, delays: { kind: 'fixed', delay: 5 }, jitter: 0.5 },
  },
} as const;

/** An execution environment; a dead one never gets an answer to anything again. */
interface Environment {
  dead: boolean;
  readonly consumer: Consumer;
}

interface Queued {
  readonly index: number;
  receives: number;
  visibleAt: number;
  receipt: string;
  deleted: boolean;
}

const NEVER = new Promise<never>(() => undefined);

/** Records in a FIFO queue, consumers that crash, a table that loses replies; and what was seen of it. */
export class World {
  readonly violations: string[] = [];
  readonly calls = new Map<number, number>();
  readonly permanent = new Set<number>();
  readonly harness: Harness;
  /** Chooses what happens to the next call. */
  faults: () => Fault = () => 'none';
  /** Invocations that have not answered. */
  readonly pending = new Set<Promise<void>>();
  private readonly running = new Set<{ readonly environment: Environment; readonly group: string }>();
  private readonly queue: Queued[];
  private environments: Environment[] = [];
  private receipts = 0;

  constructor(
    readonly records: readonly WorldRecord[],
    private readonly visibilityMs: number,
    /** Records that are sent twice, as by a scanner that repeats a send after SQS has forgotten the first. */
    copies: readonly number[] = [],
  ) {
    const sent = [...records.keys(), ...copies.map((copy) => copy % records.length)];
    this.queue = sent.map((index) => ({ index, receives: 0, visibleAt: 0, receipt: '', deleted: false }));
    this.harness = new Harness([job(() => undefined)]);
  }

  async seed(): Promise<this> {
    const pages = Math.ceil(this.records.length / PAGE_SIZE);
    await this.harness.seed(
      Array.from({ length: pages }, (_, page) => Math.min(PAGE_SIZE, this.records.length - page * PAGE_SIZE)),
    );
    return this;
  }

  /** Whether every message is acknowledged. */
  isDone(): boolean {
    return this.queue.every((entry) => entry.deleted);
  }

  /** Moves the clock to the next timer, or to the next message that becomes visible. */
  async step(): Promise<void> {
    const { clock } = this.harness;
    const visible = this.queue.filter((entry) => !entry.deleted).map((entry) => entry.visibleAt);
    const next = Math.min(clock.nextTimer() ?? Infinity, ...visible.filter((at) => at > clock.now()));
    await clock.advance(Number.isFinite(next) ? next - clock.now() : 1);
  }

  /** Receives what is visible, up to ten messages, and starts an invocation with it in the environment of that number. */
  invoke(slot: number): boolean {
    const batch = this.receive();
    if (batch.length === 0) {
      return false;
    }
    const environment = this.environmentAt(slot);
    const messages = batch.map((entry) => this.messageOf(entry));
    const work = environment.consumer
      .handle({ Records: messages }, { getRemainingTimeInMillis: () => REMAINING })
      .then(({ batchItemFailures }) => {
        const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        this.acknowledge(
          environment,
          messages.filter(({ messageId }) => !failed.has(messageId)),
        );
      });
    this.pending.add(work);
    void work.finally(() => this.pending.delete(work));
    return true;
  }

  /** Outcomes of a record in its page. */
  async outcomes(index: number): Promise<string[]> {
    const page = await this.harness.page(Math.floor(index / PAGE_SIZE));
    return SETTLED_OUTCOMES.filter((outcome) => page[outcome]?.has(index % PAGE_SIZE));
  }

  /** What the watchdog does: it ends what is due on pages that are complete. */
  async sweep(): Promise<void> {
    const { store, clock } = this.harness;
    for (let page = 0; page * PAGE_SIZE < this.records.length; page++) {
      await closeIfComplete({ store, clock, fanoutId: FANOUT }, pageId(page), await this.harness.page(page));
    }
  }

  private environmentAt(slot: number): Environment {
    const known = this.environments[slot];
    if (known !== undefined && !known.dead) {
      return known;
    }
    const environment: Environment = {
      dead: false,
      consumer: this.harness.start(this.portsOf(() => environment)),
    };
    this.environments[slot] = environment;
    return environment;
  }

  private portsOf(environment: () => Environment): Partial<ConsumerOptions> {
    const { store, deadLetterQueue } = this.harness;
    const guard = <T>(make: () => Promise<T>): Promise<T> => this.call(environment(), make);
    const guarded: StateStore = {
      get: (key) => guard(() => store.get(key)),
      getMany: (keys) => guard(() => store.getMany(keys)),
      query: (pk, range) => guard(() => store.query(pk, range)),
      put: (item, condition) => guard(() => store.put({ ...item }, condition)),
      update: (key, change, condition) => guard(() => store.update(key, change, condition)),
      delete: (key, condition) => guard(() => store.delete(key, condition)),
    };
    const handler = (record: { readonly id: string }, context: HandlerContext): Promise<void> =>
      this.handle(environment(), Number(record.id), context);
    return {
      configuration: CHAOS_CONFIGURATION,
      jobs: collectJobs({ job: job(handler) }),
      store: guarded,
      deadLetterQueue: {
        sendBatch: (entries) => guard(() => deadLetterQueue.sendBatch(entries)),
        changeVisibility: () => Promise.resolve(0),
      },
      queue: {
        sendBatch: () => Promise.reject(new Error('nobody sends to the work queue')),
        changeVisibility: (changes) => guard(() => this.changeVisibility(changes)),
      },
      exit: () => {
        this.kill(environment());
      },
    };
  }

  private async call<T>(environment: Environment, make: () => Promise<T>): Promise<T> {
    // The reply takes a turn, so that invocations meet between any two calls.
    await new Promise<void>((resolve) => this.harness.clock.setTimer(1, resolve));
    const fault = environment.dead ? 'crash before' : this.faults();
    if (fault === 'crash before') {
      this.kill(environment);
      return NEVER;
    }
    if (fault === 'crash, lands late') {
      this.kill(environment);
      const late = LATE_MS[this.receipts % LATE_MS.length] ?? 0;
      this.harness.clock.setTimer(late, () => void make());
      return NEVER;
    }
    if (fault === 'fails') {
      throw new Error('the call failed');
    }
    const result = await make();
    if (fault === 'crash after') {
      this.kill(environment);
      return NEVER;
    }
    if (fault === 'reply lost') {
      throw new Error('the reply was lost');
    }
    return result;
  }

  private kill(environment: Environment): void {
    environment.dead = true;
  }

  /** The user's handler, with what must hold of its calls. */
  private async handle(environment: Environment, index: number, context: HandlerContext): Promise<void> {
    const record = this.records[index]!;
    const call = (this.calls.get(index) ?? 0) + 1;
    this.calls.set(index, call);
    await this.checkStart(index, call, context);
    const mark = { environment, group: record.group };
    this.running.add(mark);
    const others = [...this.running].filter((one) => one.group === record.group && !one.environment.dead);
    if (others.length > 1) {
      this.violations.push(`two handlers of group ${record.group} at once`);
    }
    try {
      await this.behave(record.behaviours[context.attempt - 1] ?? 'succeed', index, context);
      await (environment.dead ? NEVER : undefined);
    } finally {
      this.running.delete(mark);
    }
  }

  private async checkStart(index: number, call: number, context: HandlerContext): Promise<void> {
    if (call > MAX_ATTEMPTS || context.attempt > MAX_ATTEMPTS) {
      this.violations.push(`record ${index} is called ${call} times`);
    }
    const settled = await this.outcomes(index);
    if (settled.length > 0) {
      this.violations.push(`record ${index} is called after it is ${settled.join()}`);
    }
    if (this.harness.dead().some(({ key }) => key === context.key)) {
      this.violations.push(`record ${index} is called after its death`);
    }
    for (let earlier = 0; earlier < index; earlier++) {
      if (this.records[earlier]!.group === context.group && (await this.outcomes(earlier)).length === 0) {
        this.violations.push(`record ${index} starts before record ${earlier} is settled`);
      }
    }
  }

  private async behave(behaviour: Behaviour, index: number, { signal }: HandlerContext): Promise<void> {
    const { clock } = this.harness;
    switch (behaviour) {
      case 'succeed':
        return;
      case 'fail':
        throw new Error('fails');
      case 'refuse':
        this.permanent.add(index);
        throw new PermanentError('refuses');
      case 'linger':
        return sleep(clock, LINGER_MS, signal);
      case 'ignore':
        return sleep(clock, 2 * REMAINING);
    }
  }

  /** As SQS does: a group is locked while any of its messages is in flight. */
  private receive(): Queued[] {
    const now = this.harness.clock.now();
    const locked = new Set(
      this.queue.filter((entry) => !entry.deleted && entry.visibleAt > now).map((entry) => this.groupOf(entry)),
    );
    const batch = this.queue.filter((entry) => !entry.deleted && !locked.has(this.groupOf(entry))).slice(0, 10);
    for (const entry of batch) {
      entry.receives += 1;
      entry.receipt = `receipt-${++this.receipts}`;
      entry.visibleAt = now + this.visibilityMs;
    }
    return batch;
  }

  private groupOf(entry: Queued): string {
    return this.records[entry.index]!.group;
  }

  private messageOf({ index, receives, receipt }: Queued): SqsRecord {
    const { group } = this.records[index]!;
    const place = { page: Math.floor(index / PAGE_SIZE), ordinal: index % PAGE_SIZE };
    const made = message({
      ...place,
      group,
      key: `key-${index}`,
      payload: { id: String(index) },
      receiveCount: receives,
    });
    return { ...made, receiptHandle: receipt };
  }

  private changeVisibility(changes: readonly VisibilityChange[]): Promise<number> {
    const now = this.harness.clock.now();
    for (const { receiptHandle, seconds } of changes) {
      const entry = this.queue.find((one) => one.receipt === receiptHandle && one.visibleAt > now);
      if (entry !== undefined) {
        entry.visibleAt = now + seconds * 1000;
      }
    }
    return Promise.resolve(0);
  }

  private acknowledge(environment: Environment, messages: readonly SqsRecord[]): void {
    const now = this.harness.clock.now();
    for (const { receiptHandle } of environment.dead ? [] : messages) {
      const entry = this.queue.find((one) => one.receipt === receiptHandle && one.visibleAt > now);
      if (entry !== undefined) {
        entry.deleted = true;
      }
    }
  }
}
