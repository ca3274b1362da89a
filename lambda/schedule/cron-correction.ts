import { WEEKDAY_NAMES } from './cron-fields';

/*
 * What the author of a refused cron expression meant most likely, as expressions that are accepted. Error messages quote them.
 */

/** Expressions that mean together what five fields of Unix cron mean. */
export function fromUnix(fields: readonly string[]): string[] {
  const [minute = '*', hour = '*', day = '*', month = '*', unixWeekday = '*'] = fields;
  const weekday = unixWeekday === '*' || unixWeekday === '?' ? unixWeekday : weekdayNames(unixWeekday);
  return fromBothDays([minute, hour, day, month, weekday, '*']);
}

/** Expressions for six fields both of whose day fields are given, or neither. */
export function fromBothDays(fields: readonly string[]): string[] {
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*', year = '*'] = fields;
  const onDay = `cron(${minute} ${hour} ${day === '?' ? '*' : day} ${month} ? ${year})`;
  const onWeekday = `cron(${minute} ${hour} ? ${month} ${weekday} ${year})`;
  const anyWeekday = weekday === '*' || weekday === '?';
  if (anyWeekday) {
    return [onDay];
  }
  return day === '*' || day === '?' ? [onWeekday] : [onDay, onWeekday];
}

/** The expression without the leading seconds of Quartz. */
export function fromQuartz(fields: readonly string[]): string[] {
  const [, minute = '*', hour = '*', day = '*', month = '*', weekday = '*', year = '*'] = fields;
  return [`cron(${[minute, hour, day, month, weekday, year].join(' ')})`];
}

/** The weekdays of a Unix field (0 and 7 = Sunday) by name. What isn't understood is kept, for the next check to name. */
function weekdayNames(unix: string): string {
  const days: string[] = [];
  for (const term of unix.split(',')) {
    const [, first, last, step] = /^(\*|[0-7])(?:-([0-7]))?(?:\/([1-7]))?$/.exec(term) ?? [];
    if (first === undefined) {
      return unix;
    }
    const from = first === '*' ? 0 : Number(first);
    const to = last === undefined ? (first === '*' || step !== undefined ? 6 : from) : Number(last);
    for (let day = from; day <= to; day += Number(step ?? 1)) {
      days.push(WEEKDAY_NAMES[day % 7] ?? unix);
    }
  }
  return asRange(days) ?? [...new Set(days)].join(',');
}

function asRange(days: readonly string[]): string | undefined {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const from = WEEKDAY_NAMES.findIndex((name) => name === first);
  const inOrder = days.every((day, place) => WEEKDAY_NAMES[from + place] === day);
  return days.length > 2 && inOrder ? `${first}-${last}` : undefined;
}
