/**
 * The construct.
 *
 * @module
 */
export { JobCode } from './bundling';
export type { BundlingOptions, JobCodeOptions } from './bundling';
export { CronFanout } from './cron-fanout';
export { Deduplication } from './deduplication';
export { OverlapPolicy } from './overlap-policy';
export { OverlapUntil } from './overlap-until';
export type { CronFanoutProps, FunctionOptions, JobOptions, ScheduleOptions, StorageOptions } from './props';
export { RetryPolicy } from './retry-policy';
export type {
  ExponentialRetryProps,
  FixedRetryProps,
  LinearRetryProps,
  ListedRetryProps,
  RetryProps,
} from './retry-policy';
export { SerialFailure } from './serial-failure';
export { CronFanoutError } from '../lambda/contract';
