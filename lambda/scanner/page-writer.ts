import type { KeysItem, OpenItem, PageItem } from '../contract';
import { ITEM_KEYS } from '../contract';
import { closeIfComplete } from '../ledger';
import { when } from '../ports';
import { sendMessages } from './batch-sender';
import type { ScannerContext } from './context';
import { expiryOf } from './context';
import { LockLost, TimeIsShort } from './interruptions';
import type { HeldLock } from './lock';
import type { PageDraft } from './page-draft';
import { ensurePage, notNewerThan } from './page-fence';
import type { ClaimedRun } from './run-ledger';
import { settleUnclaimed } from './settlement';
import type { TimeBudget } from './time-budget';

/** Under what a page is written. */
export interface PageWriting {
  readonly context: ScannerContext;
  readonly lock: HeldLock;
  readonly budget: TimeBudget;
  readonly claimed: ClaimedRun;
}

/** What became of a page that SQS accepted. */
export interface WrittenPage {
  readonly page: PageItem;
  /** Records that SQS refused for good. */
  readonly refused: number;
}

/**
 * Brings one page into the queue: writes it down (KEYS, PAGE, OPEN), withdraws what an earlier holder wrote down and did not come again, sends everything, and seals it. A crash anywhere
 * leaves a page that the next holder reads again.
 *
 * @throws LockLost, TimeIsShort, or the error of the table or the queue
 */
export async function writePage(writing: PageWriting, draft: PageDraft): Promise<WrittenPage> {
  const { context, lock } = writing;
  const { id } = draft.position;
  lock.assertHeld();
  await putKeys(writing, draft);
  let page = await ensurePage(context, id, lock.fence);
  if (draft.count > 0) {
    await context.store.put(openRow(context, draft));
  }
  await lock.renew();
  lock.assertWanted();
  const missing = draft.missing();
  if (missing.length > 0) {
    page = await settle(writing, draft, missing, 'withdrawn');
  }
  const refused = await send(writing, draft);
  if (refused.length > 0) {
    page = await settle(writing, draft, refused, 'rejected');
  }
  page = await seal(writing, draft);
  await closeIfComplete(context, id, page);
  return { page, refused: refused.length };
}

async function putKeys({ context, lock }: PageWriting, draft: PageDraft): Promise<void> {
  const { id, before, isReserved } = draft.position;
  const { after } = draft;
  const item: KeysItem = {
    ...ITEM_KEYS.keys(id),
    fence: lock.fence,
    count: draft.count,
    hashes: draft.packedHashes(),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(draft.last && { last: true }),
    rejectedCount: draft.rejectedCount,
    rejected: draft.rejected,
    skippedCount: draft.skippedCount,
    duplicateCount: draft.duplicateCount,
    expiresAt: expiryOf(context),
  };
  if (await context.store.put(item, isReserved ? notNewerThan(lock.fence) : when.newItem)) {
    return;
  }
  const stored = await context.store.get<KeysItem>(item);
  if (stored?.fence !== lock.fence) {
    throw new LockLost('another holder wrote the keys of the page');
  }
  // The reply of the first try was lost: it is this page that is stored.
}

function openRow(context: ScannerContext, { position: { id } }: PageDraft): OpenItem {
  const { runId, jobType, segment, page } = id;
  return { ...ITEM_KEYS.openPage(id), runId, jobType, segment, page, expiresAt: expiryOf(context) };
}

function settle(
  { context, lock }: PageWriting,
  { position }: PageDraft,
  ordinals: readonly number[],
  outcome: 'withdrawn' | 'rejected',
): Promise<PageItem> {
  return settleUnclaimed(context, position.id, { fence: lock.fence, ordinals, outcome });
}

/** Sends the messages of a page; answers the ordinals that SQS refused for good. */
async function send({ context, lock, budget, claimed }: PageWriting, draft: PageDraft): Promise<number[]> {
  const traceHeader = claimed.run.trace?.xray;
  const { runId, jobType } = draft.position.id;
  const logger = context.logger.with({ runId, jobType });
  const refused = await sendMessages(draft.messages, {
    queue: context.queue,
    clock: context.clock,
    randomness: context.randomness,
    logger,
    errors: context.errors,
    ...(traceHeader !== undefined && { traceHeader }),
    guard: () => {
      lock.assertHeld();
      if (budget.isOver) {
        throw new TimeIsShort();
      }
    },
  });
  for (const { message, cause } of refused) {
    logger.warn('SQS refused a record', { key: message.key, cause });
  }
  return refused.map(({ message }) => message.ordinal);
}

/** @throws LockLost */
async function seal({ context, lock }: PageWriting, draft: PageDraft): Promise<PageItem> {
  const key = ITEM_KEYS.page(draft.position.id);
  const result = await context.store.update<PageItem>(
    key,
    {
      set: [
        [['sealed'], draft.count],
        [['sealedAt'], context.clock.now()],
        [['fence'], lock.fence],
      ],
    },
    when.all(when.absent('sealed'), notNewerThan(lock.fence)),
  );
  if (result.applied) {
    return result.item;
  }
  const stored = await context.store.get<PageItem>(key);
  if (stored?.fence === lock.fence && stored.sealed === draft.count) {
    return stored;
  }
  throw new LockLost('another holder sealed the page');
}
