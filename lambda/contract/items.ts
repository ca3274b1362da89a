import type { JsonObject, JsonValue } from './json';
import type { RunTotals } from './outcome';
import type { TraceContext } from './trace';

/*
 * Layout of the state table (public contract; docs/state-table.md explains it). One table, string keys `pk` and `sk`, TTL
 * attribute `expiresAt` in seconds. All other times are epoch milliseconds. Partition keys begin with the fanoutId and `#`, so that IAM
 * can limit a fanout to its own keys; identifiers in keys never contain `#`.
 */

/** Names of the table's attributes that AWS must know. */
export const TABLE = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'expiresAt' } as const;

/** Primary key of an item. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** One slice of a run: a job, and a segment of its source. */
export interface Lane {
  readonly fanoutId: string;
  readonly runId: string;
  readonly jobType: string;
  readonly segment: number;
}

/** Identifies a page. */
export interface PageId extends Lane {
  readonly page: number;
}

const PAGE_DIGITS = 6;
const SEGMENT_DIGITS = 3;
const TIME_DIGITS = 15;
const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');
const laneKey = (lane: Lane): string => `${lane.runId}#${lane.jobType}#${padded(lane.segment, SEGMENT_DIGITS)}`;

/** Keys of every item; the only place that knows how they are spelled. */
export const ITEM_KEYS = {
  lock: (fanoutId: string): ItemKey => ({ pk: fanoutId, sk: 'LOCK' }),
  flags: (fanoutId: string): ItemKey => ({ pk: fanoutId, sk: 'FLAGS' }),
  run: (fanoutId: string, runId: string): ItemKey => ({ pk: fanoutId, sk: `RUN#${runId}` }),
  keys: (id: PageId): ItemKey => ({
    pk: `${id.fanoutId}#${laneKey(id)}`,
    sk: `KEYS#${padded(id.page, PAGE_DIGITS)}`,
  }),
  /** All KEYS items of a lane share this partition, in page order. */
  keysPartition: (lane: Lane): string => `${lane.fanoutId}#${laneKey(lane)}`,
  page: (id: PageId): ItemKey => ({
    pk: `${id.fanoutId}#${laneKey(id)}#${padded(id.page, PAGE_DIGITS)}`,
    sk: 'PAGE',
  }),
  openPartition: (fanoutId: string): string => `${fanoutId}#OPEN`,
  openPage: (id: PageId): ItemKey => ({
    pk: `${id.fanoutId}#OPEN`,
    sk: `${laneKey(id)}#${padded(id.page, PAGE_DIGITS)}`,
  }),
  openRun: (fanoutId: string, runId: string): ItemKey => ({ pk: `${fanoutId}#OPEN`, sk: runId }),
  /** No runId has a `~`; these rows come behind all others. */
  openRedrive: (fanoutId: string, deathId: string): ItemKey => ({ pk: `${fanoutId}#OPEN`, sk: `~redrive#${deathId}` }),
  /** Prefix of the sort keys of all open pages of a run; the run's own row does not match. */
  openPagesOfRun: (runId: string): string => `${runId}#`,
  deadPartition: (fanoutId: string): string => `${fanoutId}#DEAD`,
  dead: (fanoutId: string, diedAt: number, deathId: string): ItemKey => ({
    pk: `${fanoutId}#DEAD`,
    sk: `${padded(diedAt, TIME_DIGITS)}#${deathId}`,
  }),
  /** Sort key from which on deaths happened at `since` or later. */
  deadSince: (since: number): string => padded(Math.max(0, since), TIME_DIGITS),
} as const;

/** The orchestration lock. No TTL: its fence must not restart. */
export interface LockItem extends ItemKey {
  /** Of the acquisition that holds the lock; absent when it is free. */
  readonly token?: string;
  /** Grows with every acquisition. */
  readonly fence: number;
  readonly leaseUntil: number;
  /** The run that the holder scans; without a holder, one that is not finished: its scan, or (`overlapUntil: 'completed'`) its records. */
  readonly runId?: string;
  /** Newest tick that waits for that run (`queueOne`, `cancelRunning`). Whoever ends the run in the lock, or takes the lock over when it is over, goes on with it. */
  readonly waiting?: WaitingTick;
}

/** A tick that waits for the holder of the lock. */
export interface WaitingTick {
  readonly runId: string;
  /** As it is written down in its run. */
  readonly tick: JsonObject;
  /** The run that it cancelled (`cancelRunning`). */
  readonly cancels?: string;
}

/**
 * State of a run; {@link RUN_TRANSITIONS} is what may follow what, and `moveRun` in `lambda/ledger/run-state.ts` is the one function that changes it.
 *
 * - `scanning`: where a run starts, and where `resume` leads a failed one back to.
 * - `scanned`: SQS has accepted every page. `completed`: and every record is settled.
 * - `failed`: the source cannot be read, and the pages are at rest ({@link RunItem.rest}).
 * - `cancelled`: a later tick took its place. The fence's holder, or whoever takes over from it, brings the pages to rest; those of a scanned run are.
 * - `skipped`: the tick was refused.
 *
 * A `failed` or `cancelled` run keeps its state when its last record is settled, and gets `completedAt` and `totals` like a completed one.
 */
export type RunState = 'scanning' | 'scanned' | 'completed' | 'skipped' | 'failed' | 'cancelled';

/** States that may follow a state; a state that follows itself is a change of the run within it. */
export const RUN_TRANSITIONS: Readonly<Record<RunState, readonly RunState[]>> = {
  scanning: ['scanning', 'scanned', 'failed', 'cancelled'],
  scanned: ['completed', 'cancelled'],
  completed: [],
  skipped: [],
  failed: ['failed', 'scanning'],
  cancelled: ['cancelled'],
};

/** One run. */
export interface RunItem extends ItemKey {
  readonly runId: string;
  readonly state: RunState;
  readonly fence: number;
  /** The tick or trigger that started it. */
  readonly tick: JsonObject;
  readonly params?: JsonObject;
  /** Lane rule, frozen when the run starts. */
  readonly lanes: 'group' | 'single';
  /** Job types that it was begun with, and those that deployments have added since: the lanes of one that a deployment removes are brought to rest. */
  readonly jobs?: readonly string[];
  /** Segments of the sources, by jobType, frozen when the run starts; a job that is absent has one. */
  readonly segments?: Readonly<Record<string, number>>;
  /** The trace of the invocation that started it; every message of the run carries it. */
  readonly trace?: TraceContext;
  readonly startedAt: number;
  readonly scannedAt?: number;
  readonly completedAt?: number;
  /** Number of pages by `job#segment`; present once the segment is read to its end. */
  readonly pages: Readonly<Record<string, number>>;
  /** Number of pages of the segments that were not read to their end, likewise; present once the pages of a failed or cancelled run are at rest. */
  readonly rest?: Readonly<Record<string, number>>;
  /** How often another invocation had to take the run over from a holder that ended without handing over. */
  readonly takeovers?: number;
  /** Present once every record is settled. */
  readonly totals?: RunTotals;
  /** Why it failed, or was cancelled or skipped. */
  readonly cause?: string;
  readonly expiresAt: number;
}

/** A record that was rejected before it was enqueued. */
export interface RejectedRecord {
  readonly key: string;
  readonly cause: string;
}

/** The keys of a page, written before its first send. */
export interface KeysItem extends ItemKey {
  readonly fence: number;
  /** Ordinals of the page: records that are sent. */
  readonly count: number;
  /** 8 bytes for each ordinal, in order. */
  readonly hashes: Uint8Array;
  /** Cursors, as JSON text; absent: the beginning. */
  readonly before?: string;
  readonly after?: string;
  /** Whether the source ended with this page. */
  readonly last?: boolean;
  /** Records refused before sending; `rejected` holds at most the first 20 of them. */
  readonly rejectedCount: number;
  readonly rejected: readonly RejectedRecord[];
  readonly skippedCount: number;
  readonly duplicateCount: number;
  readonly expiresAt: number;
}

/** A handler's hold on an ordinal. Names are short because a page holds many. */
export interface Claim {
  /** Token of the claim; absent once the attempt failed. */
  readonly t?: string;
  /** Attempts, this one included. */
  readonly a: number;
  /** Lease, epoch milliseconds; absent or 0: none. */
  readonly u?: number;
  /** When the ordinal was first claimed, epoch milliseconds. */
  readonly f: number;
  /** Last error, cut to 100 bytes. */
  readonly e?: string;
  /** Present once the record is dying: whoever receives it goes on with its death and never calls the handler. */
  readonly d?: Dying;
}

/** A death that was decided and is being carried out. */
export interface Dying {
  readonly at: number;
  readonly cause: string;
  readonly deathId: string;
}

/** What became of the ordinals of a page. Outcome sets are named after the outcomes. */
export interface PageItem extends ItemKey {
  readonly fence: number;
  /** Number of ordinals, once SQS accepted them all. */
  readonly sealed?: number;
  /** When it was sealed. Its deadline counts from here. */
  readonly sealedAt?: number;
  /** The deadline that had passed when ordinals of it were settled as `Lost`; their deaths have this time. */
  readonly lostAt?: number;
  /** `ordinal@time` of deaths that were under way when the sweep settled their records, epoch milliseconds; absent: none. */
  readonly swept?: ReadonlySet<string>;
  readonly closed?: boolean;
  /** Settled ordinals, whatever the outcome. */
  readonly settled?: ReadonlySet<number>;
  readonly succeeded?: ReadonlySet<number>;
  readonly dead?: ReadonlySet<number>;
  readonly cancelled?: ReadonlySet<number>;
  readonly expired?: ReadonlySet<number>;
  readonly obsolete?: ReadonlySet<number>;
  readonly withdrawn?: ReadonlySet<number>;
  readonly rejected?: ReadonlySet<number>;
  readonly skipped?: ReadonlySet<number>;
  /** By ordinal, in decimal; an ordinal that is settled has none. */
  readonly claims: Readonly<Record<string, Claim>>;
  readonly expiresAt: number;
}

/** Thin index row of an open page (with `page`), of a death that is redriven (with `deathId`), or of a run that is not yet notified (with neither). */
export interface OpenItem extends ItemKey {
  readonly runId: string;
  readonly jobType?: string;
  readonly segment?: number;
  readonly page?: number;
  readonly deathId?: string;
  /** With `deathId`: where its DEAD item is. */
  readonly diedAt?: number;
  readonly expiresAt: number;
}

/** A dead record. */
export interface DeadItem extends ItemKey {
  readonly deathId: string;
  readonly runId: string;
  readonly jobType: string;
  readonly segment: number;
  readonly page: number;
  readonly ordinal: number;
  /** `hash:` and {@link hash} in hexadecimal where its message was not seen (the sweep settled it); `group` is empty then. */
  readonly key: string;
  /** The 8 bytes that KEYS holds of the key. */
  readonly hash: Uint8Array;
  readonly group: string;
  readonly cause: string;
  readonly errorName: string;
  readonly errorMessage: string;
  /** Cut to 2 KiB; absent where the thrown value had none. */
  readonly errorStack?: string;
  readonly attempts: number;
  /** When its message was first received; absent where it never was. */
  readonly firstReceivedAt?: number;
  readonly diedAt: number;
  /** `redriven` counts as in flight until its outcome is stored. `deadAgain`: its redrive died in turn, under the next deathId. */
  readonly state: 'dead' | 'redriven' | 'succeeded' | 'obsolete' | 'deadAgain' | 'purged';
  /** Claim of the redrive. */
  readonly claim?: Claim;
  readonly expiresAt: number;
}

/** The body of a cursor as it is stored. */
export type StoredCursor = JsonValue;
