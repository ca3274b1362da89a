import { DAY_MS, daysFrom, timesOfDay } from './calendar';
import { offsetChanges, wallTime, zoneOffset } from './local-time';
import type { CronSchedule, Schedule } from './schedule';

/** A local time of a schedule that the clocks of its zone skip or show twice. */
export interface OddTime {
  /** `skipped`: nothing fires then. `repeated`: it fires the first of the two times alone. */
  readonly kind: 'skipped' | 'repeated';
  /** Local date, `yyyy-mm-dd`. */
  readonly date: string;
  /** Local time, `hh:mm`. */
  readonly time: string;
}

const SIDE_MS = 1000;

/**
 * Local times of a schedule, between two moments, that do not exist or come twice because the clocks are changed. Times that have a neighbour within what the clocks are changed by are left out: where
 * a schedule fires every few minutes or every hour, nobody misses the one time.
 *
 * @param from epoch milliseconds
 * @param to epoch milliseconds
 */
export function oddTimes(schedule: Schedule, from: number, to: number): OddTime[] {
  if (schedule.kind === 'rate') {
    return [];
  }
  return offsetChanges(from, to, schedule.timeZone).flatMap((change) => oddTimesAt(schedule, change));
}

function oddTimesAt(schedule: Exclude<Schedule, { kind: 'rate' }>, change: number): OddTime[] {
  const before = zoneOffset(change - SIDE_MS, schedule.timeZone);
  const after = zoneOffset(change, schedule.timeZone);
  const shift = Math.abs(after - before);
  const [first, end] = [change + Math.min(before, after), change + Math.max(before, after)];
  const walls =
    schedule.kind === 'at' ? [wallTime(schedule.at, schedule.timeZone)] : wallsOf(schedule, first - shift, end + shift);
  return walls
    .filter((wall) => wall >= first && wall < end)
    .filter((wall) => !walls.some((other) => other !== wall && Math.abs(other - wall) <= shift))
    .map((wall) => ({
      kind: after > before ? 'skipped' : 'repeated',
      date: new Date(wall).toISOString().slice(0, 'yyyy-mm-dd'.length),
      time: new Date(wall).toISOString().slice('yyyy-mm-ddT'.length, 'yyyy-mm-ddThh:mm'.length),
    }));
}

/** Local times of a schedule in a range, both ends included. */
function wallsOf(schedule: CronSchedule, from: number, to: number): number[] {
  const walls: number[] = [];
  for (const day of daysFrom(schedule, Math.floor(from / DAY_MS) * DAY_MS)) {
    if (day > to) {
      break;
    }
    walls.push(...timesOfDay(schedule).map((time) => day + time));
  }
  return walls.filter((wall) => wall >= from && wall <= to);
}
