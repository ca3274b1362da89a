import type { HandlerCall } from '../world/observation';
import type { Invariant, InvariantRule, Watched } from './invariant';
import type { PlaceState } from './ledger-model';

/** Places of a lane in the order of their first messages, and how many at its head are settled. */
interface LaneState {
  readonly places: PlaceState[];
  settled: number;
  /** The latest record by logical group, with its place in the source: a lane may hold several groups. */
  readonly latest: Map<string, { readonly index: number; readonly place: PlaceState }>;
}

/** 3. In a group, no handler starts before all that was sent before is settled; messages of a group are sent in the order of the source. */
export const order: InvariantRule = {
  name: 'order',
  watch: (watched): Invariant => {
    const lanes = new Map<string, LaneState>();
    const indexes = recordIndexes(watched);
    return {
      observe: (observation) => {
        if (observation.type === 'queued' && observation.envelope?.deathId === undefined) {
          const place =
            observation.envelope === undefined ? undefined : watched.ledger.placeOfMessage(observation.envelope);
          if (place?.serial === observation.serial) {
            queued(watched, lanes, place, indexes);
          }
        }
        if (observation.type === 'handlerStarted') {
          started(watched, lanes, observation.call);
        }
      },
    };
  },
};

function laneOf(lanes: Map<string, LaneState>, { fanoutId, runId, groupId }: PlaceState): LaneState {
  const name = [fanoutId, runId, groupId].join('|');
  const lane = lanes.get(name) ?? { places: [], settled: 0, latest: new Map() };
  lanes.set(name, lane);
  return lane;
}

function queued(
  { violated }: Watched,
  lanes: Map<string, LaneState>,
  place: PlaceState,
  indexes: ReadonlyMap<string, number>,
): void {
  const lane = laneOf(lanes, place);
  lane.places.push(place);
  const index = indexes.get([place.fanoutId, place.jobType, place.key].join('|'));
  if (index !== undefined) {
    const group = place.group ?? '';
    const before = lane.latest.get(group);
    // One that was skipped when its page was written down, and is not when it is read again, comes behind the others of its page.
    if (before !== undefined && index < before.index && isWrittenBefore(place, before.place)) {
      violated(
        `${place.key ?? ''} of group ${group} is sent after a record that follows it in the source of run ${place.runId}`,
      );
    }
    lane.latest.set(group, { index, place });
  }
}

function isWrittenBefore(left: PlaceState, right: PlaceState): boolean {
  return left.page < right.page || (left.page === right.page && left.ordinal < right.ordinal);
}

function started({ ledger, violated }: Watched, lanes: Map<string, LaneState>, call: HandlerCall): void {
  const place = ledger.placeOfCall(call);
  if (place?.serial === undefined || place.outcome !== undefined || ledger.isRedrive(call)) {
    return;
  }
  const lane = laneOf(lanes, place);
  while (isOver(lane.places[lane.settled])) {
    lane.settled += 1;
  }
  const head = lane.places[lane.settled];
  if (head !== undefined && head !== place) {
    violated(
      `the handler of ${call.key} starts before ${head.key ?? ''}, sent before in group ${head.group ?? ''} of run ${call.runId}, is settled`,
    );
  }
}

/** Whether nothing waits for a place any more: it is settled, or its message is lost. */
function isOver(place: PlaceState | undefined): boolean {
  return place !== undefined && (place.outcome !== undefined || place.isGone === true);
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
