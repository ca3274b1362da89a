/**
 * Names of the `node:diagnostics_channel` channels on which the runtime reports what it does. Without a subscriber they cost nothing;
 * the local run and tests subscribe from outside the bundle, so that the bundle they watch is the one that is deployed.
 */
export const CHANNELS = {
  /** {@link HandlerSignal}: published right before and right after a call of a user's handler. */
  handler: 'cron-fanout:handler',
  /** {@link ScanSignal}: published for every page that SQS accepted. */
  scan: 'cron-fanout:scan',
} as const;

/** One call of a handler. */
export interface HandlerSignal {
  readonly phase: 'start' | 'succeeded' | 'failed';
  readonly jobType: string;
  readonly runId: string;
  readonly key: string;
  readonly group: string;
  readonly segment: number;
  readonly page: number;
  readonly ordinal: number;
  readonly attempt: number;
}

/** Progress of a scan; the numbers are of this page alone. */
export interface ScanSignal {
  readonly runId: string;
  readonly jobType: string;
  readonly page: number;
  readonly eligible: number;
  readonly enqueued: number;
  readonly rejected: number;
  readonly skipped: number;
  readonly duplicate: number;
}
