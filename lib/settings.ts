import { Token } from 'aws-cdk-lib';
import { CronFanoutError } from '../lambda/contract';
import type { FanoutConfiguration } from '../lambda/contract';
import { BOUNDS, FIXED } from './bounds';
import { checkDuration, checkKnown, checkNumber } from './checks';
import { deriveConcurrency } from './concurrency';
import type { Concurrency } from './concurrency';
import { readJobs } from './job-settings';
import { readAlarms } from './observability/alarm-settings';
import type { AlarmSettings } from './observability/alarm-settings';
import { readLabels } from './observability/labels';
import { OverlapPolicy } from './overlap-policy';
import type { CronFanoutProps } from './props';
import { readQueue } from './queue-settings';
import { reservationError } from './reservation';
import { longestRetryTime, mostAttempts, retryWarnings } from './retry-time';
import { readSchedule } from './schedule-settings';
import type { ScheduleSettings } from './schedule-settings';
import { SerialFailure } from './serial-failure';
import type { Warning } from './warnings';

/** Every number that the parts are made from, checked and derived. Durations are in seconds. */
export interface Settings {
  readonly concurrency: Concurrency;
  readonly timeout: number;
  readonly scannerTimeout: number;
  readonly memorySize: number;
  readonly scannerMemorySize: number;
  readonly schedule: ScheduleSettings;
  readonly alarms: AlarmSettings;
  /** What the runtime is told. */
  readonly configuration: FanoutConfiguration;
  readonly warnings: readonly Warning[];
}

/**
 * Checks the numbers of the options, and derives those that follow from them.
 *
 * @throws CronFanoutError `OutOfRange`, `UnresolvedToken`, `UnresolvedDuration`, `ConflictingOptions`, and those of the schedule and of queues that are brought
 */
export function readSettings(props: CronFanoutProps): Settings {
  const timeout = props.timeout === undefined ? BOUNDS.timeout.default : checkDuration('timeout', props.timeout);
  checkKnown('timeout', timeout, 'the visibility timeout of the queue is derived from it');
  const concurrency = readConcurrency(props);
  const policies = readJobs(props, timeout);
  const queue = readQueue(props, timeout, mostAttempts(policies));
  const schedule = readSchedule(props);
  const limits = { timeout, ...queue.configuration };
  const retries = retryWarnings(policies, limits);
  const alarms = readAlarms(props.alarms, {
    ticks: schedule.ticks,
    worstRetryTime: longestRetryTime(policies, limits),
  });
  const labels = readLabels(props);
  return {
    concurrency,
    timeout,
    scannerTimeout:
      props.scannerTimeout === undefined
        ? BOUNDS.scannerTimeout.default
        : checkDuration('scannerTimeout', props.scannerTimeout),
    memorySize: checkNumber('memorySize', props.memorySize ?? BOUNDS.memorySize.default),
    scannerMemorySize: checkNumber('scannerMemorySize', props.scannerMemorySize ?? BOUNDS.scannerMemorySize.default),
    schedule,
    alarms,
    configuration: {
      lanes: concurrency.lanes,
      serialFailure: (props.serialFailure ?? SerialFailure.BLOCK).name,
      ...queue.configuration,
      pageSize: FIXED.pageSize,
      lease: FIXED.lease,
      overlap: (props.overlap ?? OverlapPolicy.SKIP).name,
      ...(props.overlapUntil !== undefined && { overlapUntil: props.overlapUntil.name }),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(props.logKeys !== undefined && { logKeys: props.logKeys.name }),
      ...policies,
    },
    warnings: [...queue.warnings, ...retries, ...schedule.warnings, ...alarms.warnings],
  };
}

function readConcurrency(props: CronFanoutProps): Concurrency {
  const maxConcurrency = checkNumber('maxConcurrency', props.maxConcurrency ?? BOUNDS.maxConcurrency.default);
  checkKnown('maxConcurrency', maxConcurrency, 'batch size and concurrency of the event source mapping are derived');
  const concurrency = deriveConcurrency(maxConcurrency);
  if (props.serialFailure !== undefined && concurrency.lanes !== 'single') {
    throw new CronFanoutError('ConflictingOptions', {
      what: 'serialFailure and maxConcurrency',
      received: `serialFailure together with maxConcurrency ${maxConcurrency}`,
      allowed: 'serialFailure with maxConcurrency 1 alone: otherwise a record holds back those of its own group only',
      change: 'leave serialFailure out, or set maxConcurrency: 1',
    });
  }
  checkReserved(props.reservedConcurrentExecutions, concurrency);
  return concurrency;
}

function checkReserved(reserved: number | undefined, concurrency: Concurrency): void {
  if (reserved === undefined || Token.isUnresolved(checkNumber('reservedConcurrentExecutions', reserved))) {
    return;
  }
  const error = reservationError(reserved, concurrency);
  if (error !== undefined) {
    throw error;
  }
}
