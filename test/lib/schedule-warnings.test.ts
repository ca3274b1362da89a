import { CfnParameter, Duration, TimeZone, Token } from 'aws-cdk-lib';
import { ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { CronFanout } from '../../lib';
import type { ScheduleOptions } from '../../lib';
import { readSchedule } from '../../lib/schedule-settings';
import { MINIMAL, testStack, warnings } from './fanout-stack';

const NOW = Date.UTC(2027, 0);
const rate = (minutes: number): ScheduleExpression => ScheduleExpression.rate(Duration.minutes(minutes));
const window = (minutes: number): TimeWindow => TimeWindow.flexible(Duration.minutes(minutes));
const half2 = ScheduleExpression.cron({ minute: '30', hour: '2', timeZone: TimeZone.EUROPE_BERLIN });
const messages = (options: ScheduleOptions): readonly string[] =>
  readSchedule(options, NOW).warnings.map(({ id, message }) => `${id} ${message}`);
const token = (): number => new CfnParameter(testStack(), 'Value', { type: 'Number' }).valueAsNumber;
/** The CDK of today refuses a token for a window; one that does not must not make us refuse it. */
const unknownWindow = (): TimeWindow =>
  Object.assign(Object.create(TimeWindow.prototype) as TimeWindow, { maxWindow: Duration.minutes(token()) });

describe('the flexible window against the interval of the schedule', () => {
  it.each<[string, ScheduleOptions, boolean]>([
    ['no window', { schedule: rate(5) }, false],
    ['just below the interval', { schedule: rate(5), timeWindow: window(4) }, false],
    ['the interval', { schedule: rate(5), timeWindow: window(5) }, true],
    ['more', { schedule: rate(60), timeWindow: window(61) }, true],
    ['a window that is not known', { schedule: rate(1), timeWindow: unknownWindow() }, false],
    [
      'a cron of the same interval',
      { schedule: ScheduleExpression.cron({ minute: '0/15' }), timeWindow: window(15) },
      true,
    ],
    ['a cron below it', { schedule: ScheduleExpression.cron({ minute: '0/15' }), timeWindow: window(14) }, false],
    ['once', { schedule: ScheduleExpression.at(new Date('2027-05-01T00:00:00Z')), timeWindow: window(1440) }, false],
  ])('%s', (_, options, warned) => {
    expect(messages(options)).toEqual(warned ? [expect.stringMatching(/^cron-fanout:timeWindow .*\d+ seconds/)] : []);
  });

  it.each<[string, ScheduleOptions, boolean]>([
    ['ticks of five minutes', { schedule: rate(5) }, false],
    ['ticks of three minutes, up to two late', { schedule: rate(3), timeWindow: window(2) }, false],
    ['ticks of three minutes, up to three late', { schedule: rate(3), timeWindow: window(3) }, true],
    ['a window that is not known', { schedule: rate(1), timeWindow: unknownWindow() }, true],
  ])('adds to the longest time without a tick, which a watchdog ends: %s', (_, options, watchdog) => {
    expect(readSchedule(options, NOW).watchdog).toBe(watchdog);
  });
});

describe('a time that the clocks skip or repeat', () => {
  it('is named with its dates for two years', () => {
    expect(messages({ schedule: half2 })).toEqual([
      'cron-fanout:clockChange schedule: the clocks of Europe/Berlin are changed: 2027-03-28 02:30, 2028-03-26 02:30 does not exist, and nothing fires; ' +
        '2027-10-31 02:30, 2028-10-29 02:30 comes twice, and the first time alone fires. Choose a time that every day has once, or acknowledge this',
    ]);
  });

  it.each<[string, Partial<ScheduleOptions>, string[]]>([
    [
      'after the start',
      { start: new Date('2027-04-01T00:00:00Z') },
      ['2027-10-31', '2028-03-26', '2028-10-29', '2029-03-25'],
    ],
    ['before the end', { end: new Date('2027-04-01T00:00:00Z') }, ['2027-03-28']],
    ['between', { start: new Date('2027-04-01T00:00:00Z'), end: new Date('2027-05-01T00:00:00Z') }, []],
    ['long before now', { end: new Date('2020-05-01T00:00:00Z') }, []],
  ])('counts %s alone', (_, bounds, dates) => {
    const [message = ''] = messages({ schedule: half2, ...bounds });
    expect((message.match(/\d{4}-\d\d-\d\d/g) ?? []).sort()).toEqual(dates);
  });

  it('is not looked for where expression or zone are not known', () => {
    const expression = Token.asString({ Ref: 'Expression' });
    expect(messages({ schedule: ScheduleExpression.expression(expression) })).toEqual([]);
    const timeZone = TimeZone.of(Token.asString({ Ref: 'Zone' }));
    expect(messages({ schedule: ScheduleExpression.cron({ minute: '30', hour: '2', timeZone }) })).toEqual([]);
  });

  it('is a warning on the construct', () => {
    const stack = testStack();
    new CronFanout(stack, 'Reminders', { ...MINIMAL, schedule: half2 });
    expect(warnings(stack)).toEqual([expect.stringContaining('cron-fanout:clockChange')]);
  });
});

describe('cron, rate and time zone', () => {
  const cron = (minute: string, hour: string, rest: { weekDay?: string } = {}): ScheduleExpression =>
    ScheduleExpression.cron({ minute, hour, ...rest });

  it.each<[string, ScheduleExpression, string, RegExp]>([
    ['a minute', cron('60', '0'), 'InvalidCronField', /minute.*60.*0-59/s],
    ['an hour', cron('0', '24'), 'InvalidCronField', /hour.*24.*0-23/s],
    ['a weekday of Unix', cron('0', '0', { weekDay: '0' }), 'InvalidCronField', /1-7.*SUN/s],
    [
      'Unix cron',
      ScheduleExpression.expression('cron(* * * * *)'),
      'CronFieldCount',
      /write cron\(\* \* \* \* \? \*\)/,
    ],
    ['both day fields', ScheduleExpression.expression('cron(0 12 * * 1 *)'), 'CronDayFields', /cron\(0 12 \? \* /],
    ['a plural', ScheduleExpression.expression('rate(1 minutes)'), 'InvalidRate', /rate\(1 minute\)/],
    [
      'a zone',
      ScheduleExpression.cron({ minute: '0', timeZone: TimeZone.of('Europe/Berln') }),
      'UnknownTimeZone',
      /Europe\/Berlin/,
    ],
    ['a day that never comes', ScheduleExpression.expression('cron(0 0 31 2 ? *)'), 'ScheduleNeverFires', /days/],
  ])('are refused when the construct is made, with the form that is right: %s', (_, schedule, code, message) => {
    let thrown = { code: '', message: '' };
    try {
      new CronFanout(testStack(), 'Reminders', { ...MINIMAL, schedule });
    } catch (error) {
      thrown = error as { code: string; message: string };
    }
    expect(thrown.code).toBe(code);
    expect(thrown.message).toMatch(message);
  });
});
