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
    ({ runId, jobType, segment, page, ordinal }) =>
      runId === place.runId &&
      jobType === place.jobType &&
      segment === place.segment &&
      page === place.page &&
      ordinal === place.ordinal,
  );
}

/** Cause of a death of a record whose message is gone: there is no dead message either. */
export const LOST = 'Lost';
