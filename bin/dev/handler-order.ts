/** Something that happened to a record, for putting calls and deaths in order. */
export interface RecordEvent {
  readonly at: number;
  /** `ended`: the handler returned, threw, or its process went away. `dead`: the record reached the dead-letter queue. */
  readonly kind: 'start' | 'succeeded' | 'failed' | 'ended' | 'dead';
  readonly record: ObservedRecord;
}

/** A record of a run. */
export interface ObservedRecord {
  readonly id: string;
  /** What is handled one at a time: job and group. */
  readonly lane: string;
  /** Within the lane, what the order holds for: the segment. */
  readonly segment: number;
  /** Place within the segment; grows. */
  readonly place: number;
}

/** What the order of handler calls shows. */
export interface HandlerOrder {
  readonly maxConcurrentHandlers: number;
  readonly outOfOrder: number;
  readonly handledTwice: number;
}

interface Lane {
  running: number;
  /** Newest record that was called, by segment. */
  readonly newest: Map<number, ObservedRecord>;
}

interface RecordState {
  running: number;
  succeeded: boolean;
  dead: boolean;
}

/**
 * Replays the calls of a run in the order in which they happened. Events of several processes arrive mixed up; their times come from the clock that all
 * processes of the machine share.
 */
export function orderOf(events: readonly RecordEvent[]): HandlerOrder {
  const replay = new Replay();
  for (const event of [...events].sort((a, b) => a.at - b.at)) {
    replay.take(event);
  }
  return replay.result();
}

class Replay {
  private readonly lanes = new Map<string, Lane>();
  private readonly states = new Map<string, RecordState>();
  private running = 0;
  private maxConcurrentHandlers = 0;
  private outOfOrder = 0;
  private handledTwice = 0;

  take({ kind, record }: RecordEvent): void {
    const lane = entry(this.lanes, record.lane, () => ({ running: 0, newest: new Map<number, ObservedRecord>() }));
    const state = this.stateOf(record);
    if (kind === 'start') {
      this.start(record, lane, state);
    } else if (kind === 'dead') {
      state.dead = true;
    } else {
      this.running--;
      lane.running--;
      state.running--;
      state.succeeded ||= kind === 'succeeded';
    }
  }

  result(): HandlerOrder {
    const { maxConcurrentHandlers, outOfOrder, handledTwice } = this;
    return { maxConcurrentHandlers, outOfOrder, handledTwice };
  }

  private start(record: ObservedRecord, lane: Lane, state: RecordState): void {
    this.handledTwice += state.succeeded || state.running > 0 ? 1 : 0;
    this.outOfOrder += lane.running > 0 || !this.isNext(record, lane) ? 1 : 0;
    this.running++;
    lane.running++;
    state.running++;
    this.maxConcurrentHandlers = Math.max(this.maxConcurrentHandlers, this.running);
    const newest = lane.newest.get(record.segment);
    if (newest === undefined || newest.place < record.place) {
      lane.newest.set(record.segment, record);
    }
  }

  /** Whether the record ahead of this one in its lane is done with. */
  private isNext(record: ObservedRecord, { newest }: Lane): boolean {
    const ahead = newest.get(record.segment);
    if (ahead === undefined || ahead === record) {
      return true;
    }
    const state = this.stateOf(ahead);
    return ahead.place < record.place && (state.succeeded || state.dead);
  }

  private stateOf(record: ObservedRecord): RecordState {
    return entry(this.states, record.id, () => ({ running: 0, succeeded: false, dead: false }));
  }
}

function entry<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
