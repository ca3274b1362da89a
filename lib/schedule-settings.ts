import { Token } from 'aws-cdk-lib';
import { CronFanoutError, LAMBDA, SCHEDULER } from '../lambda/contract';
import { longestInterval, parseScheduleExpression, scheduleHints, shortestInterval } from '../lambda/schedule';
import { FIXED } from './bounds';
import { checkDuration } from './checks';
import type { ScheduleOptions } from './props';
import { clockWarnings, windowWarnings } from './schedule-warnings';
import type { TickTimes } from './observability/completion-watch';
import type { Warning } from './warnings';

/** What follows from the schedule. Durations are in seconds. */
export interface ScheduleSettings {
  /** Age at which the Scheduler gives up the delivery of a tick. */
  readonly deliveryAge: number;
  /** Age at which Lambda gives up an event for the scanner. */
  readonly scannerEventAge: number;
  /** Whether the scanner has to be called between ticks. */
  readonly watchdog: boolean;
  /** When ticks come, for whoever misses one. */
  readonly ticks: TickTimes;
  readonly warnings: readonly Warning[];
}

/**
 * Reads the schedule in the Scheduler's own dialect, and derives how long a tick is worth delivering: about one period, since the next tick does the same
 * work, and a tick that is hours late would do it at the wrong time.
 *
 * @param now epoch milliseconds; changes of the clocks are looked for from here on
 * @throws CronFanoutError of `parseScheduleExpression`; `OutOfRange` for the time window; `InvalidTimeFrame`, `ScheduleRequired`
 */
export function readSchedule(options: ScheduleOptions, now = Date.now()): ScheduleSettings {
  requireSchedule(options);
  checkTimeFrame(options);
  const { shortest, longest, isKnown, warnings } = intervals(options);
  const window = longestWindow(options);
  const bounded = options.enabled === false || options.start !== undefined || options.end !== undefined;
  return {
    deliveryAge: within(shortest, SCHEDULER.eventAgeSeconds),
    scannerEventAge: within(Math.max(shortest, FIXED.scannerEventAge), LAMBDA.asyncEventAgeSeconds),
    // Within its window a tick can come late, and the next one early.
    watchdog: bounded || longest + window > FIXED.watchdogInterval,
    ticks: { shortest, longest, window, isKnown, isEndless: options.enabled !== false && options.end === undefined },
    warnings: [...warnings, ...clockWarnings(options, now), ...windowWarnings(shortest, window)],
  };
}

const within = (value: number, { min, max }: { readonly min: number; readonly max: number }): number =>
  Math.min(max, Math.max(min, value));

interface Intervals {
  /** Shortest and longest time between two ticks; infinite where there is at most one. */
  readonly shortest: number;
  readonly longest: number;
  /** Whether the schedule is known at synth time. */
  readonly isKnown: boolean;
  readonly warnings: readonly Warning[];
}

/** How late a tick may be, in seconds; as late as it can be where that is not known at synth time. */
function longestWindow({ timeWindow }: ScheduleOptions): number {
  if (timeWindow?.maxWindow === undefined) {
    return 0;
  }
  // A window is given in minutes; a token of them passes.
  return timeWindow.maxWindow.isUnresolved() ? Infinity : checkDuration('timeWindow', timeWindow.maxWindow);
}

function intervals({ schedule }: ScheduleOptions): Intervals {
  const { expressionString, timeZone } = schedule;
  if (Token.isUnresolved(expressionString) || Token.isUnresolved(timeZone?.timezoneName)) {
    return { shortest: FIXED.watchdogInterval, longest: Infinity, isKnown: false, warnings: [] };
  }
  return knownIntervals(expressionString, timeZone?.timezoneName);
}

/** Looking through all years of a cron schedule takes a tenth of a second; fanouts of an app often share a schedule. */
const KNOWN_INTERVALS = new Map<string, Intervals>();

function knownIntervals(expression: string, timeZone: string | undefined): Intervals {
  const name = `${expression} ${timeZone ?? ''}`;
  const known = KNOWN_INTERVALS.get(name);
  if (known !== undefined) {
    return known;
  }
  const parsed = parseScheduleExpression(expression, timeZone);
  const found = {
    shortest: shortestInterval(parsed) ?? Infinity,
    longest: longestInterval(parsed) ?? Infinity,
    isKnown: true,
    warnings: scheduleHints(parsed).map((hint) => ({ id: 'cron-fanout:unixWeekday', message: `schedule: ${hint}` })),
  };
  KNOWN_INTERVALS.set(name, found);
  return found;
}

/** The compiler sees to it where the app is written in TypeScript. */
function requireSchedule({ schedule }: Partial<ScheduleOptions>): void {
  if (schedule === undefined) {
    throw new CronFanoutError('ScheduleRequired', {
      what: 'schedule',
      received: 'nothing',
      allowed: 'a ScheduleExpression: cron, rate or at',
      change: 'add for example schedule: ScheduleExpression.rate(Duration.minutes(5))',
    });
  }
}

function checkTimeFrame({ start, end }: ScheduleOptions): void {
  for (const [path, date] of [
    ['start', start],
    ['end', end],
  ] as const) {
    if (date !== undefined && Number.isNaN(date.getTime())) {
      throw new CronFanoutError('InvalidTimeFrame', {
        what: path,
        received: 'an invalid date',
        allowed: 'a date',
        change: `write for example new Date('2026-01-31T09:00:00Z')`,
      });
    }
  }
  if (start !== undefined && end !== undefined && end <= start) {
    throw new CronFanoutError('InvalidTimeFrame', {
      what: 'start and end',
      received: `${start.toISOString()} and ${end.toISOString()}`,
      allowed: 'an end after the start',
      change: 'move one of the two',
    });
  }
}
