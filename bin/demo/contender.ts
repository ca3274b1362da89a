import type { Case } from './case';
import type { Incident } from './tally';

/** What came of a case. */
export interface CaseResult {
  /** What should not have come of bookings. */
  readonly incidents: readonly Incident[];
  /** What happened, line by line. */
  readonly trace: readonly string[];
}

/** Something that is put through the cases. */
export interface Contender {
  readonly name: string;
  readonly about: string;
  readonly run: (demo: Case) => Promise<CaseResult>;
}
