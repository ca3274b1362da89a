import type { KeysItem, Lane, PageItem } from '../contract';
import { ITEM_KEYS } from '../contract';
import { closeIfComplete } from '../ledger';
import { when } from '../ports';
import type { ScannerContext } from './context';
import { countRestingPage } from './page-counts';
import { ensurePage, notNewerThan, takeOverLane } from './page-fence';
import { settleUnclaimed } from './settlement';

/**
 * Brings a lane of a run that fails or is cancelled to rest: no earlier holder can write on, what its unsealed page holds and nobody ever claimed is settled, and the page is sealed. A lane
 * whose records are withdrawn keeps its place: whoever goes on with it begins at that page's cursor before, and only what was withdrawn is new then.
 *
 * @returns number of pages of the lane
 * @throws LockLost where a newer fence holds the lane
 */
export async function bringToRest(
  context: ScannerContext,
  lane: Lane,
  fence: number,
  outcome: 'withdrawn' | 'cancelled',
): Promise<number> {
  const start = await takeOverLane(context, lane, fence);
  if (start.kind === 'end') {
    return start.pages;
  }
  const { id, known } = start.position;
  await ensurePage(context, id, fence);
  if (known !== undefined && outcome === 'withdrawn') {
    await rewind(context, known.keys, fence);
  }
  const count = known?.keys.count ?? 0;
  const ordinals = Array.from({ length: count }, (_, ordinal) => ordinal);
  await settleUnclaimed(context, id, { fence, ordinals, outcome });
  const sealed = await context.store.update<PageItem>(
    ITEM_KEYS.page(id),
    {
      set: [
        [['sealed'], count],
        [['sealedAt'], context.clock.now()],
      ],
    },
    when.all(when.absent('sealed'), notNewerThan(fence)),
  );
  if (sealed.applied) {
    countRestingPage(context.metrics, known?.keys, outcome);
    await closeIfComplete(context, id, sealed.item);
  }
  return id.page + 1;
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
