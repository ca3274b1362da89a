import { longestInterval, parseScheduleExpression, shortestInterval } from '../../../lambda/schedule';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

test.each([
  ['rate(5 minutes)', 'Europe/Berlin', 5 * MINUTE, 5 * MINUTE],
  ['rate(2 days)', 'Etc/UTC', 2 * DAY, 2 * DAY],
  ['cron(* * * * ? *)', 'Etc/UTC', MINUTE, MINUTE],
  ['cron(0/5 * * * ? *)', 'Etc/UTC', 5 * MINUTE, 5 * MINUTE],
  ['cron(0/7 * * * ? *)', 'Etc/UTC', 4 * MINUTE, 7 * MINUTE],
  ['cron(0/5 * * * ? *)', 'Europe/Berlin', 5 * MINUTE, 65 * MINUTE],
  ['cron(0 9-17 * * ? *)', 'Etc/UTC', HOUR, 16 * HOUR],
  ['cron(0 0 * * ? *)', 'Etc/UTC', DAY, DAY],
  ['cron(0 9 * * ? *)', 'Europe/Berlin', 23 * HOUR, 25 * HOUR],
  // Skipped once a year: from 02:30 on Saturday to 02:30 on Monday, less the hour that the clocks skip.
  ['cron(30 2 * * ? *)', 'Europe/Berlin', DAY, 47 * HOUR],
  ['cron(0 9 ? * MON-FRI *)', 'Etc/UTC', DAY, 3 * DAY],
  ['cron(* * ? * 1 *)', 'Etc/UTC', MINUTE, 6 * DAY + MINUTE],
  ['cron(0 0 1 * ? *)', 'Etc/UTC', 28 * DAY, 31 * DAY],
  ['cron(0 0 29 2 ? *)', 'Etc/UTC', 4 * 365 * DAY + DAY, 8 * 365 * DAY + DAY],
])('%s in %s fires every %d to %d seconds', (expression, timeZone, shortest, longest) => {
  const schedule = parseScheduleExpression(expression, timeZone);
  expect(shortestInterval(schedule)).toBe(shortest);
  expect(longestInterval(schedule)).toBe(longest);
});

test.each(['at(2026-01-01T00:00:00)', 'cron(0 0 1 1 ? 2027)'])('%s has no interval', (expression) => {
  const schedule = parseScheduleExpression(expression);
  expect(shortestInterval(schedule)).toBeUndefined();
  expect(longestInterval(schedule)).toBeUndefined();
});
