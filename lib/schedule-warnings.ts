import { Token } from 'aws-cdk-lib';
import { oddTimes, parseScheduleExpression } from '../lambda/schedule';
import type { OddTime } from '../lambda/schedule';
import type { ScheduleOptions } from './props';
import type { Warning } from './warnings';

/** Doubts a flexible window in which ticks can overtake each other. Both in seconds; an infinite window is one that is not known. */
export function windowWarnings(interval: number, window: number): Warning[] {
  return window < interval || window === Infinity
    ? []
    : [
        {
          id: 'cron-fanout:timeWindow',
          message: `timeWindow is ${window} seconds, and the ticks come every ${interval} seconds: two can come together or in the wrong order, and one of them then meets the run of the other. Choose a window below ${interval} seconds, or a schedule that is rarer`,
        },
      ];
}

/** Time that changes of the clocks are looked for: two years hold each of a zone's twice. */
const CLOCK_HORIZON_MS = 2 * 366 * 86_400_000;

/**
 * Names the days on which a schedule does something else than on all others, because the clocks are changed.
 *
 * @param now epoch milliseconds
 */
export function clockWarnings({ schedule, start, end }: ScheduleOptions, now: number): Warning[] {
  const { expressionString, timeZone } = schedule;
  if (Token.isUnresolved(expressionString) || Token.isUnresolved(timeZone?.timezoneName)) {
    return [];
  }
  const from = Math.max(now, start?.getTime() ?? 0);
  const to = Math.min(from + CLOCK_HORIZON_MS, end?.getTime() ?? Infinity);
  const odd = oddTimes(parseScheduleExpression(expressionString, timeZone?.timezoneName), from, to);
  const list = (kind: OddTime['kind']): string =>
    odd
      .filter((time) => time.kind === kind)
      .map(({ date, time }) => `${date} ${time}`)
      .join(', ');
  const parts = [
    ...(list('skipped') === '' ? [] : [`${list('skipped')} does not exist, and nothing fires`]),
    ...(list('repeated') === '' ? [] : [`${list('repeated')} comes twice, and the first time alone fires`]),
  ];
  return parts.length === 0
    ? []
    : [
        {
          id: 'cron-fanout:clockChange',
          message: `schedule: the clocks of ${timeZone?.timezoneName ?? 'Etc/UTC'} are changed: ${parts.join('; ')}. Choose a time that every day has once, or acknowledge this`,
        },
      ];
}
