import type { DeadItem, Envelope, ItemKey, PageItem, RunItem } from '../contract';
import { ITEM_KEYS, METRIC_OF_OUTCOME } from '../contract';
import { findJob } from '../job/registry';
import { closeIfComplete, isComplete } from '../ledger/pages';
import { noteRedrive } from '../ledger/redrive-row';
import { sweptDeathKey } from '../ledger/swept-death';
import type { ConsumerOptions } from './options';
import { deathTime, pageOf } from './received-message';
import type { Book } from './record-book';
import { RecordBook } from './record-book';
import { deadShape, pageShape } from './record-shapes';
import type { RunCache } from './run-cache';

/** DEAD items that are looked through for one whose time the message does not say. */
const DEAD_ITEMS_SEARCHED = 10_000;

/** The ledger as one invocation sees it: a book for every item that its messages concern, and the runs, each read once. */
export class LedgerBooks {
  private readonly books = new Map<string, Book>();
  private readonly runs = new Map<string, Promise<RunItem | undefined>>();
  private readonly closing = new Map<string, Promise<void>>();

  /**
   * @param cache runs that earlier invocations have read
   * @param signal fires when the invocation has to answer
   */
  constructor(
    private readonly options: ConsumerOptions,
    private readonly cache: RunCache,
    private readonly signal: AbortSignal,
  ) {}

  /** The run of a message; `undefined` where the ledger does not have it. */
  run(runId: string): Promise<RunItem | undefined> {
    const known = this.runs.get(runId);
    if (known !== undefined) {
      return known;
    }
    const read = this.cache.read(runId);
    this.runs.set(runId, read);
    return read;
  }

  /** The book that a message's record is in; `undefined` where a redriven one has no DEAD item. */
  async bookOf(envelope: Envelope): Promise<Book | undefined> {
    if (envelope.deathId === undefined) {
      return this.pageBook(envelope);
    }
    const { deathId } = envelope;
    const key = await this.deadKey(envelope, deathId);
    if (key === undefined) {
      return undefined;
    }
    // Where the console of SQS moved it back, nobody has noted it yet. A sort key begins with the time.
    const diedAt = Number.parseInt(key.sk, 10);
    await noteRedrive(this.options, envelope, { deathId, diedAt, expiresAt: this.expiresAt() });
    return this.deadBook(envelope, key);
  }

  /** The DEAD item of a record that the sweep settled, since no message of it came any more; `undefined` where it died otherwise. */
  async lostDeath(envelope: Envelope): Promise<DeadItem | undefined> {
    const { store } = this.options;
    const id = pageOf(envelope);
    const page = await store.get<PageItem>(ITEM_KEYS.page(id));
    const key = page === undefined ? undefined : sweptDeathKey(id, page, envelope.ordinal);
    return key === undefined ? undefined : store.get<DeadItem>(key);
  }

  /** Writes what waits, and ends what is due on pages that are complete. */
  async flush(): Promise<void> {
    await Promise.all([...this.books.values()].map((book) => book.flush()));
    await Promise.all(this.closing.values());
  }

  private pageBook(envelope: Envelope): Book {
    const shape = pageShape(pageOf(envelope));
    const seen = (page: PageItem): void => {
      this.closeOnce(envelope, page);
    };
    const settled = this.counter(envelope);
    return this.book(shape.key, () => new RecordBook({ ...this.ports(), shape, seen, settled }));
  }

  private deadBook(envelope: Envelope, key: ItemKey): Book {
    const settled = this.counter(envelope);
    const shape = deadShape(key, () => this.expiresAt());
    return this.book(key, () => new RecordBook<DeadItem>({ ...this.ports(), shape, settled }));
  }

  private expiresAt(): number {
    const { clock, configuration } = this.options;
    return Math.ceil(clock.now() / 1000) + configuration.ledgerRetention;
  }

  private book(key: ItemKey, create: () => Book): Book {
    const name = JSON.stringify([key.pk, key.sk]);
    const book = this.books.get(name) ?? create();
    this.books.set(name, book);
    return book;
  }

  /** Counts what is stored as settled, under the name that the job has now. */
  private counter({ job }: Envelope): (outcome: string) => void {
    const { jobs, metrics } = this.options;
    const jobType = findJob(jobs, job)?.jobType ?? job;
    return (outcome) => {
      const metric = METRIC_OF_OUTCOME[outcome];
      if (metric !== undefined) {
        metrics.add(metric, 1, jobType);
      }
    };
  }

  private ports(): Pick<ConsumerOptions, 'store' | 'clock'> & { readonly signal: AbortSignal } {
    return { store: this.options.store, clock: this.options.clock, signal: this.signal };
  }

  private async deadKey(envelope: Envelope, deathId: string): Promise<ItemKey | undefined> {
    const { store, fanoutId } = this.options;
    const at = deathTime(envelope);
    if (at !== undefined) {
      return ITEM_KEYS.dead(fanoutId, at, deathId);
    }
    const items = await store.query<DeadItem>(ITEM_KEYS.deadPartition(fanoutId), {
      descending: true,
      limit: DEAD_ITEMS_SEARCHED,
    });
    return items.find((item) => item.deathId === deathId);
  }

  /** A failure here loses nothing: the page's OPEN row stays, and whoever meets the page next repeats it. */
  private closeOnce(envelope: Envelope, page: PageItem): void {
    if (!isComplete(page) || this.closing.has(page.pk)) {
      return;
    }
    const closed = closeIfComplete(this.options, pageOf(envelope), page).then(
      () => undefined,
      (error: unknown) => {
        this.options.logger.warn('a complete page could not be closed', {
          runId: envelope.run,
          jobType: envelope.job,
          error: this.options.errors.describe(error),
        });
      },
    );
    this.closing.set(page.pk, closed);
  }
}
