import type { KeysItem, Lane, PageId, PageItem } from '../contract';
import { ITEM_KEYS } from '../contract';
import { when } from '../ports';
import type { ScannerContext } from './context';
import { expiryOf } from './context';
import { LockLost } from './interruptions';
import type { PagePosition } from './page-draft';

/** How often a lane is looked at again when another holder changed it meanwhile. */
const MAX_LOOKS = 5;

/** Where a lane goes on, or that it is read to its end. */
export type LaneStart =
  { readonly kind: 'page'; readonly position: PagePosition } | { readonly kind: 'end'; readonly pages: number };

/**
 * Takes over a lane before its source is read: raises the fence of its last page, and holds the place of the next one where that page is sealed, so that a holder before cannot write on.
 *
 * @throws LockLost where a newer fence was here
 */
export async function takeOverLane(context: ScannerContext, lane: Lane, fence: number): Promise<LaneStart> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const last = await lastKeys(context, lane);
    if (last === undefined) {
      if (await reserveKeys(context, { ...lane, page: 0 }, fence, undefined)) {
        return startAt({ ...lane, page: 0 }, undefined);
      }
      continue;
    }
    const id = { ...lane, page: pageNumberOf(last) };
    const page = await ensurePage(context, id, fence);
    if (page.sealed === undefined) {
      const keys = await raiseKeys(context, id, fence);
      const position = { id, before: keys.before, known: { keys, page }, isReserved: true };
      return { kind: 'page', position };
    }
    // Read again: only since the seal KEYS is sure to stay as it is.
    const keys = await context.store.get<KeysItem>(ITEM_KEYS.keys(id));
    if (keys?.last === true) {
      return { kind: 'end', pages: id.page + 1 };
    }
    const next = { ...lane, page: id.page + 1 };
    if (await reserveKeys(context, next, fence, keys?.after)) {
      return startAt(next, keys?.after);
    }
  }
  throw new LockLost('another holder writes pages of this lane');
}

function startAt(id: PageId, before: string | undefined): LaneStart {
  return { kind: 'page', position: { id, before, isReserved: true } };
}

/** The last KEYS of a lane, as it is now. */
export async function lastKeys({ store }: ScannerContext, lane: Lane): Promise<KeysItem | undefined> {
  const range = { prefix: 'KEYS#', descending: true, limit: 1 } as const;
  return (await store.query<KeysItem>(ITEM_KEYS.keysPartition(lane), range))[0];
}

/** Number of the page that KEYS belongs to. */
export function pageNumberOf({ sk }: KeysItem): number {
  return Number(sk.slice('KEYS#'.length));
}

/**
 * The PAGE item under this fence: made where it is absent, its fence raised where it is stored.
 *
 * @throws LockLost where a newer fence holds it
 */
export async function ensurePage(context: ScannerContext, id: PageId, fence: number): Promise<PageItem> {
  const { store } = context;
  const key = ITEM_KEYS.page(id);
  const fresh: PageItem = { ...key, fence, claims: {}, expiresAt: expiryOf(context) };
  if (await store.put(fresh, when.newItem)) {
    return fresh;
  }
  const raised = await store.update<PageItem>(key, { set: [[['fence'], fence]] }, notNewerThan(fence));
  if (raised.applied) {
    return raised.item;
  }
  throw new LockLost('a newer fence holds the page');
}

/** Raises the fence of KEYS, so that an earlier holder cannot write it any more. @throws LockLost */
export async function raiseKeys({ store }: ScannerContext, id: PageId, fence: number): Promise<KeysItem> {
  const raised = await store.update<KeysItem>(ITEM_KEYS.keys(id), { set: [[['fence'], fence]] }, notNewerThan(fence));
  if (raised.applied) {
    return raised.item;
  }
  throw new LockLost('a newer fence holds the keys of the page');
}

function reserveKeys(context: ScannerContext, id: PageId, fence: number, before: string | undefined): Promise<boolean> {
  const empty: KeysItem = {
    ...ITEM_KEYS.keys(id),
    fence,
    count: 0,
    hashes: new Uint8Array(),
    ...(before !== undefined && { before, after: before }),
    rejectedCount: 0,
    rejected: [],
    skippedCount: 0,
    duplicateCount: 0,
    expiresAt: expiryOf(context),
  };
  return context.store.put(empty, when.newItem);
}

/** The item is stored and no newer fence holds it. */
export function notNewerThan(fence: number): ReturnType<typeof when.compare> {
  return when.compare('fence', '<=', fence);
}
