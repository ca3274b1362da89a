import type { Observer } from '../world/observation';
import type { FanoutView, WorldView } from '../world/world-view';
import type { LedgerModel } from './ledger-model';

/** Something that did not hold. */
export interface Violation {
  /** Name of the invariant. */
  readonly invariant: string;
  readonly what: string;
  /** Epoch milliseconds of the world. */
  readonly at: number;
  /** Calls that were let through before. */
  readonly step: number;
}

/** What an invariant looks at. */
export interface Watched {
  readonly world: WorldView;
  readonly fanouts: readonly FanoutView[];
  /** What the ledger says, by record; up to date whenever an invariant is asked. */
  readonly ledger: LedgerModel;
  /** Says that something does not hold. */
  readonly violated: (what: string) => void;
}

/** Something that must always hold in a world, as it is checked in one world. */
export interface Invariant {
  /** Told of everything that happens, right after it took effect. */
  readonly observe?: Observer;
  /** What is left to do, as far as it knows; the world is at rest only when it is nothing. */
  readonly waitsFor?: () => string | undefined;
  /** Checked once nothing is left to do. */
  readonly atRest?: () => void;
}

/** Something that must always hold. */
export interface InvariantRule {
  /** As docs/decisions/0010-simulation.md lists it. */
  readonly name: string;
  readonly watch: (watched: Watched) => Invariant;
}
