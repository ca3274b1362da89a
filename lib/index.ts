/**
 * The construct.
 *
 * @module
 */
export type { CronFanoutAttributes, ICronFanout } from './attributes';
export { JobCode } from './bundling';
export type { BundlingOptions, JobCodeOptions } from './bundling';
export { CronFanout } from './cron-fanout';
export { CronFanoutDefaults } from './defaults';
export type { CronFanoutDefaultProps } from './defaults';
export { Deduplication } from './deduplication';
export type { AlarmName, FanoutAlarms } from './observability/alarm-settings';
export { CronFanoutDashboard } from './observability/dashboard';
export type { CronFanoutDashboardProps } from './observability/dashboard';
export type { FanoutMetricOptions } from './observability/fanout-metric';
export { LogKeys } from './observability/log-keys';
export { ObservedFanout } from './observability/observed-fanout';
export type {
  AgeAlarmOptions,
  AlarmOptions,
  CountAlarmOptions,
  FanoutAlarmsOptions,
  ObservabilityOptions,
} from './observability/options';
export { AlarmSeverity } from './observability/severity';
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
export { CronFanoutShared } from './shared';
export type { CronFanoutSharedProps } from './shared';
export type { SharedParts } from './shared-parts';
export { CronFanoutError } from '../lambda/contract';
