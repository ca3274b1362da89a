import type { ItemKey, RunItem, RunState } from '../contract';
import { RUN_TRANSITIONS } from '../contract';
import type { Change, Condition, StateStore } from '../ports';
import { when } from '../ports';

/** A step of a run's state, and what changes with it. */
export interface RunStep {
  readonly from: RunState;
  readonly to: RunState;
  /** Beside the state. */
  readonly set?: Change['set'];
  readonly remove?: Change['remove'];
  /** Must hold too. */
  readonly condition?: Condition;
}

/**
 * The one setter of a run's state: a conditional write, which takes place only where the run is still in the state that the step begins at.
 *
 * @param key of the RUN item
 * @returns the run afterwards; `undefined` where the write was refused
 * @throws Error for a step that {@link RUN_TRANSITIONS} does not have
 */
export async function moveRun(store: StateStore, key: ItemKey, step: RunStep): Promise<RunItem | undefined> {
  const { from, to, set = [], remove, condition } = step;
  if (!RUN_TRANSITIONS[from].includes(to)) {
    throw new Error(`a run never goes from ${from} to ${to}`);
  }
  const isFrom = when.compare('state', '=', from);
  const result = await store.update<RunItem>(
    key,
    { set: from === to ? set : [[['state'], to], ...set], ...(remove !== undefined && { remove }) },
    condition === undefined ? isFrom : when.all(isFrom, condition),
  );
  return result.applied ? result.item : undefined;
}

/** Whether something is left to do for the scan of a run: to go on with it, or to bring what was cancelled to rest. */
export function isUnfinished({ state, rest }: RunItem): boolean {
  return state === 'scanning' || (state === 'cancelled' && rest === undefined);
}

/** Whether every record of a run is settled and its totals are stored. */
export function isCompleted({ state, completedAt }: RunItem): boolean {
  return state === 'completed' || completedAt !== undefined;
}
