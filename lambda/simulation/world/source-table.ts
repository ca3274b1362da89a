import type { Segment } from '../../job/job';
import type { JobSpec, RecordSpec } from './spec';

/** A record at its place in the source. */
export interface PlacedRecord {
  readonly place: number;
  readonly record: RecordSpec;
}

/** The segment that a key is always in. */
function segmentOf(key: string, count: number): number {
  return Buffer.from(key).reduce((sum, byte) => sum * 31 + byte, 7) % count;
}

/** Distance of two records at the start, so that others fit between them. */
const GAP = 1000;

/** The table that a simulated source reads: records in order, some of which come and go. */
export class SourceTable {
  private places: number[];
  private readonly byPlace = new Map<number, RecordSpec>();
  private readonly removed: RecordSpec[] = [];
  private readonly changedKeys = new Set<string>();
  private inserted = 0;

  constructor(spec: JobSpec) {
    spec.records.forEach((record, index) => this.byPlace.set(index * GAP, record));
    this.places = [...this.byPlace.keys()];
  }

  /** Keys of records that came or went. */
  get changed(): ReadonlySet<string> {
    return this.changedKeys;
  }

  /** Records of the table now, in order. */
  records(): readonly RecordSpec[] {
    return this.places.flatMap((place) => this.byPlace.get(place) ?? []);
  }

  /** The next `limit` records of a segment behind a place; `undefined`: from the beginning. */
  read(after: number | undefined, limit: number, { index, count }: Segment): PlacedRecord[] {
    const found: PlacedRecord[] = [];
    for (const place of this.places) {
      const record = after === undefined || place > after ? this.byPlace.get(place) : undefined;
      if (record !== undefined && (count === 1 || segmentOf(record.key, count) === index)) {
        found.push({ place, record });
      }
      if (found.length === limit) {
        break;
      }
    }
    return found;
  }

  /**
   * Lets a record come or go.
   *
   * @param fraction which, and where, in [0, 1)
   */
  change(fraction: number): void {
    const kind = (fraction * 1000) % 1;
    const index = Math.floor(fraction * this.places.length);
    const place = this.places[index];
    if (place === undefined) {
      return;
    }
    if (kind < 0.35) {
      this.remove(place);
    } else if (kind < 0.6) {
      // It moves behind others, as a record does in a source that is ordered by its last change.
      this.remove(place);
      const behind = this.places[Math.min(this.places.length - 1, index + 1 + Math.floor(kind * 10))] ?? place;
      this.insert(behind + 1 + (index % (GAP - 1)), this.removed.pop(), place);
    } else {
      this.insert(place + 1 + (index % (GAP - 1)), kind < 0.8 ? this.removed.pop() : undefined, place);
    }
  }

  private remove(place: number): void {
    const record = this.byPlace.get(place);
    if (record !== undefined) {
      this.removed.push(record);
      this.changedKeys.add(record.key);
      this.byPlace.delete(place);
      this.places = this.places.filter((other) => other !== place);
    }
  }

  private insert(place: number, again: RecordSpec | undefined, near: number): void {
    if (this.byPlace.has(place)) {
      return;
    }
    this.inserted += 1;
    const group = this.byPlace.get(near)?.group ?? '';
    const key = `new-${this.inserted}`;
    const record = again ?? { key, group: group === this.byPlace.get(near)?.key ? key : group, behaviours: [] };
    this.changedKeys.add(record.key);
    this.byPlace.set(place, record);
    this.places = [...this.places, place].sort((left, right) => left - right);
  }
}
