import type { Dying, ItemKey, PageId, PageItem } from '../contract';
import { ITEM_KEYS } from '../contract';
import { deathId } from './identity';

/** How a page notes a death that was under way when the sweep settled its record: where its DEAD item is. */
export function sweptDeath({ ordinal, dying }: { readonly ordinal: number; readonly dying: Dying }): string {
  return `${ordinal}@${dying.at}`;
}

/**
 * The DEAD item of a record of a page that the sweep settled: one that was lost, or whose death had been begun before. `undefined` where the sweep cannot have settled it; the item is there only if it did.
 */
export function sweptDeathKey(id: PageId, { lostAt, swept }: PageItem, ordinal: number): ItemKey | undefined {
  const noted = [...(swept ?? [])].find((note) => note.startsWith(`${ordinal}@`));
  const at = noted === undefined ? lostAt : Number(noted.slice(noted.indexOf('@') + 1));
  return at === undefined ? undefined : ITEM_KEYS.dead(id.fanoutId, at, deathId(id, ordinal));
}
