import type { Claim, PageId, PageItem } from '../contract';
import { ITEM_KEYS, METRIC_OF_OUTCOME } from '../contract';
import type { Condition, Metrics, StateStore } from '../ports';
import { when } from '../ports';
import { LockLost } from './interruptions';

/** Ordinals of one conditional write: its expression has two conditions for each, and DynamoDB bounds it to 4 KB and 300 operators. */
const ORDINALS_PER_WRITE = 25;

/** Where ordinals are settled, and counted. */
export interface SettlementPorts {
  readonly store: StateStore;
  readonly metrics: Metrics;
}

/** Outcomes that the scanner gives. */
export type UnclaimedOutcome = 'withdrawn' | 'rejected' | 'cancelled';

/**
 * Settles ordinals that no handler was ever called for, each only if it is neither claimed nor settled; the others stay as they are.
 *
 * @returns the page as it is afterwards
 * @throws LockLost where a newer fence holds the page
 */
export async function settleUnclaimed(
  ports: SettlementPorts,
  id: PageId,
  options: {
    readonly fence: number;
    readonly ordinals: readonly number[];
    readonly outcome: UnclaimedOutcome;
  },
): Promise<PageItem> {
  const { store } = ports;
  const { fence, ordinals, outcome } = options;
  let page = await currentPage(store, id, fence);
  for (let start = 0; start < ordinals.length; start += ORDINALS_PER_WRITE) {
    const part = ordinals.slice(start, start + ORDINALS_PER_WRITE);
    page = (await settleTogether(ports, id, fence, eligible(page, part), outcome)) ?? page;
    if (eligible(page, part).length > 0) {
      // One of them was claimed meanwhile: the others are settled one by one.
      page = await currentPage(store, id, fence);
      for (const ordinal of eligible(page, part)) {
        page = (await settleTogether(ports, id, fence, [ordinal], outcome)) ?? page;
      }
      page = await currentPage(store, id, fence);
    }
  }
  return page;
}

async function currentPage(store: StateStore, id: PageId, fence: number): Promise<PageItem> {
  const page = await store.get<PageItem>(ITEM_KEYS.page(id));
  if (page === undefined || page.fence > fence) {
    throw new LockLost('a newer fence holds the page');
  }
  return page;
}

function eligible({ claims, settled }: PageItem, ordinals: readonly number[]): number[] {
  const claimed: Readonly<Record<string, Claim | undefined>> = claims;
  return ordinals.filter((ordinal) => claimed[String(ordinal)] === undefined && settled?.has(ordinal) !== true);
}

async function settleTogether(
  { store, metrics }: SettlementPorts,
  id: PageId,
  fence: number,
  ordinals: readonly number[],
  outcome: UnclaimedOutcome,
): Promise<PageItem | undefined> {
  if (ordinals.length === 0) {
    return undefined;
  }
  const set = new Set(ordinals);
  const untouched = ordinals.flatMap((ordinal): Condition[] => [
    when.absent('claims', String(ordinal)),
    when.not(when.contains('settled', ordinal)),
  ]);
  const result = await store.update<PageItem>(
    ITEM_KEYS.page(id),
    {
      add: [
        [['settled'], set],
        [[outcome], set],
      ],
    },
    when.all(when.storedItem, when.compare('fence', '<=', fence), ...untouched),
  );
  if (!result.applied) {
    return undefined;
  }
  // What SQS refused is counted with its page.
  const name = METRIC_OF_OUTCOME[outcome];
  if (name !== undefined) {
    metrics.add(name, ordinals.length);
  }
  return result.item;
}
