import { daysFrom, timesOfDay } from './calendar';
import { lastBefore, nextAfter } from './firing';
import { offsetChanges } from './local-time';
import { CRON_YEARS } from './schedule';
import type { CronSchedule, Schedule } from './schedule';

/** Years whose changes of the clocks are looked at: a whole cycle of weekdays and leap years. */
const CLOCK_CHANGES = { from: Date.UTC(2026, 0), to: Date.UTC(2054, 0) } as const;

/**
 * The shortest time between two firings, in seconds; of a cron schedule over all its years, changes of the clocks included.
 *
 * @returns `undefined` for a schedule that fires once
 */
export function shortestInterval(schedule: Schedule): number | undefined {
  return extremes(schedule)?.shortest;
}

/**
 * The longest time between two firings, in seconds; of a cron schedule over all its years, changes of the clocks included. A cron schedule for
 * every five minutes has one of 65 minutes in a zone with daylight saving time: the repeated hour fires once.
 *
 * @returns `undefined` for a schedule that fires once
 */
export function longestInterval(schedule: Schedule): number | undefined {
  return extremes(schedule)?.longest;
}

/** Kept, since both are asked for one after the other. */
const extremesOf = new WeakMap<CronSchedule, Extremes>();

interface Extremes {
  readonly shortest: number;
  readonly longest: number;
}

function extremes(schedule: Schedule): Extremes | undefined {
  if (schedule.kind === 'at') {
    return undefined;
  }
  if (schedule.kind === 'rate') {
    return { shortest: schedule.seconds, longest: schedule.seconds };
  }
  const known = extremesOf.get(schedule) ?? cronExtremes(schedule);
  extremesOf.set(schedule, known);
  // A schedule that fires once has none.
  return known.longest < 0 ? undefined : known;
}

function cronExtremes(schedule: CronSchedule): Extremes {
  let [shortest, longest] = [Infinity, -Infinity];
  for (const interval of [...localIntervals(schedule), ...intervalsOverClockChanges(schedule)]) {
    shortest = Math.min(shortest, interval / 1000);
    longest = Math.max(longest, interval / 1000);
  }
  return { shortest, longest };
}

/** Intervals between firings that no change of the clocks separates, in milliseconds. */
function* localIntervals(schedule: CronSchedule): Generator<number> {
  const times = timesOfDay(schedule);
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  for (let place = 1; place < times.length; place++) {
    yield (times[place] ?? 0) - (times[place - 1] ?? 0);
  }
  const gaps = new Set<number>();
  let before: number | undefined;
  for (const day of daysFrom(schedule, Date.UTC(CRON_YEARS.min, 0))) {
    if (before !== undefined) {
      gaps.add(day - before);
    }
    before = day;
  }
  for (const gap of gaps) {
    yield gap - (last - first);
  }
}

/** A change of the clocks lengthens or shortens the one interval that it falls into, and may take firings out of it. */
function* intervalsOverClockChanges(schedule: CronSchedule): Generator<number> {
  for (const change of clockChanges(schedule.timeZone)) {
    const before = lastBefore(schedule, change);
    const after = nextAfter(schedule, change - 1);
    if (before !== undefined && after !== undefined) {
      yield after - before;
    }
  }
}

/** Kept, since asking Intl for them takes longer than all the rest. */
const changesByZone = new Map<string, readonly number[]>();

function clockChanges(timeZone: string): readonly number[] {
  const changes = changesByZone.get(timeZone) ?? offsetChanges(CLOCK_CHANGES.from, CLOCK_CHANGES.to, timeZone);
  changesByZone.set(timeZone, changes);
  return changes;
}
