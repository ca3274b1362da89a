import type { KeysItem, Lane, PageItem } from '../contract';
import { ITEM_KEYS } from '../contract';
import { closeIfComplete } from '../ledger';
import { when } from '../ports';
import type { ScannerContext } from './context';
import { ensurePage, lastKeys, notNewerThan, pageNumberOf, raiseKeys } from './page-fence';
import { settleUnclaimed } from './settlement';

/**
 * Brings a lane of a run that fails to rest: what its unsealed page holds and nobody ever claimed is withdrawn, and the page is sealed. The lane keeps its place: whoever goes on with it
 * begins at that page's cursor before, and only what was withdrawn is new then.
 *
 * @throws LockLost where a newer fence holds the lane
 */
export async function bringToRest(context: ScannerContext, lane: Lane, fence: number): Promise<void> {
  const last = await lastKeys(context, lane);
  if (last === undefined) {
    return;
  }
  const id = { ...lane, page: pageNumberOf(last) };
  if ((await ensurePage(context, id, fence)).sealed !== undefined) {
    return;
  }
  const keys = await raiseKeys(context, id, fence);
  await rewind(context, keys, fence);
  const ordinals = Array.from({ length: keys.count }, (_, ordinal) => ordinal);
  await settleUnclaimed(context.store, id, { fence, ordinals, outcome: 'withdrawn' });
  const sealed = await context.store.update<PageItem>(
    ITEM_KEYS.page(id),
    { set: [[['sealed'], keys.count]] },
    when.all(when.absent('sealed'), notNewerThan(fence)),
  );
  if (sealed.applied) {
    await closeIfComplete(context, id, sealed.item);
  }
}

/** Puts the place after the page back to the one before it. Its refused records are counted when they are read again, so not here. */
async function rewind({ store }: ScannerContext, keys: KeysItem, fence: number): Promise<void> {
  await store.update(
    { pk: keys.pk, sk: keys.sk },
    {
      set: [
        [['rejectedCount'], 0],
        [['rejected'], []],
        [['skippedCount'], 0],
        [['duplicateCount'], 0],
        ...(keys.before === undefined ? [] : [[['after'], keys.before] as const]),
      ],
      remove: keys.before === undefined ? [['after'], ['last']] : [['last']],
    },
    notNewerThan(fence),
  );
}
