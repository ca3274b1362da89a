import { nextAfter, occurrences, parseScheduleExpression, scheduledTimeText } from '../../../lambda/schedule';
import type { ScheduleBounds } from '../../../lambda/schedule';

/** The first firings after a time, as the Scheduler would write them. */
function firings(
  expression: string,
  timeZone: string,
  after: string,
  count: number,
  bounds?: ScheduleBounds,
): string[] {
  const schedule = parseScheduleExpression(expression, timeZone);
  const found: string[] = [];
  for (const at of occurrences(schedule, Date.parse(after), bounds)) {
    found.push(scheduledTimeText(at));
    if (found.length === count) {
      break;
    }
  }
  return found;
}

describe('cron', () => {
  test('B14: weekday 2 is Monday and weekday 7 is Saturday', () => {
    expect(firings('cron(0 0 ? * 2 *)', 'Etc/UTC', '2026-11-25T00:00:00Z', 1)).toEqual(['2026-11-30T00:00:00Z']);
    expect(firings('cron(0 0 ? * 7 *)', 'Etc/UTC', '2026-11-25T00:00:00Z', 1)).toEqual(['2026-11-28T00:00:00Z']);
  });

  test.each([
    ['cron(0 0 L 2 ? *)', ['2027-02-28', '2028-02-29']],
    ['cron(0 0 L-3 * ? *)', ['2026-11-27', '2026-12-28']],
    ['cron(0 0 31 * ? *)', ['2026-12-31', '2027-01-31', '2027-03-31']],
    ['cron(0 0 29 2 ? *)', ['2028-02-29', '2032-02-29']],
    ['cron(0 0 ? * 6L *)', ['2026-11-27', '2026-12-25']],
    ['cron(0 0 ? * MON#5 *)', ['2026-11-30', '2027-03-29']],
    ['cron(0 0 LW * ? *)', ['2026-11-30', '2026-12-31', '2027-01-29']],
    // 2026-11-15 is a Sunday, 2026-08-01 a Saturday, 2027-01-31 a Sunday.
    ['cron(0 0 15W * ? *)', ['2026-12-15', '2027-01-15', '2027-02-15']],
    ['cron(0 0 15W 11 ? 2026-2027)', ['2027-11-15']],
    ['cron(0 0 1W 8 ? *)', ['2027-08-02', '2028-08-01']],
    ['cron(0 0 1W 5 ? 2027)', ['2027-05-03']],
    ['cron(0 0 31W 1 ? *)', ['2027-01-29', '2028-01-31']],
    ['cron(0 0 1 1 ? 2027)', ['2027-01-01']],
  ])('%s names the right days', (expression, days) => {
    const found = firings(expression, 'Etc/UTC', '2026-11-20T12:00:00Z', days.length);
    expect(found).toEqual(days.map((day) => `${day}T00:00:00Z`));
  });

  test('a schedule fires no more after its last year', () => {
    const schedule = parseScheduleExpression('cron(0 0 1 1 ? 2020)');
    expect(nextAfter(schedule, Date.UTC(2020, 0, 1) - 1)).toBe(Date.UTC(2020, 0, 1));
    expect(nextAfter(schedule, Date.UTC(2020, 0, 1))).toBeUndefined();
  });

  test('start and end bound it, both inclusive', () => {
    const bounds = { start: Date.parse('2026-11-29T22:00:00Z'), end: Date.parse('2026-11-30T00:00:00Z') };
    expect(firings('cron(0 * * * ? *)', 'Etc/UTC', '2026-01-01T00:00:00Z', 9, bounds)).toEqual([
      '2026-11-29T22:00:00Z',
      '2026-11-29T23:00:00Z',
      '2026-11-30T00:00:00Z',
    ]);
  });
});

describe('changes of the clocks', () => {
  test('B17: a daily 02:30 in Berlin is skipped when the clocks go forward over it', () => {
    expect(firings('cron(30 2 * * ? *)', 'Europe/Berlin', '2026-03-27T12:00:00Z', 3)).toEqual([
      '2026-03-28T01:30:00Z',
      '2026-03-30T00:30:00Z',
      '2026-03-31T00:30:00Z',
    ]);
  });

  test('B17: a daily 02:30 in Berlin fires once when the clocks show it twice', () => {
    expect(firings('cron(30 2 * * ? *)', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00Z',
      '2026-10-26T01:30:00Z',
    ]);
    // From within the second showing of 02:xx.
    expect(firings('cron(30 2 * * ? *)', 'Europe/Berlin', '2026-10-25T01:10:00Z', 1)).toEqual(['2026-10-26T01:30:00Z']);
  });

  test('B17: a daily 01:30 in New York fires once when the clocks show it twice', () => {
    expect(firings('cron(30 1 * * ? *)', 'America/New_York', '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-02T06:30:00Z',
    ]);
  });

  test('B17: a daily 02:30 in New York is skipped when the clocks go forward over it, 01:30 is not', () => {
    expect(firings('cron(30 2 * * ? *)', 'America/New_York', '2026-03-07T12:00:00Z', 1)).toEqual([
      '2026-03-09T06:30:00Z',
    ]);
    expect(firings('cron(30 1 * * ? *)', 'America/New_York', '2026-03-07T12:00:00Z', 2)).toEqual([
      '2026-03-08T06:30:00Z',
      '2026-03-09T05:30:00Z',
    ]);
  });

  test('B17: a schedule of every half hour leaves out the hour that is shown again', () => {
    expect(firings('cron(0/30 * * * ? *)', 'Europe/Berlin', '2026-10-24T23:59:00Z', 4)).toEqual([
      '2026-10-25T00:00:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T02:00:00Z',
      '2026-10-25T02:30:00Z',
    ]);
  });

  test('a day that a zone left out altogether is skipped', () => {
    expect(firings('cron(0 12 * * ? *)', 'Pacific/Apia', '2011-12-29T12:00:00Z', 2)).toEqual([
      '2011-12-29T22:00:00Z',
      '2011-12-30T22:00:00Z',
    ]);
    expect(firings('cron(0 12 30 12 ? *)', 'Pacific/Apia', '2011-01-01T00:00:00Z', 1)).toEqual([
      '2012-12-29T22:00:00Z',
    ]);
  });

  test('B17: a rate of a day is 24 hours, whatever the clocks do', () => {
    const bounds = { start: Date.parse('2026-03-28T01:00:00Z') };
    expect(firings('rate(1 day)', 'Europe/Berlin', '2026-03-27T00:00:00Z', 3, bounds)).toEqual([
      '2026-03-28T01:00:00Z',
      '2026-03-29T01:00:00Z',
      '2026-03-30T01:00:00Z',
    ]);
  });
});

describe('rate and at', () => {
  test('a rate counts from its start and ends with its end', () => {
    const bounds = { start: Date.parse('2026-01-01T00:02:30Z'), end: Date.parse('2026-01-01T00:12:30Z') };
    expect(firings('rate(5 minutes)', 'Etc/UTC', '2025-01-01T00:00:00Z', 9, bounds)).toEqual([
      '2026-01-01T00:02:30Z',
      '2026-01-01T00:07:30Z',
      '2026-01-01T00:12:30Z',
    ]);
  });

  test('a rate without a start counts from 1970', () => {
    expect(firings('rate(5 minutes)', 'Etc/UTC', '2026-01-01T00:01:00Z', 1)).toEqual(['2026-01-01T00:05:00Z']);
  });

  test('an at schedule fires once and ignores bounds', () => {
    const bounds = { start: Date.parse('2030-01-01T00:00:00Z') };
    expect(firings('at(2026-01-01T00:00:00)', 'Etc/UTC', '2025-01-01T00:00:00Z', 9, bounds)).toEqual([
      '2026-01-01T00:00:00Z',
    ]);
  });

  test('at a time that the clocks show twice means the first', () => {
    expect(firings('at(2026-10-25T02:30:00)', 'Europe/Berlin', '2026-01-01T00:00:00Z', 9)).toEqual([
      '2026-10-25T00:30:00Z',
    ]);
  });
});
