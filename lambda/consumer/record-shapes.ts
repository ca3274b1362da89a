import type { Claim, DeadItem, ItemKey, PageId, PageItem } from '../contract';
import { ITEM_KEYS, SETTLED_OUTCOMES } from '../contract';
import { claimGuard } from '../ledger/claim-guard';
import type { Attribute, Change, Condition, Path } from '../ports';
import { when } from '../ports';
import type { Slot, SlotWrite } from './slot';

/** A write to one record of an item. */
export interface PlacedWrite {
  /** Which record of the item. */
  readonly place: number;
  readonly write: SlotWrite;
}

/** How an item of the ledger holds records. */
export interface RecordShape<T extends ItemKey> {
  readonly key: ItemKey;
  /** What the item says of a record. */
  slotOf(item: T, place: number): Slot;
  /** Holds exactly while the stored item still says `slot` of an unsettled record. */
  guard(place: number, slot: Slot): Condition;
  /** One change that makes all the writes, each to another place. */
  change(writes: readonly PlacedWrite[]): Change;
}

/** A PAGE item: `place` is the ordinal. */
export function pageShape(id: PageId): RecordShape<PageItem> {
  return {
    key: ITEM_KEYS.page(id),
    slotOf: (item, ordinal) => {
      const claim = item.claims[String(ordinal)];
      const outcome = outcomeIn(item, ordinal);
      return { ...(claim === undefined ? {} : { claim }), ...(outcome === undefined ? {} : { outcome }) };
    },
    guard: (ordinal, slot) =>
      when.all(
        when.present('claims'),
        when.not(when.contains('settled', ordinal)),
        claimGuard(['claims', String(ordinal)], slot.claim),
      ),
    change: pageChange,
  };
}

/** The DEAD item of a record that is redriven; it holds one record, whatever the `place`. */
export function deadShape(key: ItemKey, expiresAt: () => number): RecordShape<DeadItem> {
  return {
    key,
    slotOf: (item) => ({
      ...(item.claim === undefined ? {} : { claim: item.claim }),
      ...(item.state === 'dead' || item.state === 'redriven' ? {} : { outcome: OUTCOME_OF_STATE[item.state] }),
    }),
    // A redrive by the console of SQS sets nothing: `dead` becomes `redriven` with the first write.
    guard: (_, slot) =>
      when.all(
        when.any(when.compare('state', '=', 'dead'), when.compare('state', '=', 'redriven')),
        claimGuard(['claim'], slot.claim),
      ),
    change: (writes) => deadChange(writes, expiresAt()),
  };
}

const OUTCOME_OF_STATE = { succeeded: 'succeeded', obsolete: 'obsolete', purged: 'purged', deadAgain: 'dead' } as const;

function outcomeIn(item: PageItem, ordinal: number): string | undefined {
  if (item.settled?.has(ordinal) !== true) {
    return undefined;
  }
  return SETTLED_OUTCOMES.find((outcome) => item[outcome]?.has(ordinal) === true) ?? 'unknown';
}

function claimAttribute(claim: Claim): Attribute {
  const { d, ...held } = claim;
  return d === undefined ? held : { ...held, d: { ...d } };
}

function pageChange(writes: readonly PlacedWrite[]): Change {
  const set: [Path, Attribute][] = [];
  const remove: Path[] = [];
  const sets = new Map<string, Set<number>>();
  for (const { place, write } of writes) {
    if (write.claim === undefined) {
      remove.push(['claims', String(place)]);
    } else {
      set.push([['claims', String(place)], claimAttribute(write.claim)]);
    }
    for (const name of write.outcome === undefined ? [] : ['settled', write.outcome]) {
      sets.set(name, (sets.get(name) ?? new Set<number>()).add(place));
    }
  }
  return { set, remove, add: [...sets].map(([name, ordinals]) => [[name], ordinals] as const) };
}

function deadChange(writes: readonly PlacedWrite[], expiresAt: number): Change {
  const set: [Path, Attribute][] = [[['expiresAt'], expiresAt]];
  const remove: Path[] = [];
  for (const { write } of writes) {
    set.push([['state'], write.outcome === 'dead' ? 'deadAgain' : (write.outcome ?? 'redriven')]);
    if (write.claim === undefined) {
      remove.push(['claim']);
    } else {
      set.push([['claim'], claimAttribute(write.claim)]);
    }
  }
  return { set, remove };
}
