import type { Claim, DeadItem, Dying, KeysItem, PageId, PageItem } from '../contract';
import { ITEM_KEYS, SQS } from '../contract';
import type { Attribute, Condition, Path } from '../ports';
import { when } from '../ports';
import { claimGuard, heldUntil } from './claim-guard';
import { deathId, HASH_BYTES, unseenKey } from './identity';
import type { Ledger } from './pages';
import { closeIfComplete } from './pages';
import { sweptDeath } from './swept-death';

/** Cause of the death of a record whose message can't come any more. */
export const LOST = 'Lost';

const LOST_MESSAGE = 'no message of it came until the retention of the queue was over';
/** A message that was received at the end of its retention may be held this long by its receiver. */
const LAST_RECEIVE_MS = SQS.visibilitySeconds * 1000;
/** Ordinals of one conditional write; DynamoDB bounds its expression to 4 KB and 300 operators. */
const ORDINALS_PER_WRITE = 15;

/** What a sweep goes by. */
export interface SweepOptions {
  /** Retention of the work queue, in seconds. */
  readonly queueRetention: number;
  /** Seconds that dead records stay in the ledger. */
  readonly ledgerRetention: number;
  /** Most ordinals to settle: the rest is the next sweep's. */
  readonly limit: number;
}

/**
 * When no message of a page can be in the work queue any more, epoch milliseconds: its seal, the retention of the queue, and 12 h, the longest that a receiver keeps a message. `undefined`
 * while it is not sealed.
 */
export function pageDeadline({ sealedAt }: PageItem, queueRetention: number): number | undefined {
  return sealedAt === undefined ? undefined : sealedAt + queueRetention * 1000 + LAST_RECEIVE_MS;
}

/**
 * Settles what no code will settle any more: ordinals of a page that is past its deadline die as `Lost`. In the order of every death, so that a message that turns up in between goes on with
 * it: the claim becomes dying, the DEAD item is written, the ordinal is settled. There is no dead message: nobody has the record. A message that turns up later (the queue had moved it to the
 * dead-letter queue by itself) is taken as this death's redrive, also where a consumer had begun the death and did not come to its end. Records that a handler holds are left alone.
 *
 * @returns number of ordinals that were settled
 */
export async function sweepPage(ledger: Ledger, id: PageId, page: PageItem, options: SweepOptions): Promise<number> {
  const at = page.lostAt ?? pageDeadline(page, options.queueRetention);
  const now = ledger.clock.now();
  if (at === undefined || now <= at) {
    return 0;
  }
  const doomed = unsettled(page)
    .filter((ordinal) => heldUntil(claimOf(page, ordinal), now) === undefined)
    .slice(0, options.limit);
  const keys = await ledger.store.get<KeysItem>(ITEM_KEYS.keys(id));
  let swept = 0;
  for (let first = 0; first < doomed.length; first += ORDINALS_PER_WRITE) {
    const part = doomed.slice(first, first + ORDINALS_PER_WRITE);
    swept += (await sweepTogether({ ledger, id, keys, at, options }, page, part)) ?? 0;
  }
  const after = await ledger.store.get<PageItem>(ITEM_KEYS.page(id));
  if (after !== undefined) {
    await closeIfComplete(ledger, id, after);
  }
  return swept;
}

interface Sweep {
  readonly ledger: Ledger;
  readonly id: PageId;
  readonly keys: KeysItem | undefined;
  readonly at: number;
  readonly options: SweepOptions;
}

interface Doomed {
  readonly ordinal: number;
  readonly claim: Claim;
  readonly dying: Dying;
}

/** `undefined` where somebody else changed one of the ordinals: the next sweep sees what is left. */
async function sweepTogether(sweep: Sweep, page: PageItem, ordinals: readonly number[]): Promise<number | undefined> {
  const { store } = sweep.ledger;
  const key = ITEM_KEYS.page(sweep.id);
  const doomed = ordinals.map((ordinal) => doom(sweep, page, ordinal));
  const begun = await store.update<PageItem>(
    key,
    { set: [[['lostAt'], sweep.at], ...doomed.map(dyingClaim)] },
    when.all(
      when.storedItem,
      when.any(when.absent('lostAt'), when.compare('lostAt', '=', sweep.at)),
      ...doomed.map(({ ordinal }) => unsettledAs(ordinal, claimOf(page, ordinal))),
    ),
  );
  if (!begun.applied) {
    return undefined;
  }
  await Promise.all(doomed.map((one) => store.put({ ...deadItem(sweep, one) }, when.newItem)));
  const settled = new Set(ordinals);
  const begunBefore = doomed.filter(({ dying }) => dying.cause !== LOST);
  const ended = await store.update<PageItem>(
    key,
    {
      add: [
        [['settled'], settled],
        [['dead'], settled],
        ...(begunBefore.length === 0 ? [] : [[['swept'], new Set(begunBefore.map(sweptDeath))] as const]),
      ],
      remove: ordinals.map((ordinal): Path => ['claims', String(ordinal)]),
    },
    when.all(...doomed.map(({ ordinal, claim }) => unsettledAs(ordinal, claim))),
  );
  return ended.applied ? ordinals.length : undefined;
}

/** A death that is written down already is carried on as it is. */
function doom({ id, at }: Sweep, page: PageItem, ordinal: number): Doomed {
  const claim = claimOf(page, ordinal);
  const dying = claim?.d ?? { at, cause: LOST, deathId: deathId(id, ordinal) };
  const { a = 0, f = at, e = `${LOST}: ${LOST_MESSAGE}` } = claim ?? {};
  return { ordinal, dying, claim: { a, f, e, d: dying } };
}

function dyingClaim({ ordinal, claim, dying }: Doomed): [Path, Attribute] {
  const { a, f, e = '' } = claim;
  return [['claims', String(ordinal)], { a, f, e, d: { ...dying } }];
}

function unsettledAs(ordinal: number, claim: Claim | undefined): Condition {
  return when.all(when.not(when.contains('settled', ordinal)), claimGuard(['claims', String(ordinal)], claim));
}

function deadItem({ ledger, id, keys, options }: Sweep, { ordinal, claim, dying }: Doomed): DeadItem {
  const { fanoutId, clock } = ledger;
  const { runId, jobType, segment, page } = id;
  const at = ordinal * HASH_BYTES;
  const hash = keys?.hashes.slice(at, at + HASH_BYTES) ?? new Uint8Array(HASH_BYTES);
  const isLost = dying.cause === LOST;
  return {
    ...ITEM_KEYS.dead(fanoutId, dying.at, dying.deathId),
    ...{ deathId: dying.deathId, runId, jobType, segment, page, ordinal },
    // KEYS has the hash alone.
    key: unseenKey(hash),
    group: '',
    hash,
    cause: dying.cause,
    errorName: isLost ? LOST : 'Unknown',
    errorMessage:
      isLost && claim.a === 0 ? LOST_MESSAGE : `${LOST_MESSAGE}; its last error was ${claim.e ?? 'unknown'}`,
    attempts: claim.a,
    ...(claim.a > 0 && { firstReceivedAt: claim.f }),
    diedAt: dying.at,
    state: 'dead',
    expiresAt: Math.ceil(clock.now() / 1000) + options.ledgerRetention,
  };
}

function claimOf({ claims }: PageItem, ordinal: number): Claim | undefined {
  return claims[String(ordinal)];
}

function unsettled({ sealed = 0, settled }: PageItem): number[] {
  return Array.from({ length: sealed }, (_, ordinal) => ordinal).filter((ordinal) => settled?.has(ordinal) !== true);
}
