import type { FanoutConfiguration, ItemKey, RunItem } from '../contract';
import { ITEM_KEYS } from '../contract';
import type { StateStore } from '../ports';

/** Runs that an execution environment remembers. */
const REMEMBERED = 20;

/** What a {@link RunCache} works with. */
export interface RunCacheOptions {
  readonly store: StateStore;
  readonly fanoutId: string;
  readonly configuration: FanoutConfiguration;
}

/**
 * The runs of an execution environment's messages. One is remembered from an invocation to the next once nothing that the consumer reads of it can change any more: its tick, parameters and lane rule never do, and whether it is
 * cancelled does not once its scan is over. What can still be cancelled is read anew by every invocation.
 */
export class RunCache {
  private readonly runs = new Map<string, RunItem>();

  constructor(private readonly options: RunCacheOptions) {}

  /** The run; `undefined` where the ledger does not have it. */
  async read(runId: string): Promise<RunItem | undefined> {
    const known = this.runs.get(runId);
    if (known !== undefined) {
      return known;
    }
    const { store, fanoutId } = this.options;
    const key: ItemKey = ITEM_KEYS.run(fanoutId, runId);
    const run = await store.get<RunItem>(key);
    if (run !== undefined && this.isSettled(run)) {
      this.remember(runId, run);
    }
    return run;
  }

  private isSettled({ state }: RunItem): boolean {
    const { overlap, overlapUntil } = this.options.configuration;
    switch (state) {
      case 'completed':
      case 'cancelled':
        return true;
      case 'scanned':
        return overlap !== 'cancelRunning' || overlapUntil !== 'completed';
      case 'scanning':
      case 'failed':
      case 'skipped':
        return false;
    }
  }

  private remember(runId: string, run: RunItem): void {
    this.runs.set(runId, run);
    const [oldest] = this.runs.keys();
    if (this.runs.size > REMEMBERED && oldest !== undefined) {
      this.runs.delete(oldest);
    }
  }
}
