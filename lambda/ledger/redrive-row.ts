import type { DeadItem, Envelope, ItemKey, OpenItem } from '../contract';
import { ITEM_KEYS } from '../contract';
import type { StateStore } from '../ports';

/** Rows that one step looks behind. */
const STEP = 50;

/** Row of a death whose redrive is under way. */
export interface RedriveRow extends OpenItem {
  readonly deathId: string;
  readonly diedAt: number;
}

/** Where redrives are noted. */
export interface RedriveIndex {
  readonly store: StateStore;
  readonly fanoutId: string;
}

/**
 * Notes in the index of what is in flight that a death is redriven. Written before its message is sent, or, where the console of SQS sent it, before its handler is called: a scan looks for deaths of the
 * quarantine alone, and a redrive may come long after it.
 *
 * @param expiresAt when the row may go, in seconds
 */
export async function noteRedrive(
  { store, fanoutId }: RedriveIndex,
  { run, job }: Envelope,
  { deathId, diedAt, expiresAt }: { readonly deathId: string; readonly diedAt: number; readonly expiresAt: number },
): Promise<void> {
  const row: OpenItem = {
    ...ITEM_KEYS.openRedrive(fanoutId, deathId),
    ...{ runId: run, jobType: job, deathId, diedAt, expiresAt },
  };
  await store.put(row);
}

/** Whether a row of the index is one of a redrive. */
export function isRedriveRow(row: OpenItem): row is RedriveRow {
  return row.deathId !== undefined && row.diedAt !== undefined;
}

/** Deaths of rows whose redrives are marked and have no outcome yet; the row of one that has its outcome is void, and deleted. */
export async function redrivesInFlight(
  { store, fanoutId }: RedriveIndex,
  rows: readonly RedriveRow[],
): Promise<DeadItem[]> {
  const inFlight: DeadItem[] = [];
  for (let from = 0; from < rows.length; from += STEP) {
    const part = rows.slice(from, from + STEP);
    const keyOf = ({ diedAt, deathId }: RedriveRow): ItemKey => ITEM_KEYS.dead(fanoutId, diedAt, deathId);
    const deaths = new Map((await store.getMany<DeadItem>(part.map(keyOf))).map((dead) => [dead.deathId, dead]));
    for (const row of part) {
      const dead = deaths.get(row.deathId);
      if (dead?.state === 'redriven') {
        inFlight.push(dead);
      } else if (dead?.state !== 'dead') {
        await store.delete({ pk: row.pk, sk: row.sk });
      }
    }
  }
  return inFlight;
}
