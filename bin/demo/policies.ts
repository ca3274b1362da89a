import { readPolicies } from '../../lambda/simulation/simulation-config';

/** Calls of a handler, or receives of a message, after which it is given up. */
const ATTEMPTS = 5;
const PAGE_SIZE = 250;

/** What a construct would make of the jobs of the demo. */
export const CONSTRUCT = readPolicies(
  { retry: { maxAttempts: ATTEMPTS } },
  ['booking.reminder', 'booking.feedback'],
  PAGE_SIZE,
);

/** What is the same for every contender. Times are in seconds. */
export const POLICIES = {
  attempts: ATTEMPTS,
  concurrency: CONSTRUCT.concurrency.mappingConcurrency ?? 2,
  batchSize: CONSTRUCT.concurrency.batchSize,
  timeout: CONSTRUCT.timeout,
  scannerTimeout: CONSTRUCT.scannerTimeout,
} as const;
