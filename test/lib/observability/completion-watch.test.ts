import { Duration, Token } from 'aws-cdk-lib';
import { ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { TimeZone } from 'aws-cdk-lib';
import { CLOUDWATCH } from '../../../lambda/contract';
import type { CronFanoutProps } from '../../../lib';
import { watchCompletion } from '../../../lib/observability/completion-watch';
import type { TickTimes } from '../../../lib/observability/completion-watch';
import { readSettings } from '../../../lib/settings';
import { MINIMAL, thrownBy } from '../fanout-stack';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const every = (seconds: number, more: Partial<TickTimes> = {}): TickTimes => ({
  shortest: seconds,
  longest: seconds,
  window: 0,
  isEndless: true,
  isKnown: true,
  ...more,
});
const seconds = (ticks: TickTimes, periods?: number): number | undefined => {
  const { watch } = watchCompletion(ticks, periods);
  return watch === undefined ? undefined : watch.period * watch.evaluationPeriods;
};
const of = (props: Partial<CronFanoutProps>): ReturnType<typeof readSettings> => readSettings({ ...MINIMAL, ...props });

describe('how long no run may be completed', () => {
  it.each([
    ['every minute: an hour at least', every(MINUTE), undefined, HOUR],
    ['every five minutes: an hour at least', every(5 * MINUTE), undefined, HOUR],
    ['every half hour: two periods', every(30 * MINUTE), undefined, HOUR],
    ['every 31 minutes: two periods, in whole periods of the alarm', every(31 * MINUTE), undefined, 65 * MINUTE],
    ['every hour', every(HOUR), undefined, 2 * HOUR],
    ['every day', every(DAY), undefined, 2 * DAY],
    ['every third day', every(3 * DAY), undefined, 6 * DAY],
    ['every fifth day: what CloudWatch can look back', every(5 * DAY), undefined, 7 * DAY],
    ['asked for: exactly that', every(MINUTE), 3, 3 * MINUTE],
    ['asked for: parts of a period', every(DAY), 1.25, 30 * HOUR],
    ['a night counts once', every(5 * MINUTE, { longest: 15 * HOUR }), undefined, 15 * HOUR + 5 * MINUTE],
    ['as late as a window allows', every(DAY, { window: HOUR }), undefined, 49 * HOUR],
  ] as const)('%s', (_, ticks, periods, expected) => {
    expect(seconds(ticks, periods)).toBe(expected);
  });

  it.each([1, 30, 59, 60, 61, 1440, 1441, 5000, 10_079, 10_080])(
    'never has CloudWatch look back further than it can: %i minutes',
    (minutes) => {
      const { watch } = watchCompletion(every(MINUTE), minutes);
      const { period, evaluationPeriods } = watch!;
      const { shortPeriod, longPeriod } = CLOUDWATCH.lookBackSeconds;
      expect(period * evaluationPeriods).toBeLessThanOrEqual(
        period < CLOUDWATCH.longPeriodSeconds ? shortPeriod : longPeriod,
      );
      expect(period * evaluationPeriods).toBeGreaterThanOrEqual(minutes * MINUTE);
      expect(period % MINUTE).toBe(0);
    },
  );

  it('refuses periods that were asked for and are more than seven days', () => {
    expect(seconds(every(DAY), 7)).toBe(7 * DAY);
    const error = thrownBy(() => watchCompletion(every(DAY), 7.1));
    expect(error.code).toBe('AlarmLooksBackTooFar');
    expect(error.message).toContain('7.1, which is 7.1 days of this schedule');
    expect(error.message).toContain('alarms: { noCompletedRun: { enabled: false } }');
  });

  it('gives up with a warning where ticks are too far apart', () => {
    expect(seconds(every(6.5 * DAY))).toBe(7 * DAY);
    const { watch, warnings } = watchCompletion(every(6.6 * DAY), undefined);
    expect(watch).toBeUndefined();
    expect(warnings.map(({ id }) => id)).toEqual(['cron-fanout:noCompletedRunUnwatched']);
    expect(warnings[0]!.message).toContain('6.6 days');
  });
});

describe('where nothing comes for certain, there is no alarm and no warning', () => {
  it.each([
    ['a schedule that fires once', { schedule: ScheduleExpression.at(new Date('2030-01-01T00:00:00Z')) }],
    ['a schedule that is not enabled', { enabled: false }],
    ['a schedule that ends', { end: new Date('2030-01-01T00:00:00Z') }],
  ])('%s', (_, props) => {
    const { alarms } = of(props);
    expect(alarms.alarms).not.toHaveProperty('noCompletedRun');
    expect(alarms.warnings).toEqual([]);
  });
});

describe('what a schedule leads to', () => {
  it('a change of the clocks is no missed run', () => {
    const schedule = ScheduleExpression.cron({ minute: '0/5', timeZone: TimeZone.EUROPE_BERLIN });
    // In the night when the clocks go back, an hour is repeated and fires once.
    expect(of({ schedule }).alarms.completion).toEqual({ period: 300, evaluationPeriods: 14 });
  });

  it('a schedule that is not known at synth time cannot be watched', () => {
    const schedule = ScheduleExpression.expression(Token.asString({ Ref: 'Schedule' }));
    expect(of({ schedule }).alarms.warnings).toHaveLength(1);
  });

  it('a time window makes the time longer', () => {
    const schedule = ScheduleExpression.rate(Duration.days(1));
    const timeWindow = TimeWindow.flexible(Duration.hours(2));
    expect(of({ schedule, timeWindow }).alarms.completion).toEqual({ period: 3600, evaluationPeriods: 50 });
  });
});
