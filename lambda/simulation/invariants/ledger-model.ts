import type { Claim, DeadItem, Envelope, KeysItem, RunItem, SettledOutcome } from '../../contract';
import { SETTLED_OUTCOMES } from '../../contract';
import type { Change } from '../../ports';
import { HASH_BYTES, hashText, keyHash } from '../../ledger';
import type { HandlerCall, Observation } from '../world/observation';
import { observing } from '../world/observation';

/** What is known of a place: an ordinal of a page. */
export interface PlaceState {
  readonly fanoutId: string;
  readonly runId: string;
  readonly jobType: string;
  readonly segment: number;
  readonly page: number;
  readonly ordinal: number;
  /** Key hash as text. */
  readonly hash: string;
  /** When it was first written down, epoch milliseconds. */
  readonly writtenAt: number;
  /** Known once its message was sent. */
  key?: string;
  group?: string;
  /** SQS group of its message. */
  groupId?: string;
  /** Place of its first message in the queue. */
  serial?: number;
  /** When its latest message was stored, epoch milliseconds. */
  queuedAt?: number;
  /** When its outcome was stored, epoch milliseconds. */
  settledAt?: number;
  /** Whether its message is gone and will not come again. */
  isGone?: boolean;
  outcome?: SettledOutcome;
  /** Latest claim that was written. */
  claim?: Claim;
  /** Leases by name of the environment that claimed, epoch milliseconds. */
  readonly leases: Map<string, number>;
  /** Environments that claimed it, one for each claim. */
  readonly claimants: string[];
  /** Calls of its handler, those of redrives apart. */
  readonly calls: HandlerCall[];
  readonly redriveCalls: HandlerCall[];
  /** Attempts that have not come to their handler: what is called before it threw, or took too long. */
  uncalled: HandlerCall[];
  /** By name of the environment, whether its latest claim is on a redrive. */
  readonly redriveClaims: Map<string, boolean>;
}

/** What is known of a run. */
export interface RunState {
  readonly fanoutId: string;
  readonly runId: string;
  item: RunItem;
  /** Since when it is in its state, epoch milliseconds. */
  since: number;
  /** Whether a page of it was brought to rest before the run went on: its records come a second time, those that were claimed as duplicates. */
  isRewound: boolean;
  readonly places: PlaceState[];
}

/** Faults that whoever meets them gets over: a reply that is lost is settled by a read. */
const OVERCOME: ReadonlySet<string> = new Set(['replyLost', 'redelivery']);

/** The ledger as the writes to it tell: kept apart from the code that reads it, so that a mistake there does not hide itself. */
export class LedgerModel {
  readonly runs = new Map<string, RunState>();
  readonly places = new Map<string, PlaceState>();
  /** Deaths whose messages reached the dead-letter queue. */
  readonly buried = new Set<string>();
  /** Deaths that were redriven. */
  readonly redriven = new Set<string>();
  /** When deaths were written down, by deathId, epoch milliseconds: later than they say, where whoever began one ended. */
  readonly deathWrittenAt = new Map<string, number>();
  /** When deaths were marked as redriven, by deathId, epoch milliseconds. */
  readonly redrivenAt = new Map<string, number>();
  /** When redrives had their outcomes, by deathId, epoch milliseconds. */
  readonly redriveEndedAt = new Map<string, number>();
  /** Names of environments that met a fault which may keep them from what they are about. */
  readonly troubled = new Set<string>();
  /** Names of environments that met any fault. */
  readonly disturbed = new Set<string>();
  private readonly byRecord = new Map<string, PlaceState[]>();
  private readonly byKey = new Map<string, PlaceState[]>();
  private readonly hashes = new Map<string, string>();

  /** @param now epoch milliseconds of the world */
  constructor(private readonly now: () => number) {}

  /** Takes note of what happened. */
  readonly observe = observing({
    written: (observation) => {
      this.written(observation);
    },
    queued: ({ fanoutId, envelope, groupId, serial }) => {
      this.queued(fanoutId, envelope, groupId, serial);
    },
    backstopped: ({ envelope }) => {
      const place = envelope === undefined ? undefined : this.placeOfMessage(envelope);
      if (place !== undefined) {
        place.isGone = true;
      }
    },
    buried: ({ envelope }) => {
      this.buried.add(envelope?.deathId ?? '');
    },
    redriven: ({ envelope }) => {
      this.redriven.add(envelope?.deathId ?? '');
    },
    troubled: ({ by, fault }) => {
      this.disturbed.add(by.name);
      if (!OVERCOME.has(fault)) {
        this.troubled.add(by.name);
      }
    },
    attemptStarted: ({ call }) => {
      const place = this.placeOfCall(call);
      if (place?.uncalled.some((other) => isSameAttempt(other, call)) === false) {
        place.uncalled.push(call);
      }
    },
    handlerStarted: ({ call }) => {
      this.called(call);
    },
  });

  /** Places of a record in a run. */
  placesOf(fanoutId: string, runId: string, jobType: string, key: string): readonly PlaceState[] {
    return this.byRecord.get([fanoutId, runId, jobType, this.hashOf(jobType, key)].join('|')) ?? [];
  }

  /** Places of a record in all runs. */
  placesOfKey(fanoutId: string, jobType: string, key: string): readonly PlaceState[] {
    return this.byKey.get([fanoutId, jobType, this.hashOf(jobType, key)].join('|')) ?? [];
  }

  /** The place that a call of a handler is for: the one that was not withdrawn. */
  placeOfCall({ fanoutId, runId, jobType, key }: HandlerCall): PlaceState | undefined {
    const places = this.placesOf(fanoutId, runId, jobType, key);
    return places.find(({ outcome }) => outcome !== 'withdrawn') ?? places[0];
  }

  /** The place that a message names. */
  placeOfMessage({ fanout, run, job, segment, page, ordinal }: Envelope): PlaceState | undefined {
    return this.places.get([fanout, run, job, segment, page, ordinal].join('|'));
  }

  /** The place that a death is of. */
  placeOfDeath(fanoutId: string, { runId, jobType, segment, page, ordinal }: DeadItem): PlaceState | undefined {
    return this.places.get([fanoutId, runId, jobType, segment, page, ordinal].join('|'));
  }

  /** Whether a call is for the redrive of a dead record. */
  isRedrive(call: HandlerCall): boolean {
    return this.placeOfCall(call)?.redriveClaims.get(call.instance.name) === true;
  }

  private called(call: HandlerCall): void {
    const place = this.placeOfCall(call);
    if (place === undefined) {
      return;
    }
    place.uncalled = place.uncalled.filter((other) => !isSameAttempt(other, call));
    (this.isRedrive(call) ? place.redriveCalls : place.calls).push(call);
  }

  private hashOf(jobType: string, key: string): string {
    const name = `${jobType}|${key}`;
    const known = this.hashes.get(name) ?? hashText(keyHash(jobType, key));
    this.hashes.set(name, known);
    return known;
  }

  private written({ key, after, change, by }: Extract<Observation, { type: 'written' }>): void {
    if (after === undefined) {
      return;
    }
    if (key.sk.startsWith('RUN#')) {
      this.runWritten(key.pk, after as unknown as RunItem);
    } else if (key.sk.startsWith('KEYS#')) {
      this.keysWritten(key.pk, Number(key.sk.slice('KEYS#'.length)), after as unknown as KeysItem);
      this.rewound(key.pk, change);
    } else if (key.pk.endsWith('#DEAD')) {
      this.deadWritten(after as unknown as DeadItem, key.pk.slice(0, -'#DEAD'.length), by.name);
    } else if (key.sk === 'PAGE') {
      for (const [[outcome], ordinals] of change?.add ?? []) {
        this.settled(key.pk, outcome, ordinals as ReadonlySet<number>);
      }
      for (const [path, value] of change?.set ?? []) {
        const [name, ordinal] = path;
        if (name === 'claims' && ordinal !== undefined) {
          this.claimed(key.pk, ordinal, value as unknown as Claim, by.name);
        }
      }
    }
  }

  private runWritten(fanoutId: string, item: RunItem): void {
    const name = `${fanoutId}|${item.runId}`;
    const known = this.runs.get(name);
    if (known === undefined) {
      this.runs.set(name, { fanoutId, runId: item.runId, item, since: this.now(), isRewound: false, places: [] });
    } else {
      known.since = known.item.state === item.state ? known.since : this.now();
      known.item = item;
    }
  }

  private keysWritten(pk: string, page: number, { count, hashes }: KeysItem): void {
    const [fanoutId = '', runId = '', jobType = '', segment = ''] = pk.split('#');
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const name = [fanoutId, runId, jobType, Number(segment), page, ordinal].join('|');
      if (!this.places.has(name)) {
        const hash = hashText(hashes.subarray(ordinal * HASH_BYTES, (ordinal + 1) * HASH_BYTES));
        const place: PlaceState = {
          fanoutId,
          runId,
          jobType,
          segment: Number(segment),
          page,
          ordinal,
          hash,
          writtenAt: this.now(),
          leases: new Map(),
          claimants: [],
          calls: [],
          redriveCalls: [],
          uncalled: [],
          redriveClaims: new Map(),
        };
        this.places.set(name, place);
        this.runs.get(`${fanoutId}|${runId}`)?.places.push(place);
        append(this.byRecord, [fanoutId, runId, jobType, hash].join('|'), place);
        append(this.byKey, [fanoutId, jobType, hash].join('|'), place);
      }
    }
  }

  /** The place after a page is taken back: whoever goes on with the run reads its records again. */
  private rewound(pk: string, change: Change | undefined): void {
    const [fanoutId = '', runId = ''] = pk.split('#');
    const run = this.runs.get(`${fanoutId}|${runId}`);
    if (run !== undefined && change?.remove?.some(([name]) => name === 'last') === true) {
      run.isRewound = true;
    }
  }

  private settled(pk: string, outcome: string, ordinals: ReadonlySet<number>): void {
    for (const ordinal of SETTLED_OUTCOMES.includes(outcome as SettledOutcome) ? ordinals : []) {
      const place = this.placeAt(pk, ordinal);
      if (place !== undefined) {
        place.settledAt ??= this.now();
        place.outcome ??= outcome as SettledOutcome;
      }
    }
  }

  private deadWritten(dead: DeadItem, fanoutId: string, by: string): void {
    if (!this.deathWrittenAt.has(dead.deathId)) {
      this.deathWrittenAt.set(dead.deathId, this.now());
    }
    if (dead.state === 'redriven' && !this.redrivenAt.has(dead.deathId)) {
      this.redrivenAt.set(dead.deathId, this.now());
    }
    if (dead.state !== 'dead' && dead.state !== 'redriven' && !this.redriveEndedAt.has(dead.deathId)) {
      this.redriveEndedAt.set(dead.deathId, this.now());
    }
    const place = this.placeOfDeath(fanoutId, dead);
    const { claim } = dead;
    if (place !== undefined && claim?.t !== undefined) {
      place.leases.set(by, claim.u ?? 0);
      place.redriveClaims.set(by, true);
    }
  }

  private claimed(pk: string, ordinal: string, claim: Claim, by: string): void {
    const place = this.placeAt(pk, Number(ordinal));
    if (place === undefined) {
      return;
    }
    if (claim.t !== undefined) {
      place.claimants.push(by);
      place.leases.set(by, claim.u ?? 0);
      place.redriveClaims.set(by, false);
    }
    place.claim = claim;
  }

  /** The place of an ordinal of a PAGE item. */
  placeAt(pk: string, ordinal: number): PlaceState | undefined {
    const [fanoutId, runId, jobType, segment, page] = pk.split('#');
    return this.places.get([fanoutId, runId, jobType, Number(segment), Number(page), ordinal].join('|'));
  }

  private queued(fanoutId: string, envelope: Envelope | undefined, groupId: string, serial: number): void {
    const place = envelope?.fanout === fanoutId ? this.placeOfMessage(envelope) : undefined;
    if (place !== undefined && place.serial === undefined) {
      place.key = envelope?.key ?? '';
      place.group = envelope?.group ?? '';
      place.groupId = groupId;
      place.serial = serial;
    }
  }
}

function isSameAttempt(one: HandlerCall, other: HandlerCall): boolean {
  return one.attempt === other.attempt && one.instance === other.instance;
}

function append<T>(map: Map<string, T[]>, name: string, value: T): void {
  const list = map.get(name);
  if (list === undefined) {
    map.set(name, [value]);
  } else {
    list.push(value);
  }
}
