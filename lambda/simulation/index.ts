/**
 * `cron-fanout/testing`: a simulation of a fanout for the tests of its jobs.
 *
 * @module
 */
export { simulateFanout } from './simulate-fanout';
export { SimulationError } from './simulation-error';
export { FAULT_NAMES } from './named-faults';
export type { FaultName, Faults } from './named-faults';
export type { DependenciesOf, JobModule, RecordOf, SomeJob } from './given-jobs';
export type { CommonSimulationOptions, SeveralJobsOptions, SimulationOptions } from './simulation-options';
export type { SimulatedFanoutOptions, SimulatedJobOptions } from './simulation-config';
export type {
  AnyRetryOptions,
  ExponentialRetryOptions,
  FixedRetryOptions,
  LinearRetryOptions,
  ListedRetryOptions,
  SimulatedRetry,
} from './simulated-retry';
export type {
  CallReport,
  DeadReport,
  RecordReport,
  RunReport,
  SimulatedOutcome,
  SimulationReport,
  TickReport,
} from './simulation-report';
export type { GivenRecords, RecordsContext } from './user-code/given-records';
