import type { Envelope } from '../../contract';
import type { HandlerCall } from '../world/observation';
import { observing } from '../world/observation';
import { envelopeOf } from '../world/queue-observer';
import type { Invariant, InvariantRule, Watched } from './invariant';
import type { PlaceState } from './ledger-model';

/** A message of a lane that may still be delivered. */
interface LiveMessage {
  readonly place: PlaceState;
  isGone: boolean;
}

/** The messages of an SQS group in the order of the queue, of all runs, and how many at its head nobody waits for any more. */
interface LaneState {
  readonly messages: LiveMessage[];
  head: number;
  /** The latest record by run, job, segment and logical group, with its place in the source: a lane may hold several groups. */
  readonly latest: Map<string, { readonly index: number; readonly place: PlaceState }>;
}

/**
 * 3. In a group, no handler starts before all that lies before its message in the queue is settled; messages of a group are sent in the order of the source.
 *
 * What counts is where the messages lie, not where a record first was: one whose message is lost comes behind those that were sent meanwhile when its page is read again.
 */
export const order: InvariantRule = {
  name: 'order',
  watch: (watched): Invariant => {
    const lanes = new Map<string, LaneState>();
    const indexes = recordIndexes(watched);
    return {
      observe: observing({
        queued: ({ envelope, serial }) => {
          const place =
            envelope === undefined || envelope.deathId !== undefined
              ? undefined
              : watched.ledger.placeOfMessage(envelope);
          if (place !== undefined) {
            laneOf(lanes, place).messages.push({ place, isGone: false });
          }
          if (place?.serial === serial) {
            sentFirst(watched, laneOf(lanes, place), place, indexes);
          }
        },
        backstopped: ({ envelope }) => {
          const place = envelope === undefined ? undefined : watched.ledger.placeOfMessage(envelope);
          if (place !== undefined && envelope?.deathId === undefined) {
            lost(laneOf(lanes, place), place);
          }
        },
        sending: ({ by, entries }) => {
          const groups = entries.map(({ body }) => groupOf(envelopeOf(body)));
          const twice = groups.find((group, place) => group !== undefined && groups.indexOf(group) !== place);
          if (twice !== undefined) {
            watched.violated(`${by.name} sends two messages of group ${twice} in one batch`);
          }
        },
        handlerStarted: ({ call }) => {
          started(watched, lanes, call);
        },
      }),
    };
  },
};

function groupOf(envelope: Envelope | undefined): string | undefined {
  return envelope === undefined ? undefined : [envelope.job, envelope.run, envelope.group].join('|');
}

function laneOf(lanes: Map<string, LaneState>, { fanoutId, groupId }: PlaceState): LaneState {
  const name = [fanoutId, groupId].join('|');
  const lane = lanes.get(name) ?? { messages: [], head: 0, latest: new Map() };
  lanes.set(name, lane);
  return lane;
}

/** The first message of a record is sent. */
function sentFirst(
  { violated }: Watched,
  lane: LaneState,
  place: PlaceState,
  indexes: ReadonlyMap<string, number>,
): void {
  const index = indexes.get([place.fanoutId, place.jobType, place.key].join('|'));
  if (index !== undefined) {
    const group = place.group ?? '';
    const name = [place.runId, place.jobType, place.segment, group].join('|');
    const before = lane.latest.get(name);
    // One that was skipped when its page was written down, and is not when it is read again, comes behind the others of its page.
    if (before !== undefined && index < before.index && isWrittenBefore(place, before.place)) {
      violated(
        `${place.key ?? ''} of group ${group} is sent after a record that follows it in the source of run ${place.runId}`,
      );
    }
    lane.latest.set(name, { index, place });
  }
}

function isWrittenBefore(left: PlaceState, right: PlaceState): boolean {
  return left.page < right.page || (left.page === right.page && left.ordinal < right.ordinal);
}

/** The oldest message of a record grew too old, or was received too often. */
function lost({ messages, head }: LaneState, place: PlaceState): void {
  const message = messages.slice(head).find((one) => one.place === place && !one.isGone);
  if (message !== undefined) {
    message.isGone = true;
  }
}

function started({ ledger, violated }: Watched, lanes: Map<string, LaneState>, call: HandlerCall): void {
  const place = ledger.placeOfCall(call);
  if (place?.serial === undefined || place.outcome !== undefined || ledger.isRedrive(call)) {
    return;
  }
  const lane = laneOf(lanes, place);
  while (isOver(lane.messages[lane.head])) {
    lane.head += 1;
  }
  const head = lane.messages[lane.head]?.place;
  // Its message may have been lost since it was received.
  const isInQueue = lane.messages.slice(lane.head).some((message) => message.place === place && !message.isGone);
  if (head !== undefined && head !== place && isInQueue) {
    violated(
      `the handler of ${call.key} of run ${call.runId} starts before ${head.key ?? ''} of run ${head.runId}, which lies before it in group ${head.group ?? ''}, is settled`,
    );
  }
}

/** Whether nothing waits for a message any more: its record is settled, or it is lost. */
function isOver(message: LiveMessage | undefined): boolean {
  return message !== undefined && (message.isGone || message.place.outcome !== undefined);
}

/** Places of records in sources that do not change. */
function recordIndexes({ fanouts }: Watched): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const { id, spec } of fanouts) {
    for (const { jobType, records, changes } of spec.jobs) {
      records.forEach(({ key }, index) => {
        const name = [id, jobType, key].join('|');
        if (changes === 0 && !indexes.has(name)) {
          indexes.set(name, index);
        }
      });
    }
  }
  return indexes;
}
