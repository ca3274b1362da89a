import type { MemoryStateStore } from '../memory-state-store';
import type { Queue, SqsEngine } from '../sqs';
import type { VirtualClock } from '../virtual-clock';
import type { FaultPlan } from './faults';
import type { FaultyCalls } from './faulty-calls';
import type { Instance } from './instance';
import type { Observer } from './observation';
import type { FanoutSpec, WorldSpec } from './spec';
import type { SourceTable } from './source-table';
import type { StepScheduler } from './step-scheduler';
import type { Trace } from './trace';

/** What the parts of a world share. */
export interface WorldView {
  readonly spec: WorldSpec;
  readonly clock: VirtualClock;
  readonly steps: StepScheduler;
  readonly trace: Trace;
  readonly memory: MemoryStateStore;
  readonly plan: FaultPlan;
  readonly calls: FaultyCalls;
  readonly engine: SqsEngine;
  /** Told of everything that happens. */
  readonly observe: Observer;
  /** A new execution environment. */
  newInstance(role: string): Instance;
}

/** A fanout as the invariants see it. */
export interface FanoutView {
  readonly id: string;
  readonly spec: FanoutSpec;
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
  /** Tables of the simulated sources by `jobType`; none where the jobs are a user's. */
  readonly tables: ReadonlyMap<string, SourceTable>;
}
