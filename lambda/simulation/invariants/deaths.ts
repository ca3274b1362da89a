import type { DeadItem } from '../../contract';
import { ITEM_KEYS } from '../../contract';
import type { MemoryStateStore } from '../memory-state-store';
import type { PlaceState } from './ledger-model';

/** The deaths of a fanout. */
export function deathsOf(memory: MemoryStateStore, fanoutId: string): DeadItem[] {
  return [...memory.peekAll(ITEM_KEYS.deadPartition(fanoutId))] as unknown as DeadItem[];
}

/** The deaths of a place, oldest first. */
export function deathsAt(memory: MemoryStateStore, place: PlaceState): DeadItem[] {
  return deathsOf(memory, place.fanoutId).filter(
    ({ runId, jobType, page, ordinal }) =>
      runId === place.runId && jobType === place.jobType && page === place.page && ordinal === place.ordinal,
  );
}
