import type { DeadEnvelope, Envelope, HandlerSignal, ScanSignal } from '../../lambda/contract';
import type { ObservedRecord, RecordEvent } from './handler-order';
import { orderOf } from './handler-order';

/** The begin or the end of a call of a handler. */
export interface HandlerEvent extends HandlerSignal {
  /** Nanoseconds of the machine's monotonic clock. */
  readonly at: number;
  readonly processId: number;
}

/** What of a run is seen while it goes on. */
export interface Counts {
  /** Records that the scan has read, by page that SQS accepted. */
  readonly scanned: number;
  readonly enqueued: number;
  readonly succeeded: number;
  /** Calls of a handler beyond the first of their record. */
  readonly retried: number;
  readonly dead: number;
}

/** The books of a run, as they were seen at the handlers and the queues. */
export interface Observed {
  readonly eligible: number;
  readonly enqueued: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly duplicate: number;
  readonly succeeded: number;
  readonly dead: number;
  /** Taken off the work queue without a success and without a death. */
  readonly setAside: number;
  readonly retried: number;
  readonly handlerCalls: number;
  readonly maxConcurrentHandlers: number;
  /** Calls that began before the record ahead of them in their group was done with, or beside another call of their group. */
  readonly outOfOrder: number;
  /** Calls that began after an earlier call for the same record had succeeded, or beside one. */
  readonly handledTwice: number;
}

/** More than the ordinals of a page, so that page and ordinal make one growing number. */
const ORDINALS = 10_000;

/** What was seen of one run. */
export class RunObservation {
  private readonly pages = { eligible: 0, enqueued: 0, rejected: 0, skipped: 0, duplicate: 0 };
  private readonly records = new Map<string, ObservedRecord>();
  private readonly events: RecordEvent[] = [];
  private readonly called = new Set<string>();
  private readonly succeeded = new Set<string>();
  private readonly sent = new Set<string>();
  private readonly taken = new Set<string>();
  private readonly dead = new Map<string, Envelope & Partial<DeadEnvelope>>();
  /** Calls under way by process. */
  private readonly open = new Map<number, Map<string, ObservedRecord>>();
  private calls = 0;

  /** A page was accepted by SQS. */
  scanned(page: ScanSignal): void {
    for (const name of ['eligible', 'enqueued', 'rejected', 'skipped', 'duplicate'] as const) {
      this.pages[name] += page[name];
    }
  }

  /** A handler began or ended. */
  handled(event: HandlerEvent): void {
    const record = this.record(event.jobType, event.group, event);
    const open = this.open.get(event.processId) ?? new Map<string, ObservedRecord>();
    this.open.set(event.processId, open);
    this.events.push({ at: event.at, kind: event.phase, record });
    if (event.phase === 'start') {
      this.calls++;
      this.called.add(record.id);
      open.set(record.id, record);
      return;
    }
    open.delete(record.id);
    if (event.phase === 'succeeded') {
      this.succeeded.add(record.id);
    }
  }

  /** The calls of a process that is gone are over. */
  processEnded(processId: number, at: number): void {
    for (const record of this.open.get(processId)?.values() ?? []) {
      this.events.push({ at, kind: 'ended', record });
    }
    this.open.delete(processId);
  }

  /** A message was sent to the work queue. */
  enqueued(envelope: Envelope): void {
    this.sent.add(this.recordOf(envelope).id);
  }

  /** A message was deleted from the work queue. */
  acknowledged(envelope: Envelope): void {
    this.taken.add(this.recordOf(envelope).id);
  }

  /** A message reached the dead-letter queue. */
  died(envelope: Envelope & Partial<DeadEnvelope>, at: number): void {
    const record = this.recordOf(envelope);
    this.dead.set(record.id, envelope);
    this.events.push({ at, kind: 'dead', record });
  }

  counts(): Counts {
    return {
      scanned: this.pages.eligible,
      enqueued: this.sent.size,
      succeeded: this.succeeded.size,
      retried: this.calls - this.called.size,
      dead: this.dead.size,
    };
  }

  observed(): Observed {
    let setAside = 0;
    for (const id of this.taken) {
      setAside += this.succeeded.has(id) || this.dead.has(id) ? 0 : 1;
    }
    return {
      ...this.pages,
      enqueued: this.sent.size,
      succeeded: this.succeeded.size,
      dead: this.dead.size,
      setAside,
      retried: this.calls - this.called.size,
      handlerCalls: this.calls,
      ...orderOf(this.events),
    };
  }

  deadRecords(): readonly (Envelope & Partial<DeadEnvelope>)[] {
    return [...this.dead.values()];
  }

  private recordOf(envelope: Envelope): ObservedRecord {
    return this.record(envelope.job, envelope.group, envelope);
  }

  private record(
    jobType: string,
    group: string,
    { segment, page, ordinal }: { readonly segment: number; readonly page: number; readonly ordinal: number },
  ): ObservedRecord {
    const id = `${jobType} ${segment} ${page} ${ordinal}`;
    let record = this.records.get(id);
    if (record === undefined) {
      record = { id, lane: `${jobType} ${group}`, segment, place: page * ORDINALS + ordinal };
      this.records.set(id, record);
    }
    return record;
  }
}
