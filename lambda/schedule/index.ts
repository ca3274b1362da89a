/**
 * The dialect of EventBridge Scheduler: its expressions, and when they fire. Pure: reads no clock.
 *
 * @module
 */
export { parseScheduleExpression } from './expression';
export { nextAfter, occurrences, scheduledTimeText } from './firing';
export { scheduleHints } from './hints';
export { longestInterval, shortestInterval } from './interval';
export type { AtSchedule, CronSchedule, DayRule, RateSchedule, Schedule, ScheduleBounds } from './schedule';
