import type { DeadItem, ItemKey, KeysItem, Lane, OpenItem, PageItem } from '../contract';
import { ITEM_KEYS, jobConfiguration } from '../contract';
import { findJob, namesOf } from '../job/registry';
import { isRedriveRow, pageOfRow, redrivesInFlight } from '../ledger';
import type { ScannerContext } from './context';
import { HashSet, hashAt } from './hash-set';

/** Items that one step of loading holds in memory. */
const STEP = 50;
const MS_PER_SECOND = 1000;

/** What a scan knows of keys, in a few bytes each. */
export interface LaneMemory {
  /** Keys of earlier pages of this lane: another record with one is a `duplicate`. Withdrawn ones are forgotten. */
  readonly seen: HashSet;
  /** Keys that are in flight from other runs, or in quarantine: a record with one is `skipped`. */
  readonly blocked: HashSet;
}

/**
 * Loads what a scan must know before it reads on. The order counts: a record that dies meanwhile is either still in an open page or already among the dead.
 *
 * @param pages number of pages of this lane that are sealed
 */
export async function loadMemory(context: ScannerContext, lane: Lane, pages: number): Promise<LaneMemory> {
  const seen = await loadSeen(context, lane, pages);
  const blocked = new HashSet();
  const job = findJob(context.registry, lane.jobType);
  // A record that is in flight under another name of its job is in flight.
  const names = new Set(job === undefined ? [lane.jobType] : namesOf(job));
  const { deduplication, quarantine } = jobConfiguration(context.configuration, job?.jobType ?? lane.jobType);
  if (deduplication === 'whileInFlight') {
    await addInFlight(context, lane.runId, names, blocked);
  }
  if (quarantine > 0) {
    await addQuarantined(context, names, { seconds: quarantine, redriven: deduplication === 'whileInFlight' }, blocked);
  }
  return { seen, blocked };
}

async function loadSeen({ store }: ScannerContext, lane: Lane, pages: number): Promise<HashSet> {
  const seen = new HashSet();
  for (let from = 0; from < pages; from += STEP) {
    const range = Array.from({ length: Math.min(STEP, pages - from) }, (_, place) => ({ ...lane, page: from + place }));
    const items = byKey(await store.getMany<PageItem>(range.map(ITEM_KEYS.page)));
    for (const keys of await store.getMany<KeysItem>(range.map(ITEM_KEYS.keys))) {
      const page = items.get(pageKeyOf(lane, keys));
      addOrdinals(keys, page?.withdrawn, seen);
    }
  }
  return seen;
}

/** Key of the PAGE that belongs to a KEYS item of a lane. */
function pageKeyOf(lane: Lane, keys: ItemKey): string {
  return textOf(ITEM_KEYS.page({ ...lane, page: Number(keys.sk.slice(keys.sk.indexOf('#') + 1)) }));
}

async function addInFlight(
  context: ScannerContext,
  ownRun: string,
  names: ReadonlySet<string>,
  blocked: HashSet,
): Promise<void> {
  const { store, fanoutId } = context;
  const rows = await store.query<OpenItem>(ITEM_KEYS.openPartition(fanoutId));
  const redrives = rows.filter(isRedriveRow).filter(({ jobType = '' }) => names.has(jobType));
  for (const { hash } of await redrivesInFlight(context, redrives)) {
    blocked.add(hash);
  }
  const others = rows.filter(
    ({ page, runId, jobType = '' }) => page !== undefined && runId !== ownRun && names.has(jobType),
  );
  for (let from = 0; from < others.length; from += STEP) {
    const ids = others.slice(from, from + STEP).map((row) => pageOfRow(fanoutId, row));
    const pages = byKey(await store.getMany<PageItem>(ids.map(ITEM_KEYS.page)));
    const keys = byKey(await store.getMany<KeysItem>(ids.map(ITEM_KEYS.keys)));
    for (const id of ids) {
      const page = pages.get(textOf(ITEM_KEYS.page(id)));
      const written = keys.get(textOf(ITEM_KEYS.keys(id)));
      if (page === undefined || page.closed === true) {
        await store.delete(ITEM_KEYS.openPage(id));
      } else if (written !== undefined) {
        addOrdinals(written, page.settled, blocked);
      }
    }
  }
}

/** Adds the hashes of a page's ordinals, but for those that are settled in a way that counts. */
function addOrdinals({ count, hashes }: KeysItem, except: ReadonlySet<number> | undefined, set: HashSet): void {
  for (let ordinal = 0; ordinal < count; ordinal++) {
    if (except?.has(ordinal) !== true) {
      set.add(hashAt(hashes, ordinal));
    }
  }
}

async function addQuarantined(
  { store, clock, fanoutId }: ScannerContext,
  names: ReadonlySet<string>,
  { seconds, redriven }: { seconds: number; redriven: boolean },
  blocked: HashSet,
): Promise<void> {
  let from = ITEM_KEYS.deadSince(clock.now() - seconds * MS_PER_SECOND);
  for (;;) {
    const dead = await store.query<DeadItem>(ITEM_KEYS.deadPartition(fanoutId), { from, limit: STEP });
    for (const { jobType, state, hash } of dead) {
      if (names.has(jobType) && (state === 'dead' || (state === 'redriven' && redriven))) {
        blocked.add(hash);
      }
    }
    const last = dead.at(-1);
    if (last === undefined || dead.length < STEP) {
      return;
    }
    // The next sort key after the last one: a range is inclusive.
    from = `${last.sk}\u0000`;
  }
}

function byKey<T extends ItemKey>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [textOf(item), item]));
}

function textOf({ pk, sk }: ItemKey): string {
  return `${pk}\n${sk}`;
}
