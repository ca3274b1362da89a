import { CronFanoutError } from '../contract';
import { CRON_FIELDS, parseDayOfMonth, parseDayOfWeek, parseValues } from './cron-fields';
import { fromBothDays, fromQuartz, fromUnix } from './cron-correction';
import { nextAfter, scheduledTimeText } from './firing';
import { firstInstantOf } from './local-time';
import { CRON_YEARS } from './schedule';
import type { CronSchedule, Schedule } from './schedule';
import { checkTimeZone } from './time-zone';

const UNIT_SECONDS = { minute: 60, hour: 3600, day: 86_400 } as const;
/** Longest rate that times can be computed with: about 270,000 years. */
const MAX_RATE_SECONDS = 8_640_000_000_000;

/**
 * Reads an expression as EventBridge Scheduler does, and refuses what it would refuse when it is deployed, or accept and never fire.
 *
 * @param expression `cron(minute hour day-of-month month day-of-week year)`, `rate(value unit)` or `at(yyyy-mm-ddThh:mm:ss)`
 * @param timeZone IANA name of the zone that the expression means
 * @throws CronFanoutError `UnknownScheduleExpression`, `CronFieldCount`, `CronDayFields`, `InvalidCronField`, `InvalidRate`, `InvalidAt`,
 * `UnknownTimeZone` or `ScheduleNeverFires`; the message holds the corrected form where one can be told
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 */
export function parseScheduleExpression(expression: string, timeZone = 'Etc/UTC'): Schedule {
  const [, kind, body = ''] = /^(cron|rate|at)\((.*)\)$/.exec(expression) ?? [];
  if (kind === undefined) {
    throw new CronFanoutError('UnknownScheduleExpression', {
      what: 'schedule expression',
      received: JSON.stringify(expression),
      allowed: 'cron(...), rate(...) or at(yyyy-mm-ddThh:mm:ss), in lower case',
      change: wrapped(expression),
    });
  }
  checkTimeZone(timeZone);
  if (kind === 'rate') {
    return { kind, expression, timeZone, seconds: rateSeconds(expression, body) };
  }
  return kind === 'at'
    ? { kind, expression, timeZone, at: atTime(expression, body, timeZone) }
    : parseCron(expression, body, timeZone);
}

function wrapped(expression: string): string {
  const fields = expression.trim().split(/\s+/);
  if (fields.length === 5) {
    return `write ${fromUnix(fields).join(' and a second schedule ')}`;
  }
  return fields.length === 6 ? `write cron(${fields.join(' ')})` : 'write for example rate(5 minutes)';
}

function rateSeconds(expression: string, body: string): number {
  const [, digits, unit = ''] = /^(\d+) (minute|hour|day)s?$/.exec(body) ?? [];
  const value = Number(digits);
  const seconds = value * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
  const written = `${value} ${unit}${value === 1 ? '' : 's'}`;
  if (digits === undefined || value === 0 || seconds > MAX_RATE_SECONDS) {
    throw refusedRate(
      expression,
      'write for example rate(1 minute), which is the shortest, rate(5 minutes) or rate(1 day)',
    );
  }
  if (body !== written) {
    throw refusedRate(expression, `write rate(${written})`);
  }
  return seconds;
}

function refusedRate(expression: string, change: string): CronFanoutError {
  return new CronFanoutError('InvalidRate', {
    what: 'rate expression',
    received: JSON.stringify(expression),
    allowed: 'rate(1 minute|hour|day), or rate(n minutes|hours|days) with a whole n above 1',
    change,
  });
}

function atTime(expression: string, body: string, timeZone: string): number {
  const written = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(body) ? Date.parse(`${body}Z`) : NaN;
  if (Number.isNaN(written) || scheduledTimeText(written) !== `${body}Z`) {
    throw new CronFanoutError('InvalidAt', {
      what: 'at expression',
      received: JSON.stringify(expression),
      allowed:
        'at(yyyy-mm-ddThh:mm:ss): a date that exists, local time of the time zone of the schedule, no fraction and no offset',
      change: 'write for example at(2026-01-31T09:00:00)',
    });
  }
  const at = firstInstantOf(written, timeZone);
  if (at === undefined) {
    throw neverFires(expression, `the clocks of ${timeZone} are put forward over this time: choose another`);
  }
  return at;
}

function parseCron(expression: string, body: string, timeZone: string): CronSchedule {
  const fields = body.split(/\s+/);
  checkFields(expression, fields);
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = ''] = fields;
  const schedule: CronSchedule = {
    kind: 'cron',
    expression,
    timeZone,
    minutes: parseValues(minute, CRON_FIELDS.minute),
    hours: parseValues(hour, CRON_FIELDS.hour),
    days: dayOfMonth === '?' ? parseDayOfWeek(dayOfWeek) : parseDayOfMonth(dayOfMonth),
    months: parseValues(month, CRON_FIELDS.month),
    years: parseValues(year, CRON_FIELDS.year),
  };
  if (nextAfter(schedule, Date.UTC(CRON_YEARS.min - 1, 0)) === undefined) {
    throw neverFires(expression, 'choose days that these months and years have, at a time that the clocks show');
  }
  return schedule;
}

function checkFields(expression: string, fields: readonly string[]): void {
  const [, , dayOfMonth, , dayOfWeek, year] = fields;
  if (fields.length !== 6 || fields.includes('') || year === '?') {
    const meant =
      fields.length === 5 ? fromUnix(fields) : fields.length === 7 || year === '?' ? fromQuartz(fields) : [];
    throw new CronFanoutError('CronFieldCount', {
      what: 'fields of the cron expression',
      received: JSON.stringify(expression),
      allowed:
        'six fields: minute hour day-of-month month day-of-week year, without seconds, one of the day fields being ?',
      change:
        meant.length === 0 ? 'write for example cron(0 12 * * ? *)' : `write ${meant.join(' and a second schedule ')}`,
    });
  }
  if ((dayOfMonth === '?') === (dayOfWeek === '?')) {
    throw new CronFanoutError('CronDayFields', {
      what: 'day-of-month and day-of-week fields of the cron expression',
      received: JSON.stringify(expression),
      allowed: 'exactly one of the two is ?',
      change: `write ${fromBothDays(fields).join(' and a second schedule ')}`,
    });
  }
}

function neverFires(expression: string, change: string): CronFanoutError {
  return new CronFanoutError('ScheduleNeverFires', {
    what: 'schedule expression',
    received: JSON.stringify(expression),
    allowed: 'an expression that fires at least once',
    change,
  });
}
