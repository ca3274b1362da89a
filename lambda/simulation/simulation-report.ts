import type { JsonValue, RunState, RunTotals, SettledOutcome } from '../contract';
import type { FaultName } from './named-faults';

/** What became of a record in a run: its outcome in the ledger. */
export type SimulatedOutcome = SettledOutcome;

/** A record in a run. */
export interface RecordReport {
  /** The run that it is of. */
  readonly runId: string;
  /** Its job. */
  readonly jobType: string;
  /** Its identity, as `key` of the job gave it. */
  readonly key: string;
  /** What became of it. */
  readonly outcome: SimulatedOutcome;
  /** Attempts that were begun: calls of the handler, and those that ended before it (in `load` or `stillEligible`). */
  readonly attempts: number;
  /** Why it is dead or rejected. */
  readonly cause?: string;
}

/** A call of a handler. Times are milliseconds since the start of the simulation. */
export interface CallReport {
  /** The run of the record. */
  readonly runId: string;
  /** Its job. */
  readonly jobType: string;
  /** The record. */
  readonly key: string;
  /** Its ordering lane. */
  readonly group: string;
  /** As the handler was told, from 1. */
  readonly attempt: number;
  /** As the handler was told: the same for every attempt. */
  readonly idempotencyKey: string;
  /** When it began. */
  readonly start: number;
  /** Absent where its execution environment ended first. */
  readonly end?: number;
  /** `cutOff`: its execution environment ended before it did; nobody will ever know what came of it. */
  readonly result: 'succeeded' | 'failed' | 'cutOff';
  /** Name and message of what it threw. */
  readonly error?: string;
}

/** A message in the dead-letter queue. */
export interface DeadReport {
  /** The run in which it died. */
  readonly runId: string;
  /** Its job. */
  readonly jobType: string;
  /** The record. */
  readonly key: string;
  /** Its ordering lane. */
  readonly group: string;
  /** What the message holds of the record. */
  readonly payload: JsonValue;
  /** `PermanentError`, `AttemptsExhausted`, `NotRetryable`, `InvalidPayload`, ...: see docs/redrive.md. */
  readonly cause: string;
  /** Attempts that were counted. */
  readonly attempts: number;
  /** Name of the last error. */
  readonly errorName: string;
  /** Message of the last error, cut. */
  readonly errorMessage: string;
}

/** A run as the ledger has it. */
export interface RunReport {
  /** Identifies the run: the scheduled time of its tick. */
  readonly runId: string;
  /** Where it ended: `completed`, `failed`, `cancelled` or `skipped`. */
  readonly state: RunState;
  /** Present once every record is settled. */
  readonly totals?: RunTotals;
  /** Why it failed, or was cancelled or skipped. */
  readonly cause?: string;
}

/** A tick, and what the scanner answered to its deliveries. */
export interface TickReport {
  /** Identifies the tick. */
  readonly scheduledTime: string;
  /** `scanned`, `skipped`, `duplicate`, ...: one for each delivery that was answered. */
  readonly answers: readonly string[];
}

/** What happened in a simulation: plain data, the same for the same seed. */
export interface SimulationReport {
  /** The seed that it was run with. */
  readonly seed: number;
  /**
   * What became of every record, by its key; where several jobs are simulated, by `jobType/key`. Of several runs the newest counts in which it was not skipped. Records of a run that failed before they were
   * written down have none.
   */
  readonly outcomes: Readonly<Record<string, SimulatedOutcome>>;
  /** Every record of every run, in the order of the runs and of their sources. */
  readonly records: readonly RecordReport[];
  /** Every call of a handler, in the order of their starts. */
  readonly calls: readonly CallReport[];
  /** The dead-letter queue. */
  readonly dead: readonly DeadReport[];
  /** Every run, in the order of their starts. */
  readonly runs: readonly RunReport[];
  /** Every tick, in order. */
  readonly ticks: readonly TickReport[];
  /** The books of all runs together. */
  readonly totals: RunTotals;
  /** How often which fault struck. */
  readonly faults: Readonly<Partial<Record<FaultName, number>>>;
  /** Milliseconds that passed in the simulation until nothing was left to do. */
  readonly elapsedMs: number;
  /** Calls of table and queues, and records read. */
  readonly steps: number;
  /** What happened, line by line; of a long simulation the beginning and the end. */
  readonly trace: string;
}
