import { CronFanoutError } from '../contract';
import { CRON_YEARS } from './schedule';
import type { DayRule } from './schedule';

const MONTH_NAMES = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
/** Names of the weekdays in the order in which AWS numbers them, from 1. */
export const WEEKDAY_NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;

/** One of the six fields. */
interface CronField {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Largest step after `/`. */
  readonly maxStep: number;
  /** Names of the values, from `min` on. */
  readonly names: readonly string[];
  readonly allowed: string;
}

/** The fields and what the service allows in them. @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based */
export const CRON_FIELDS = {
  minute: { name: 'minute', min: 0, max: 59, maxStep: 59, names: [], allowed: '0-59 and , - * /' },
  hour: { name: 'hour', min: 0, max: 23, maxStep: 23, names: [], allowed: '0-23 and , - * /' },
  dayOfMonth: { name: 'day-of-month', min: 1, max: 31, maxStep: 31, names: [], allowed: '1-31 and , - * ? / L W' },
  month: { name: 'month', min: 1, max: 12, maxStep: 12, names: MONTH_NAMES, allowed: '1-12 or JAN-DEC and , - * /' },
  dayOfWeek: {
    name: 'day-of-week',
    min: 1,
    max: 7,
    maxStep: 7,
    names: WEEKDAY_NAMES,
    allowed: '1-7 or SUN-SAT (AWS counts 1 = SUN to 7 = SAT) and , - * ? / L #',
  },
  year: {
    name: 'year',
    ...CRON_YEARS,
    maxStep: CRON_YEARS.max - CRON_YEARS.min,
    names: [],
    allowed: '1970-2199 and , - * /',
  },
} as const satisfies Record<string, CronField>;

/** The values that a field names, ascending and each once. */
export function parseValues(text: string, field: CronField): number[] {
  const values = new Set<number>();
  for (const term of text.split(',')) {
    const { from, to, step } = parseTerm(term, text, field);
    for (let value = from; value <= to; value += step) {
      values.add(value);
    }
  }
  return [...values].sort((a, b) => a - b);
}

function parseTerm(term: string, text: string, field: CronField): { from: number; to: number; step: number } {
  const [, range = '', step] = /^(\*|\w+(?:-\w+)?)(?:\/(\d+))?$/.exec(term) ?? [];
  if (range === '') {
    throw refused(field, text, `write ${JSON.stringify(term)} as a value, a range a-b, * or one of them with /step`);
  }
  const stride = step === undefined ? 1 : Number(step);
  if (stride < 1 || stride > field.maxStep) {
    throw refused(field, text, `choose a step from 1 to ${field.maxStep}, or use rate(...) for longer intervals`);
  }
  if (range === '*') {
    return { from: field.min, to: field.max, step: stride };
  }
  const [first = '', last] = range.split('-');
  const from = parseValue(first, text, field);
  if (last === undefined) {
    return { from, to: step === undefined ? from : field.max, step: stride };
  }
  const to = parseValue(last, text, field);
  if (to < from) {
    const [min, max] = [field.names[0] ?? String(field.min), field.names.at(-1) ?? String(field.max)];
    const stepped = step === undefined ? '' : `/${step}`;
    throw refused(field, text, `split the range at its end: ${first}-${max}${stepped},${min}-${last}${stepped}`);
  }
  return { from, to, step: stride };
}

function parseValue(word: string, text: string, field: CronField): number {
  const named = field.names.indexOf(word.toUpperCase());
  const value = named === -1 ? Number(word) : field.min + named;
  if (!(named !== -1 || /^\d{1,4}$/.test(word)) || value < field.min || value > field.max) {
    const change =
      field.name === 'day-of-week' && value === 0
        ? 'AWS uses 1-7 = SUN-SAT or names: write SUN for the 0 of Unix cron, and count the other numbers one up'
        : `replace ${JSON.stringify(word)}`;
    throw refused(field, text, change);
  }
  return value;
}

/** The days that a day-of-month field other than `?` names. `L-n` and `LW` are known from Quartz, whose dialect the service follows. */
export function parseDayOfMonth(text: string): DayRule {
  const field = CRON_FIELDS.dayOfMonth;
  const [, before] = /^L(?:-(\d{1,2}))?$/i.exec(text) ?? [];
  if (before !== undefined || text.toUpperCase() === 'L') {
    if (Number(before ?? 0) >= field.max) {
      throw refused(field, text, 'count at most 30 days back from the last');
    }
    return { kind: 'lastOfMonth', daysBefore: Number(before ?? 0) };
  }
  if (text.toUpperCase() === 'LW') {
    return { kind: 'lastWorkday' };
  }
  const [, day] = /^(\d{1,2})W$/i.exec(text) ?? [];
  if (day !== undefined) {
    return { kind: 'workdayNearest', day: parseValue(day, text, field) };
  }
  refuseInLists(text, /[LW]/i, field);
  return { kind: 'daysOfMonth', days: parseValues(text, field) };
}

/** The days that a day-of-week field other than `?` names. */
export function parseDayOfWeek(text: string): DayRule {
  const field = CRON_FIELDS.dayOfWeek;
  if (text.toUpperCase() === 'L') {
    return { kind: 'daysOfWeek', weekdays: [field.max] };
  }
  const [, last] = /^(\w+)L$/i.exec(text) ?? [];
  if (last !== undefined) {
    return { kind: 'lastWeekday', weekday: parseValue(last, text, field) };
  }
  const [, weekday, nth] = /^(\w+)#(\d+)$/.exec(text) ?? [];
  if (weekday !== undefined) {
    if (Number(nth) < 1 || Number(nth) > 5) {
      throw refused(field, text, 'number the week of the month from 1 to 5 after #, or write L for the last');
    }
    return { kind: 'nthWeekday', weekday: parseValue(weekday, text, field), nth: Number(nth) };
  }
  refuseInLists(text, /#|\dL|[A-Z]{3}L/i, field);
  return { kind: 'daysOfWeek', weekdays: parseValues(text, field) };
}

function refuseInLists(text: string, special: RegExp, field: CronField): void {
  if (special.test(text) && /[,/-]/.test(text)) {
    throw refused(field, text, 'use L, W and # on their own; make one schedule for each of the days');
  }
}

function refused(field: CronField, text: string, change: string): CronFanoutError {
  return new CronFanoutError('InvalidCronField', {
    what: `${field.name} field of the cron expression`,
    received: JSON.stringify(text),
    allowed: field.allowed,
    change,
  });
}
