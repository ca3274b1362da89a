import { DAY_MS, daysFrom, daysUpTo, timesOfDay } from './calendar';
import { firstInstantOf, wallTime } from './local-time';
import type { CronSchedule, Schedule, ScheduleBounds } from './schedule';

/**
 * When a schedule fires next.
 *
 * Follows the service's rule for daylight saving time: a local time that the clocks skip does not fire, one that they show twice fires the
 * first time only. Bounds are inclusive, and a schedule that fires once ignores them, as the service does.
 *
 * @param epochMs the answer is strictly later than this, in epoch milliseconds
 * @returns epoch milliseconds, or `undefined` when it fires no more
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#daylist-savings-time
 */
export function nextAfter(schedule: Schedule, epochMs: number, bounds: ScheduleBounds = {}): number | undefined {
  if (schedule.kind === 'at') {
    return schedule.at > epochMs ? schedule.at : undefined;
  }
  const { start = -Infinity, end = Infinity } = bounds;
  const next =
    schedule.kind === 'rate'
      ? nextOfRate(schedule.seconds * 1000, epochMs, bounds.start)
      : nextOfCron(schedule, Math.max(epochMs, start - 1));
  return next !== undefined && next <= end ? next : undefined;
}

/**
 * All firings after a moment, ascending.
 *
 * @param epochMs the first is strictly later than this, in epoch milliseconds
 * @returns epoch milliseconds; endless for a rate without an end
 */
export function* occurrences(
  schedule: Schedule,
  epochMs: number,
  bounds: ScheduleBounds = {},
): Generator<number, void> {
  for (let next = nextAfter(schedule, epochMs, bounds); next !== undefined; next = nextAfter(schedule, next, bounds)) {
    yield next;
  }
}

/**
 * The text that the service puts in place of `<aws.scheduler.scheduled-time>`: the time in UTC, to the second.
 *
 * @param epochMs epoch milliseconds of a firing
 */
export function scheduledTimeText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`;
}

function nextOfRate(interval: number, epochMs: number, start: number | undefined): number {
  const anchor = start ?? 0;
  if (start !== undefined && epochMs < start) {
    return start;
  }
  return anchor + (Math.floor((epochMs - anchor) / interval) + 1) * interval;
}

/*
 * The first moment at which the clocks show a local time grows with the local time. So the firings after a moment are among the local
 * times after its own, in their order.
 */
function nextOfCron(schedule: CronSchedule, epochMs: number): number | undefined {
  const wall = wallTime(epochMs, schedule.timeZone);
  const times = timesOfDay(schedule);
  for (const day of daysFrom(schedule, Math.floor(wall / DAY_MS) * DAY_MS)) {
    for (const time of times) {
      const instant = day + time > wall ? firstInstantOf(day + time, schedule.timeZone) : undefined;
      if (instant !== undefined && instant > epochMs) {
        return instant;
      }
    }
  }
  return undefined;
}

/** The last firing strictly before a moment. */
export function lastBefore(schedule: CronSchedule, epochMs: number): number | undefined {
  const wall = wallTime(epochMs - 1, schedule.timeZone);
  const times = timesOfDay(schedule).toReversed();
  for (const day of daysUpTo(schedule, wall)) {
    for (const time of times) {
      const instant = day + time <= wall ? firstInstantOf(day + time, schedule.timeZone) : undefined;
      if (instant !== undefined && instant < epochMs) {
        return instant;
      }
    }
  }
  return undefined;
}
