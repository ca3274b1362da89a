import { CfnParameter, Duration, Token } from 'aws-cdk-lib';
import { RetryPolicy } from '../../lib';
import type { CronFanoutProps } from '../../lib';
import { FIXED } from '../../lib/bounds';
import { backOffs, longestWholeBackOff, worstRetryTime } from '../../lib/retry-time';
import { readSettings } from '../../lib/settings';
import { longestVisibility } from '../../lambda/consumer/back-off';
import { MINIMAL, testStack, thrownBy } from './fanout-stack';

const HOUR = 3600;
const seconds = (value: number): Duration => Duration.seconds(value);
const read = (props: Partial<CronFanoutProps>) => readSettings({ ...MINIMAL, ...props });
const idsOf = (props: Partial<CronFanoutProps>): string[] => read(props).warnings.map(({ id }) => id);
const token = (): number => new CfnParameter(testStack(), 'Value', { type: 'Number' }).valueAsNumber;

/** Three attempts with a back-off twice; a crash costs 360 seconds. */
const twice = (delay: number, jitter = 0): RetryPolicy =>
  RetryPolicy.delays([seconds(delay)], { maxAttempts: 3, jitter });

describe('the back-offs of a policy', () => {
  it.each([
    ['exponential', RetryPolicy.exponential({ maxDelay: seconds(30) }), [10, 20, 30, 30]],
    ['linear', RetryPolicy.linear({ maxDelay: seconds(60) }), [10, 40, 60, 60]],
    ['fixed', RetryPolicy.fixed({ maxAttempts: 3 }), [30, 30]],
    ['a list, with attempts beyond it', twice(7), [7, 7]],
    ['one attempt', RetryPolicy.none(), []],
    ['delays that are not known', RetryPolicy.linear({ initialDelay: seconds(token()), maxAttempts: 2 }), [0]],
    ['a factor that is not known', RetryPolicy.exponential({ factor: token(), maxAttempts: 3 }), [10, 10]],
    ['a maximum that is not known', RetryPolicy.exponential({ maxDelay: seconds(token()), maxAttempts: 2 }), [0]],
  ])('are added up for %s', (_, { configuration }, expected) => {
    expect(backOffs(configuration)).toEqual(expected);
  });

  it('or a crash, whichever takes longer, make the worst time', () => {
    const limits = { timeout: 60, visibilityTimeout: 360, queueRetention: HOUR };
    expect(worstRetryTime(twice(299).configuration, limits)).toBe(3 * 360);
    expect(worstRetryTime(twice(301).configuration, limits)).toBe(2 * 361 + 360);
    expect(worstRetryTime(RetryPolicy.none().configuration, limits)).toBe(360);
  });
});

describe('retention of the queue against the time of all retries', () => {
  const inside = { retry: twice(1800), queueRetention: Duration.hours(1) };
  const cases: readonly (readonly [string, Partial<CronFanoutProps>, 'error' | 'warning' | 'nothing'])[] = [
    ['back-offs of just the retention', inside, 'warning'],
    ['back-offs of a second more', { ...inside, retry: twice(1801) }, 'error'],
    ['back-offs that jitter may shorten', { ...inside, retry: twice(1801, 0.5) }, 'warning'],
    ['jitter that is not known', { ...inside, retry: twice(1801, token()) }, 'warning'],
    ['a worst case of just the retention', { ...inside, retry: twice((HOUR - 360) / 2 - 60) }, 'nothing'],
    ['a worst case of two seconds more', { ...inside, retry: twice((HOUR - 360) / 2 - 59) }, 'warning'],
    ['delays that are not known', { ...inside, retry: RetryPolicy.fixed({ delay: seconds(token()) }) }, 'nothing'],
    ['the policy of a job', { ...inside, retry: RetryPolicy.none(), jobs: { slow: { retry: twice(1801) } } }, 'error'],
    ['the defaults', {}, 'nothing'],
    ['the longest retention', { retry: twice(43_000), queueRetention: Duration.days(14) }, 'nothing'],
  ];

  it.each(cases)('%s: %s gives %s', (_, props, expected) => {
    if (expected === 'error') {
      expect(thrownBy(() => read(props)).code).toBe('RetriesOutliveQueue');
    } else {
      expect(idsOf(props)).toEqual(expected === 'warning' ? ['cron-fanout:retriesOutliveQueue'] : []);
    }
  });

  it('names the job, both times, and what to change', () => {
    const { message } = thrownBy(() => read({ ...inside, jobs: { slow: { retry: twice(1801) } } }));
    expect(message).toMatch(
      /^jobs\["slow"\]\.retry: received 3602 seconds of back-offs .* for 3600 seconds; allowed: .*Lost.*queueRetention \(to 3602/s,
    );
    const retry = RetryPolicy.fixed({ maxAttempts: 100, delay: Duration.hours(11) });
    const longest = thrownBy(() => read({ retry, queueRetention: Duration.days(14) }));
    expect(longest.message).not.toContain('raise queueRetention');
  });

  it('says the worst time of the warning', () => {
    expect(read(inside).warnings[0]?.message).toContain('retry can take 4080 seconds');
  });
});

describe('back-off against the twelve hours of visibility', () => {
  const longest = 43_200 - 60 - 60;

  it.each([
    ['what is left after an attempt', twice(longest), 60, []],
    ['a second more', twice(longest + 1), 60, ['cron-fanout:backOffCut']],
    ['the same with a longer timeout', twice(longest), 61, ['cron-fanout:backOffCut']],
    ['a delay that is not known', RetryPolicy.fixed({ delay: seconds(token()) }), 900, []],
  ])('%s', (_, retry, timeout, ids) => {
    expect(idsOf({ retry, timeout: seconds(timeout) })).toEqual(ids);
  });

  it('is what the consumer leaves unused', () => {
    for (const timeout of [10, 60, 900]) {
      expect(longestWholeBackOff(timeout)).toBe(longestVisibility(timeout * 1000));
    }
    expect(FIXED.receiveAllowance).toBe(60);
    expect(Token.isUnresolved(longestWholeBackOff(60))).toBe(false);
  });
});
