/** Records of every run, and how many share a page: pages are small, so that a run has several of them. */
export const RECORDS = 60;
export const PAGE_SIZE = 20;
const GROUPS = 8;

/** Job of the records. */
export const JOB_TYPE = 'record';

/** A record of a run. */
export interface NumberedRecord {
  /** Place in the source, from 0. */
  readonly place: number;
  readonly key: string;
  readonly group: string;
}

/** The record at a place; keys differ from run to run, so that no run skips what another one has in flight. */
export function recordAt(runId: string, place: number): NumberedRecord {
  return { place, key: `${runId}/${place}`, group: `group-${place % GROUPS}` };
}

/** The handler refuses the record for good. */
export function isRefused({ place }: Pick<NumberedRecord, 'place'>): boolean {
  return place % 25 === 11;
}

/** The first call of the handler fails. */
export function failsOnce({ place }: Pick<NumberedRecord, 'place'>): boolean {
  return place % 20 === 7;
}
