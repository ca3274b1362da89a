import type { Claim, ItemKey } from '../contract';
import type { Clock, StateStore, Timer } from '../ports';
import { Patience } from './patience';
import type { RecordShape } from './record-shapes';
import type { Refusal, Slot, SlotWrite, Step } from './slot';
import { decide } from './slot';

/** A step for one record of the book's item. */
export interface Entry {
  readonly place: number;
  readonly step: Step;
  /** What the caller knows of the record without a read; absent: nothing, the item is read first. */
  readonly assume?: Slot;
}

/** What came of a step. */
export type Answer =
  | { readonly kind: 'stored'; readonly claim?: Claim }
  | Refusal
  /** The ledger has no such item. */
  | { readonly kind: 'missing' }
  /** A step before it in the same call did not come about. */
  | { readonly kind: 'skipped' }
  /** The table could not be reached, or others were faster again and again. */
  | { readonly kind: 'unavailable'; readonly cause: unknown };

/** What a book needs. */
export interface BookOptions<T extends ItemKey> {
  readonly store: StateStore;
  readonly clock: Clock;
  readonly shape: RecordShape<T>;
  /** Ends waiting for a table that cannot be reached. */
  readonly signal: AbortSignal;
  /** Called with every state of the item that becomes known. */
  readonly seen?: (item: T) => void;
  /** Called once for every outcome that this book has stored. */
  readonly settled?: (outcome: string) => void;
}

/** The books of one item of the ledger, within one invocation. */
export interface Book {
  /**
   * Takes steps, each only where the one before came about; on one item they become one write, together with whatever else waits.
   *
   * @param urgent false: the write may wait for company, {@link LONGEST_WAIT_MS} at most
   * @returns an answer for each entry; never rejects
   */
  apply(entries: readonly Entry[], urgent: boolean): Promise<Answer[]>;
  /** Writes what waits. */
  flush(): Promise<void>;
}

/** Milliseconds that an outcome waits to be written together with others. */
export const LONGEST_WAIT_MS = 200;

interface Pending {
  readonly entries: readonly Entry[];
  readonly resolve: (answers: Answer[]) => void;
}

/** A step with what was decided, and on which assumption. */
interface Planned {
  readonly place: number;
  readonly slot: Slot;
  readonly decision: SlotWrite | Refusal;
}

/** Whether the step is in effect or its record is settled, so that the next one of the same call may follow. */
export function cameAbout(answer: Answer): boolean {
  return answer.kind === 'stored' || answer.kind === 'done' || answer.kind === 'settled';
}

/** Coalesces the steps of an invocation on one item: one write at a time, and everything that waits goes with it. */
export class RecordBook<T extends ItemKey> implements Book {
  private waiting: Pending[] = [];
  private known: T | undefined;
  private working = false;
  private work: Promise<void> = Promise.resolve();
  private timer: Timer | undefined;
  /** Outcomes whose write was not answered with success, by place: they are in effect where they are found later. */
  private readonly unsure = new Map<number, string>();

  constructor(private readonly options: BookOptions<T>) {}

  apply(entries: readonly Entry[], urgent: boolean): Promise<Answer[]> {
    return new Promise((resolve) => {
      this.waiting.push({ entries, resolve });
      if (urgent) {
        this.start();
      } else {
        this.timer ??= this.options.clock.setTimer(LONGEST_WAIT_MS, () => {
          this.start();
        });
      }
    });
  }

  async flush(): Promise<void> {
    while (this.waiting.length > 0 || this.working) {
      this.start();
      await this.work;
    }
  }

  private start(): void {
    this.timer?.cancel();
    this.timer = undefined;
    if (!this.working) {
      this.working = true;
      this.work = this.run();
    }
  }

  private async run(): Promise<void> {
    // Lanes that come to this point together share the write.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const batch = this.takeDisjoint();
      const rest = await this.writeTogether(batch);
      // What stands in the way may be old news.
      this.known = rest.length > 0 ? undefined : this.known;
      const patience = new Patience(this.options.clock, this.options.signal);
      for (const pending of rest) {
        pending.resolve(await this.writeInTurn(pending.entries, patience));
      }
    }
    this.working = false;
  }

  /** What waits, except what concerns a record that is in the batch already: that has to see its result. */
  private takeDisjoint(): Pending[] {
    const places = new Set<number>();
    const batch: Pending[] = [];
    const later: Pending[] = [];
    for (const pending of this.waiting) {
      const concerned = pending.entries.map((entry) => entry.place);
      if (concerned.some((place) => places.has(place))) {
        later.push(pending);
      } else {
        batch.push(pending);
      }
      concerned.forEach((place) => places.add(place));
    }
    this.waiting = later;
    return batch;
  }

  /** One write for the whole batch; answers what has to be looked at one by one. */
  private async writeTogether(batch: readonly Pending[]): Promise<readonly Pending[]> {
    try {
      if (this.known === undefined && !batch.every(({ entries }) => entries.every(isOptimistic))) {
        await this.read();
      }
      const plans = batch.map((pending) => ({ pending, planned: this.plan(pending.entries) }));
      const clear = plans.filter(
        ({ pending, planned }) => planned.length === pending.entries.length && planned.every(isClear),
      );
      if (!(await this.write(clear.flatMap(({ planned }) => planned)))) {
        return batch;
      }
      for (const { pending, planned } of clear) {
        pending.resolve(planned.map((one) => this.answer(one)));
      }
      return plans.filter((plan) => !clear.includes(plan)).map(({ pending }) => pending);
    } catch {
      return batch;
    }
  }

  /** The decisions of one call; none where the item is not stored, or where one record comes twice. */
  private plan(entries: readonly Entry[]): Planned[] {
    const now = this.options.clock.now();
    const places = new Set(entries.map((entry) => entry.place));
    return (places.size < entries.length ? [] : entries).flatMap(({ place, step, assume }) => {
      const slot = this.known === undefined ? assume : this.options.shape.slotOf(this.known, place);
      return slot === undefined ? [] : [{ place, slot, decision: decide(step, slot, now) }];
    });
  }

  private async writeInTurn(entries: readonly Entry[], patience: Patience): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (const entry of entries) {
      const before = answers.at(-1);
      answers.push(
        before === undefined || cameAbout(before) ? await this.writeAlone(entry, patience) : { kind: 'skipped' },
      );
    }
    return answers;
  }

  /** Decides by what is stored and writes if it is still so; again as long as the patience lasts. */
  private async writeAlone(entry: Entry, patience: Patience): Promise<Answer> {
    while (!patience.isOver()) {
      try {
        if (this.known === undefined) {
          await this.read();
        }
        const [planned] = this.known === undefined ? [] : this.plan([entry]);
        if (planned === undefined) {
          return { kind: 'missing' };
        }
        if (planned.decision.kind !== 'write' || (await this.write([planned]))) {
          return this.answer(planned);
        }
        await patience.pause(undefined);
      } catch (cause) {
        await patience.pause(cause);
      }
    }
    return { kind: 'unavailable', cause: patience.cause };
  }

  private async read(): Promise<void> {
    this.learn(await this.options.store.get<T>(this.options.shape.key));
  }

  /** Writes under the condition that every record is as it was when its write was decided. */
  private async write(planned: readonly Planned[]): Promise<boolean> {
    const { shape, store } = this.options;
    const writes = planned.flatMap(({ place, slot, decision }) =>
      decision.kind === 'write' ? [{ place, slot, write: decision }] : [],
    );
    if (writes.length === 0) {
      return true;
    }
    // Until the reply is here, nothing is known for certain.
    this.known = undefined;
    const outcomes = writes.flatMap(({ place, write: { outcome } }) =>
      outcome === undefined ? [] : [{ place, outcome }],
    );
    outcomes.forEach(({ place, outcome }) => this.unsure.set(place, outcome));
    const guards = writes.map(({ place, slot }) => shape.guard(place, slot));
    const result = await store.update<T>(shape.key, shape.change(writes), { op: 'all', of: guards });
    this.learn(result.applied ? result.item : undefined);
    if (result.applied) {
      outcomes.forEach(({ place, outcome }) => {
        this.report(place, outcome);
      });
    }
    return result.applied;
  }

  private answer({ place, slot, decision }: Planned): Answer {
    if (decision.kind === 'done' && slot.outcome !== undefined && this.unsure.get(place) === slot.outcome) {
      this.report(place, slot.outcome);
    }
    return toAnswer(decision);
  }

  private report(place: number, outcome: string): void {
    this.unsure.delete(place);
    this.options.settled?.(outcome);
  }

  private learn(item: T | undefined): void {
    this.known = item;
    if (item !== undefined) {
      this.options.seen?.(item);
    }
  }
}

function isOptimistic(entry: Entry): boolean {
  return entry.assume !== undefined;
}

/** Whether a decision can be carried out or answered without another look. */
function isClear({ decision }: Planned): boolean {
  return decision.kind === 'write' || decision.kind === 'done' || decision.kind === 'settled';
}

function toAnswer(decision: SlotWrite | Refusal): Answer {
  if (decision.kind !== 'write') {
    return decision;
  }
  return decision.claim === undefined ? { kind: 'stored' } : { kind: 'stored', claim: decision.claim };
}
