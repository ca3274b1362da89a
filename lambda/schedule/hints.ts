import type { Schedule } from './schedule';

/**
 * What is right to the service but likely not meant: numbers of weekdays that mean another day in Unix cron. For a warning at synth time; empty
 * for most schedules.
 */
export function scheduleHints(schedule: Schedule): string[] {
  if (schedule.kind !== 'cron') {
    return [];
  }
  const weekday = schedule.expression.slice('cron('.length, -1).split(/\s+/)[4] ?? '';
  const hints: string[] = [];
  if (weekday === '1-5') {
    hints.push('day-of-week 1-5 is SUN-THU, since AWS counts from 1 = SUN: write MON-FRI for the working days');
  }
  if (/(^|,)7(,|#|L|$)/.test(weekday)) {
    hints.push('day-of-week 7 is SAT, since AWS counts from 1 = SUN: write SAT or SUN to be clear');
  }
  return hints;
}
