/**
 * The dialect of EventBridge Scheduler: its expressions, and when they fire. Pure: reads no clock.
 *
 * @module
 */
export { oddTimes } from './clock-changes';
export type { OddTime } from './clock-changes';
export { parseScheduleExpression } from './expression';
export { nextAfter, occurrences, scheduledTimeText } from './firing';
export { scheduleHints } from './hints';
export { longestInterval, shortestInterval } from './interval';
export type { AtSchedule, CronSchedule, DayRule, RateSchedule, Schedule, ScheduleBounds } from './schedule';
