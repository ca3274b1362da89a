import { oddTimes, parseScheduleExpression } from '../../../lambda/schedule';

const DAY = 86_400_000;
const YEAR_2027 = Date.UTC(2027, 0);
const odd = (expression: string, timeZone: string, from = YEAR_2027, to = Date.UTC(2028, 0)): string[] =>
  oddTimes(parseScheduleExpression(expression, timeZone), from, to).map(
    ({ kind, date, time }) => `${kind} ${date} ${time}`,
  );

const BERLIN = ['skipped 2027-03-28 02:30', 'repeated 2027-10-31 02:30'];

describe('local times that a change of the clocks skips or repeats', () => {
  it.each([
    ['daily, within the hour that is changed', 'cron(30 2 * * ? *)', 'Europe/Berlin', BERLIN],
    [
      'the first moment of that hour',
      'cron(0 2 * * ? *)',
      'Europe/Berlin',
      ['skipped 2027-03-28 02:00', 'repeated 2027-10-31 02:00'],
    ],
    [
      'the last minute of that hour',
      'cron(59 2 * * ? *)',
      'Europe/Berlin',
      ['skipped 2027-03-28 02:59', 'repeated 2027-10-31 02:59'],
    ],
    ['a minute before it', 'cron(59 1 * * ? *)', 'Europe/Berlin', []],
    ['the moment after it', 'cron(0 3 * * ? *)', 'Europe/Berlin', []],
    ['on the day alone that is changed', 'cron(30 2 ? * SUNL *)', 'Europe/Berlin', BERLIN],
    ['on other days alone', 'cron(30 2 ? * MON-SAT *)', 'Europe/Berlin', []],
    ['every other hour', 'cron(30 0/2 * * ? *)', 'Europe/Berlin', BERLIN],
    ['every hour, which nobody misses one of', 'cron(30 * * * ? *)', 'Europe/Berlin', []],
    ['every five minutes', 'cron(0/5 * * * ? *)', 'Europe/Berlin', []],
    ['twice within an hour', 'cron(0,45 2 * * ? *)', 'Europe/Berlin', []],
    ['where the change comes at another hour', 'cron(30 1 * * ? *)', 'America/New_York', ['repeated 2027-11-07 01:30']],
    ['where the change comes at midnight', 'cron(0 0 * * ? *)', 'America/Santiago', ['skipped 2027-09-05 00:00']],
    ['by half an hour, before', 'cron(29 1 * * ? *)', 'Australia/Lord_Howe', []],
    ['by half an hour', 'cron(30 1 * * ? *)', 'Australia/Lord_Howe', ['repeated 2027-04-04 01:30']],
    ['by half an hour, skipped', 'cron(29 2 * * ? *)', 'Australia/Lord_Howe', ['skipped 2027-10-03 02:29']],
    ['without changes of the clocks', 'cron(30 2 * * ? *)', 'Asia/Tokyo', []],
    ['in UTC', 'cron(30 2 * * ? *)', 'Etc/UTC', []],
    ['of a rate', 'rate(1 day)', 'Europe/Berlin', []],
    ['once, at a time that comes twice', 'at(2027-10-31T02:30:00)', 'Europe/Berlin', ['repeated 2027-10-31 02:30']],
    ['once, at another time', 'at(2027-10-31T03:30:00)', 'Europe/Berlin', []],
  ])('%s: %s in %s', (_, expression, timeZone, expected) => {
    expect(odd(expression, timeZone)).toEqual(expected);
  });

  it('are looked for in the range alone', () => {
    const change = Date.UTC(2027, 2, 28, 1);
    const [skipped] = BERLIN;
    expect(odd('cron(30 2 * * ? *)', 'Europe/Berlin', change - DAY, change + DAY)).toEqual([skipped]);
    expect(odd('cron(30 2 * * ? *)', 'Europe/Berlin', change + DAY, change + 2 * DAY)).toEqual([]);
    expect(odd('cron(30 2 * * ? *)', 'Europe/Berlin', change + DAY, change)).toEqual([]);
  });
});
