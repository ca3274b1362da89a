import type { KeysItem, PageId, PageItem, RejectedRecord } from '../contract';
import { ENVELOPE_VERSION, SQS } from '../contract';
import type { Envelope, JsonValue, TraceContext } from '../contract';
import type { ErrorTexts } from '../job/error-texts';
import type { AnyJob } from '../job/job';
import { SINGLE_GROUP_ID, deduplicationId, encodeEnvelope, groupId, hashText } from '../ledger';
import { hashAt } from './hash-set';
import { jsonProblem } from './json-check';
import type { LaneMemory } from './lane-memory';
import type { KeyedRecord, RefusedRecord } from './record-check';
import { refused } from './record-check';
import type { OutgoingMessage } from './send-order';

/** Ordinals of a page. */
export const MAX_ORDINALS = 1000;
/** Bytes that stay free in a message for what the consumer adds when the record dies. */
const DEATH_BYTES = 16_384;
const MAX_BODY_BYTES = SQS.messageBytes - DEATH_BYTES;
/** Bodies of one page in memory: a page of large records ends early. */
const MAX_PAGE_BYTES = 16 * SQS.messageBytes;
/** Rejected records that KEYS tells one by one. */
const REJECTED_KEPT = 20;

/** A page that was written down before and is read again. */
export interface KnownPage {
  readonly keys: KeysItem;
  readonly page: PageItem;
}

/** Where a page is read, and what is known of it. */
export interface PagePosition {
  readonly id: PageId;
  /** Cursor before the page, as JSON text; `undefined` at the beginning. */
  readonly before: string | undefined;
  readonly known?: KnownPage;
  /** Whether an empty KEYS holds the place. */
  readonly isReserved: boolean;
}

/** Records that were read and checked, with the cursor after them. */
export interface CheckedChunk {
  readonly records: readonly (KeyedRecord | RefusedRecord)[];
  readonly cursor: string;
  readonly last: boolean;
}

/** What all messages of a page have in common. */
export interface MessageForm {
  readonly lanes: 'group' | 'single';
  /** Trace of the run; absent where it is in none. */
  readonly trace?: TraceContext;
  readonly job: AnyJob;
  /** What may be told of errors. */
  readonly errors: ErrorTexts;
}

/** Assembles a page from what the source yields: gives ordinals, and finds what is rejected, skipped and duplicate. */
export class PageDraft {
  readonly messages: OutgoingMessage[] = [];
  readonly rejected: RejectedRecord[] = [];
  /** The same records, as the log may tell them. */
  readonly told: RejectedRecord[] = [];
  rejectedCount = 0;
  skippedCount = 0;
  duplicateCount = 0;
  /** Cursor after the page, as JSON text. */
  after: string | undefined;
  /** Whether the source ends with this page. */
  last = false;
  /** Records read for this page. */
  records = 0;

  private readonly hashes: Uint8Array[] = [];
  private readonly ordinals = new Map<string, number>();
  /** Keys that were withdrawn from this page: a message with their deduplication id may have been sent, and would be dropped. */
  private readonly withdrawn = new Set<string>();
  private readonly came = new Set<number>();
  private bytes = 0;

  constructor(
    readonly position: PagePosition,
    private readonly memory: LaneMemory,
    private readonly form: MessageForm,
  ) {
    this.after = position.before;
    if (position.known !== undefined) {
      this.recall(position.known);
    }
  }

  /** Number of ordinals, the known ones included. */
  get count(): number {
    return this.hashes.length;
  }

  /** Whether the source gave anything for this page, be it only a cursor. */
  get hasMoved(): boolean {
    return this.records > 0 || this.after !== this.position.before;
  }

  /** Whether records that were written down before, and not withdrawn since, have not come again yet. */
  get isBehind(): boolean {
    return this.came.size < this.ordinals.size;
  }

  /** Whether enough is read, by the size of a page or by the bytes of its bodies. A page that is read again has at least the records that it had, also where pages are smaller by now. */
  isFull(pageSize: number): boolean {
    return this.records >= Math.max(pageSize, this.recordsBefore) || this.bytes >= MAX_PAGE_BYTES;
  }

  /** Whether a chunk may still belong to this page; otherwise the next page begins with it. */
  accepts({ records }: CheckedChunk): boolean {
    const keyed = records.filter((record) => record.kind === 'keyed');
    const added = keyed.filter((record) => !this.ordinals.has(record.hashText)).length;
    return this.count + added <= MAX_ORDINALS && !keyed.some((record) => this.withdrawn.has(record.hashText));
  }

  /** Takes a chunk into the page. */
  add({ records, cursor, last }: CheckedChunk): void {
    for (const record of records) {
      this.records += 1;
      if (record.kind === 'keyed') {
        this.place(record);
      } else {
        this.reject(record, record.key);
      }
    }
    this.after = cursor;
    this.last = last;
  }

  /** Recorded ordinals that did not come again and are not settled, in order. */
  missing(): number[] {
    const settled = this.position.known?.page.settled;
    const known = this.position.known?.keys.count ?? 0;
    return Array.from({ length: known }, (_, ordinal) => ordinal).filter(
      (ordinal) => !this.came.has(ordinal) && settled?.has(ordinal) !== true,
    );
  }

  /** Hashes of all ordinals, as KEYS holds them. */
  packedHashes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.hashes));
  }

  /** Remembers the keys of the page for those after it, but for withdrawn ones. */
  remember(withdrawn: ReadonlySet<number> | undefined): void {
    this.hashes.forEach((hash, ordinal) => {
      if (withdrawn?.has(ordinal) !== true) {
        this.memory.seen.add(hash);
      }
    });
  }

  /** Records that the page was made of when it was written down. */
  private get recordsBefore(): number {
    const keys = this.position.known?.keys;
    return keys === undefined ? 0 : keys.count + keys.rejectedCount + keys.skippedCount + keys.duplicateCount;
  }

  private recall({ keys, page }: KnownPage): void {
    for (let ordinal = 0; ordinal < keys.count; ordinal++) {
      const hash = hashAt(keys.hashes, ordinal);
      this.hashes.push(hash);
      if (page.withdrawn?.has(ordinal) === true) {
        this.withdrawn.add(hashText(hash));
      } else {
        this.ordinals.set(hashText(hash), ordinal);
      }
    }
  }

  private place(record: KeyedRecord): void {
    const known = this.ordinals.get(record.hashText);
    if (known === undefined ? this.memory.seen.has(record.hash) : this.came.has(known)) {
      this.duplicateCount += 1;
      return;
    }
    if (known === undefined && this.isBlocked(record)) {
      this.skippedCount += 1;
      return;
    }
    const ordinal = known ?? this.count;
    const message = this.messageOf(record, ordinal);
    if ('cause' in message) {
      this.reject(message, record.key);
      return;
    }
    if (known === undefined) {
      this.hashes.push(record.hash);
      this.ordinals.set(record.hashText, ordinal);
    }
    this.came.add(ordinal);
    if (this.position.known?.page.settled?.has(ordinal) !== true) {
      this.messages.push(message);
      this.bytes += message.bytes;
    }
  }

  private isBlocked({ hash, aliasHashes }: KeyedRecord): boolean {
    const { blocked } = this.memory;
    return blocked.has(hash) || aliasHashes.some((other) => blocked.has(other));
  }

  private messageOf({ key, group, payload }: KeyedRecord, ordinal: number): OutgoingMessage | RefusedRecord {
    const { id } = this.position;
    const { lanes, trace, job, errors } = this.form;
    const { payloadVersion } = job;
    const traceparent = trace?.traceparent;
    const body = bodyOf(
      {
        v: ENVELOPE_VERSION,
        fanout: id.fanoutId,
        job: id.jobType,
        run: id.runId,
        segment: id.segment,
        page: id.page,
        ordinal,
        key,
        group,
        payload: payload as JsonValue,
        ...(payloadVersion !== undefined && { payloadVersion }),
        ...(traceparent !== undefined && { traceparent }),
      },
      (error) => errors.line(error, job),
    );
    if (typeof body !== 'string') {
      return body;
    }
    return {
      ordinal,
      key,
      group,
      body,
      bytes: Buffer.byteLength(body),
      groupId: lanes === 'single' ? SINGLE_GROUP_ID : groupId(id.jobType, group),
      deduplicationId: deduplicationId(id, key),
    };
  }

  private reject({ cause, told = cause }: RefusedRecord, given: string | undefined): void {
    if (this.rejected.length < REJECTED_KEPT) {
      // A record without a usable key is told by its place.
      const key = given ?? `(record ${this.records} of page ${this.position.id.page})`;
      this.rejected.push({ key, cause });
      this.told.push({ key, cause: told });
    }
    this.rejectedCount += 1;
  }
}

function bodyOf(envelope: Envelope, textOf: (error: unknown) => string): string | RefusedRecord {
  try {
    const problem = jsonProblem(envelope.payload);
    if (problem !== undefined) {
      return refused({ cause: `${problem.path}: ${problem.problem}` });
    }
    const body = encodeEnvelope(envelope);
    const bytes = Buffer.byteLength(body);
    return bytes <= MAX_BODY_BYTES
      ? body
      : refused({
          cause: `its message has ${bytes} bytes; allowed: ${MAX_BODY_BYTES} (let queuePayload leave out what load can read again)`,
        });
  } catch (error) {
    return refused({ cause: `it cannot be written as JSON: ${textOf(error)}` });
  }
}
