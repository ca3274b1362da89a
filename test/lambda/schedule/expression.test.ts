import { CronFanoutError } from '../../../lambda/contract';
import { parseScheduleExpression, scheduleHints } from '../../../lambda/schedule';
import type { CronSchedule } from '../../../lambda/schedule';

function refusal(expression: string, timeZone?: string): CronFanoutError {
  try {
    parseScheduleExpression(expression, timeZone);
  } catch (error) {
    if (error instanceof CronFanoutError) {
      return error;
    }
    throw error;
  }
  throw new Error(`${expression} was accepted`);
}

const cron = (expression: string): CronSchedule => parseScheduleExpression(expression) as CronSchedule;

describe('cron expressions', () => {
  test('what the CDK writes is read', () => {
    expect(cron('cron(0/5 * * * ? *)')).toMatchObject({
      kind: 'cron',
      timeZone: 'Etc/UTC',
      minutes: [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55],
    });
    expect(parseScheduleExpression('rate(5 minutes)')).toMatchObject({ kind: 'rate', seconds: 300 });
    expect(parseScheduleExpression('at(2026-01-01T00:00:00)')).toMatchObject({ kind: 'at', at: Date.UTC(2026, 0, 1) });
  });

  test.each([
    ['cron(1,3-5,50/3 * * * ? *)', { minutes: [1, 3, 4, 5, 50, 53, 56, 59] }],
    ['cron(0 8-18/2 * * ? *)', { hours: [8, 10, 12, 14, 16, 18] }],
    ['cron(0 */6 * * ? *)', { hours: [0, 6, 12, 18] }],
    ['cron(0 0 1 jan,MAR-may ? *)', { months: [1, 3, 4, 5] }],
    ['cron(0 0 1 1/5 ? 2026-2027)', { months: [1, 6, 11], years: [2026, 2027] }],
    ['cron(0 0 ? * MON-FRI *)', { days: { kind: 'daysOfWeek', weekdays: [2, 3, 4, 5, 6] } }],
    ['cron(0 0 ? * 2/2 *)', { days: { kind: 'daysOfWeek', weekdays: [2, 4, 6] } }],
    ['cron(0 0 ? * L *)', { days: { kind: 'daysOfWeek', weekdays: [7] } }],
    ['cron(0 0 ? * 6L *)', { days: { kind: 'lastWeekday', weekday: 6 } }],
    ['cron(0 0 ? * FRIL *)', { days: { kind: 'lastWeekday', weekday: 6 } }],
    ['cron(0 0 ? * TUE#2 *)', { days: { kind: 'nthWeekday', weekday: 3, nth: 2 } }],
    ['cron(0 0 L * ? *)', { days: { kind: 'lastOfMonth', daysBefore: 0 } }],
    ['cron(0 0 L-3 * ? *)', { days: { kind: 'lastOfMonth', daysBefore: 3 } }],
    ['cron(0 0 LW * ? *)', { days: { kind: 'lastWorkday' } }],
    ['cron(0 0 15W * ? *)', { days: { kind: 'workdayNearest', day: 15 } }],
    ['cron(0 0 1,15 * ? *)', { days: { kind: 'daysOfMonth', days: [1, 15] } }],
  ])('%s is read field by field', (expression, expected) => {
    expect(cron(expression)).toMatchObject(expected);
  });

  test.each([
    ['cron(60 * * * ? *)', /minute field .*received "60".*0-59/],
    ['cron(-1 * * * ? *)', /minute field/],
    ['cron(1,,2 * * * ? *)', /minute field .*write ""/],
    ['cron(0/0 * * * ? *)', /choose a step from 1 to 59/],
    ['cron(0/90 * * * ? *)', /choose a step from 1 to 59, or use rate/],
    ['cron(0 24 * * ? *)', /hour field/],
    ['cron(0 22-2 * * ? *)', /22-23,0-2/],
    ['cron(0 0 0 * ? *)', /day-of-month field/],
    ['cron(0 0 32 * ? *)', /day-of-month field/],
    ['cron(0 0 L-31 * ? *)', /at most 30 days back/],
    ['cron(0 0 1,L * ? *)', /on their own/],
    ['cron(0 0 10W-12W * ? *)', /on their own/],
    ['cron(0 0 1 13 ? *)', /month field .*JAN-DEC/],
    ['cron(0 0 1 ? ? *)', /month field/],
    ['cron(0 0 1 * ? 1969)', /year field .*1970-2199/],
    ['cron(0 0 1 * ? 2200)', /year field/],
    ['cron(0 0 ? * 8 *)', /day-of-week field/],
    ['cron(0 0 ? * MO *)', /day-of-week field .*replace "MO"/],
    ['cron(0 0 ? * FRI-MON *)', /FRI-SAT,SUN-MON/],
    ['cron(0 0 ? * MON#6 *)', /from 1 to 5/],
    ['cron(0 0 ? * 3#1,6#3 *)', /on their own/],
  ])('%s is refused with the field and what it allows', (expression, message) => {
    const error = refusal(expression);
    expect(error.code).toBe('InvalidCronField');
    expect(error.message).toMatch(message);
  });

  test.each(['cron(0 0 31 2 ? *)', 'cron(0 0 30 FEB ? *)', 'cron(0 0 31 4,6,9,11 ? *)', 'cron(0 0 29 2 ? 2025-2027)'])(
    '%s never fires and is refused',
    (expression) => {
      expect(refusal(expression).code).toBe('ScheduleNeverFires');
    },
  );

  test('a cron expression whose only time the clocks skip never fires and is refused', () => {
    expect(refusal('cron(30 2 29 3 ? 2026)', 'Europe/Berlin').code).toBe('ScheduleNeverFires');
    expect(parseScheduleExpression('cron(30 2 29 3 ? 2026)')).toBeDefined();
  });

  test('B14: weekday 0 is refused and the message says how AWS counts', () => {
    const error = refusal('cron(15 12 ? * 0 *)');
    expect(error.code).toBe('InvalidCronField');
    expect(error.message).toContain('AWS uses 1-7 = SUN-SAT or names');
    expect(refusal('cron(15 12 ? * -1 *)').code).toBe('InvalidCronField');
    expect(refusal('cron(15 12 ? * 0-6 *)').message).toContain('write SUN for the 0');
  });

  test('B14: weekdays that mean another day in Unix cron are accepted with a hint', () => {
    expect(scheduleHints(cron('cron(0 9 ? * 1-5 *)'))).toEqual([expect.stringContaining('write MON-FRI')]);
    expect(scheduleHints(cron('cron(0 9 ? * 7 *)'))).toEqual([expect.stringContaining('7 is SAT')]);
    expect(scheduleHints(cron('cron(0 9 ? * 2-6 *)'))).toEqual([]);
    expect(scheduleHints(cron('cron(0 9 7 * ? *)'))).toEqual([]);
    expect(scheduleHints(parseScheduleExpression('rate(7 days)'))).toEqual([]);
  });

  test.each([
    ['cron(* * * * *)', 'CronFieldCount', 'write cron(* * * * ? *)'],
    ['cron(0 12 * * 1 *)', 'CronDayFields', 'write cron(0 12 ? * 1 *)'],
    ['cron(0 9 ? * ? *)', 'CronDayFields', 'write cron(0 9 * * ? *)'],
    ['cron(0 12 1 * * *)', 'CronDayFields', 'write cron(0 12 1 * ? *)'],
    ['cron(0 12 * * * *)', 'CronDayFields', 'write cron(0 12 * * ? *)'],
    ['cron(0 12 * * 1-5)', 'CronFieldCount', 'write cron(0 12 ? * MON-FRI *)'],
    ['cron(0 12 * * 0,6)', 'CronFieldCount', 'write cron(0 12 ? * SUN,SAT *)'],
    ['cron(0 12 * * 5-7)', 'CronFieldCount', 'write cron(0 12 ? * FRI,SAT,SUN *)'],
    ['cron(0 12 * * */2)', 'CronFieldCount', 'write cron(0 12 ? * SUN,TUE,THU,SAT *)'],
    ['cron(0 12 13 * 5)', 'CronFieldCount', 'cron(0 12 13 * ? *) and a second schedule cron(0 12 ? * FRI *)'],
    ['cron(0 0 12 * * ?)', 'CronFieldCount', 'write cron(0 12 * * ? *)'],
    ['cron(0 0 12 ? * MON *)', 'CronFieldCount', 'write cron(0 12 ? * MON *)'],
    ['cron()', 'CronFieldCount', 'cron(0 12 * * ? *)'],
    ['*/5 * * * *', 'UnknownScheduleExpression', 'write cron(*/5 * * * ? *)'],
    ['0/5 * * * ? *', 'UnknownScheduleExpression', 'write cron(0/5 * * * ? *)'],
    ['every 5 minutes', 'UnknownScheduleExpression', 'rate(5 minutes)'],
  ])('B15: %s is refused with the corrected form', (expression, code, corrected) => {
    const error = refusal(expression);
    expect(error.code).toBe(code);
    expect(error.message).toContain(corrected);
  });

  test('B15: a day field ? beside a weekday is accepted', () => {
    expect(cron('cron(0 9 ? * MON-FRI *)').days).toEqual({ kind: 'daysOfWeek', weekdays: [2, 3, 4, 5, 6] });
  });
});

describe('rate expressions', () => {
  test.each([
    ['rate(1 minute)', 60],
    ['rate(3 minutes)', 180],
    ['rate(60 minutes)', 3600],
    ['rate(1 hour)', 3600],
    ['rate(1 day)', 86_400],
    ['rate(7 days)', 604_800],
  ])('B16: %s is read', (expression, seconds) => {
    expect(parseScheduleExpression(expression)).toMatchObject({ kind: 'rate', seconds });
  });

  test.each([
    ['rate(1 minutes)', 'write rate(1 minute)'],
    ['rate(3 minute)', 'write rate(3 minutes)'],
    ['rate(1 days)', 'write rate(1 day)'],
    ['rate(05 minutes)', 'write rate(5 minutes)'],
    ['rate(30 seconds)', 'rate(1 minute), which is the shortest'],
    ['rate(90 seconds)', 'rate(1 minute), which is the shortest'],
    ['rate(0 minutes)', 'rate(1 minute), which is the shortest'],
    ['rate(1.5 hours)', 'rate(1 minute), which is the shortest'],
    ['rate(-5 minutes)', 'rate(1 minute), which is the shortest'],
    ['rate(5)', 'rate(5 minutes)'],
    ['rate(99999999999999999999 days)', 'rate(1 day)'],
  ])('B16: %s is refused with the corrected form', (expression, corrected) => {
    const error = refusal(expression);
    expect(error.code).toBe('InvalidRate');
    expect(error.message).toContain(corrected);
  });
});

describe('at expressions', () => {
  test('the time is local to the time zone', () => {
    expect(parseScheduleExpression('at(2026-07-01T09:00:00)', 'Europe/Berlin')).toMatchObject({
      at: Date.UTC(2026, 6, 1, 7),
    });
  });

  test.each([
    'at(2026-02-30T00:00:00)',
    'at(2026-01-01T24:00:00)',
    'at(2026-01-01)',
    'at(2026-01-01T00:00:00Z)',
    'at(2026-01-01T00:00:00.000)',
  ])('%s is refused', (expression) => {
    expect(refusal(expression).code).toBe('InvalidAt');
  });

  test('a time that the clocks skip is refused', () => {
    expect(refusal('at(2026-03-29T02:30:00)', 'Europe/Berlin').code).toBe('ScheduleNeverFires');
  });
});

describe('time zones', () => {
  test.each(['Etc/UTC', 'UTC', 'Europe/Berlin', 'America/New_York', 'US/Eastern', 'Asia/Kolkata', 'Etc/GMT+5'])(
    '%s is known',
    (timeZone) => {
      expect(parseScheduleExpression('rate(1 day)', timeZone).timeZone).toBe(timeZone);
    },
  );

  test.each([
    ['Europe/Berlim', 'write "Europe/Berlin"'],
    ['europe/berlin', 'write "Europe/Berlin"'],
    ['Berlin', 'write "Europe/Berlin"'],
    ['America/NewYork', '"America/New_York"'],
    ['America/new york', '"America/New_York"'],
    ['+01:00', 'write such a name'],
    ['Nowhere/Atlantis', 'write such a name'],
    ['', 'write such a name'],
  ])('B17: the unknown zone %j is refused with the nearest names', (timeZone, suggestion) => {
    const error = refusal('rate(1 day)', timeZone);
    expect(error.code).toBe('UnknownTimeZone');
    expect(error.message).toContain(suggestion);
  });
});
