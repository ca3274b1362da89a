import { LAMBDA, SQS } from '../contract';

/** Allowed range of a number of a simulation, and what it is when it is not given. */
export interface SimulationBound {
  readonly min: number;
  readonly max: number;
  /** As a message names it. */
  readonly unit: string;
  /** Whether fractions are allowed. */
  readonly fractions?: boolean;
  readonly default?: number;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const delay = { min: 0, max: SQS.visibilitySeconds, unit: 'seconds' } as const;

/** Policies that a construct takes too: with the same ranges and defaults, which a test holds against `lib/bounds.ts`. Durations are in seconds. */
export const POLICY_BOUNDS = {
  maxConcurrency: {
    min: 1,
    max: LAMBDA.mappingBatch.max * LAMBDA.mappingConcurrency.max,
    unit: 'handlers at once',
    default: 20,
  },
  timeout: { min: 10, max: LAMBDA.timeoutSeconds, unit: 'seconds', default: MINUTE },
  scannerTimeout: { min: MINUTE, max: LAMBDA.timeoutSeconds, unit: 'seconds', default: LAMBDA.timeoutSeconds },
  handlerTimeout: { min: 1, max: LAMBDA.timeoutSeconds, unit: 'seconds' },
  expiresAfter: { min: 1, max: SQS.retentionSeconds.max, unit: 'seconds' },
  quarantine: { min: 0, max: SQS.retentionSeconds.max, unit: 'seconds', default: HOUR },
  segments: { min: 1, max: 16, unit: 'segments', default: 1 },
  queueRetention: { min: HOUR, max: SQS.retentionSeconds.max, unit: 'seconds', default: 4 * DAY },
  'retry.maxAttempts': { min: 1, max: 100, unit: 'calls of the handler', default: 5 },
  'retry.initialDelay': { ...delay, default: 10 },
  'retry.maxDelay': { ...delay, default: 15 * MINUTE },
  'retry.step': { ...delay, default: 30 },
  'retry.delay': { ...delay, default: 30 },
  'retry.factor': { min: 1, max: 10, unit: 'times the delay before', fractions: true, default: 2 },
  'retry.jitter': { min: 0, max: 1, unit: 'of the delay', fractions: true, default: 0.5 },
} as const satisfies Record<string, SimulationBound>;

/** Numbers of a simulation itself. */
export const SIMULATION_BOUNDS = {
  seed: { min: 0, max: 2 ** 31 - 1, unit: 'as a number', default: 1 },
  ticks: { min: 1, max: 100, unit: 'ticks', default: 1 },
  interval: { min: MINUTE, max: DAY, unit: 'seconds', default: 5 * MINUTE },
  pageSize: { min: 1, max: 1000, unit: 'records', default: 10 },
  patience: { min: 0, max: MINUTE * 1000, unit: 'milliseconds', default: 200 },
} as const satisfies Record<string, SimulationBound>;

/** What a construct derives, or does not let its user choose; the same test holds it against `lib`. Durations are in seconds. */
export const DERIVED = {
  visibilityFactor: 6,
  receivesPerAttempt: SQS.batchEntries,
  deferralBudget: 500,
  deadLetterRetention: SQS.retentionSeconds.max,
  ledgerMargin: DAY,
  lease: MINUTE,
  watchdogInterval: 5 * MINUTE,
} as const;
