import type { CronSchedule, DayRule } from './schedule';

/** A day that a cron schedule names, as the epoch milliseconds of its midnight in UTC. */
export type Day = number;

/** Milliseconds of a day of local time. */
export const DAY_MS = 86_400_000;
const WEEK = 7;

/** Days of a month that a rule names, ascending. */
export function daysOf(rule: DayRule, year: number, month: number): number[] {
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const weekdayOf = (day: number): number => new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 1;
  const first = (weekday: number): number => 1 + ((weekday - weekdayOf(1) + WEEK) % WEEK);
  const within = (days: readonly number[]): number[] => days.filter((day) => day >= 1 && day <= last);
  switch (rule.kind) {
    case 'daysOfMonth':
      return within(rule.days);
    case 'lastOfMonth':
      return within([last - rule.daysBefore]);
    case 'lastWorkday':
      return [nearestWorkday(last, last, weekdayOf(last))];
    case 'workdayNearest':
      return within([rule.day]).map((day) => nearestWorkday(day, last, weekdayOf(day)));
    case 'daysOfWeek':
      return Array.from({ length: last }, (_, place) => place + 1).filter((day) =>
        rule.weekdays.includes(weekdayOf(day)),
      );
    case 'nthWeekday':
      return within([first(rule.weekday) + (rule.nth - 1) * WEEK]);
    case 'lastWeekday':
      return [last - ((weekdayOf(last) - rule.weekday + WEEK) % WEEK)];
  }
}

/** Saturday leads to Friday and Sunday to Monday, unless that is another month. */
function nearestWorkday(day: number, last: number, weekday: number): number {
  if (weekday === WEEK) {
    return day === 1 ? 3 : day - 1;
  }
  if (weekday === 1) {
    return day === last ? day - 2 : day + 1;
  }
  return day;
}

/** Days of a schedule from a day on, ascending. */
export function* daysFrom(schedule: CronSchedule, from: Day): Generator<Day, void> {
  const firstYear = new Date(from).getUTCFullYear();
  for (const year of schedule.years.filter((candidate) => candidate >= firstYear)) {
    for (const month of schedule.months) {
      for (const day of daysOf(schedule.days, year, month)) {
        const midnight = Date.UTC(year, month - 1, day);
        if (midnight >= from) {
          yield midnight;
        }
      }
    }
  }
}

/** Days of a schedule up to a day, descending. */
export function* daysUpTo(schedule: CronSchedule, to: Day): Generator<Day, void> {
  const lastYear = new Date(to).getUTCFullYear();
  for (const year of schedule.years.filter((candidate) => candidate <= lastYear).reverse()) {
    for (const month of schedule.months.toReversed()) {
      for (const day of daysOf(schedule.days, year, month).reverse()) {
        const midnight = Date.UTC(year, month - 1, day);
        if (midnight <= to) {
          yield midnight;
        }
      }
    }
  }
}

const times = new WeakMap<CronSchedule, readonly number[]>();

/** Times of a day at which a schedule fires, ascending, in milliseconds after midnight. */
export function timesOfDay(schedule: CronSchedule): readonly number[] {
  const known =
    times.get(schedule) ??
    schedule.hours.flatMap((hour) => schedule.minutes.map((minute) => (hour * 60 + minute) * 60_000));
  times.set(schedule, known);
  return known;
}
