import { Token } from 'aws-cdk-lib';
import type { Duration } from 'aws-cdk-lib';
import { CronFanoutError } from '../lambda/contract';
import type { RetryConfiguration, RetryDelays } from '../lambda/contract';
import { BOUNDS } from './bounds';
import { checkDuration, checkNumber } from './checks';

/** What every retry policy but a list of delays has. */
export interface RetryProps {
  /**
   * Calls of the handler before a record is dead, the first one included. 1 to 100.
   *
   * @default 5
   */
  readonly maxAttempts?: number;
  /**
   * Part of a delay that is random, so that records that failed together do not come back together. 0 (none) to 1 (all of it): a delay of 60
   * seconds with a jitter of 0.5 is 30 to 60 seconds.
   *
   * @default 0.5 for exponential and linear, 0 for fixed
   */
  readonly jitter?: number;
}

/** Options of `RetryPolicy.exponential`. */
export interface ExponentialRetryProps extends RetryProps {
  /**
   * Delay before the second attempt. 0 seconds to 12 hours.
   *
   * @default Duration.seconds(10)
   */
  readonly initialDelay?: Duration;
  /**
   * What each delay is multiplied by to get the next. 1 to 10.
   *
   * @default 2
   */
  readonly factor?: number;
  /**
   * Longest delay. 0 seconds to 12 hours, not below `initialDelay`.
   *
   * @default Duration.minutes(15), or `initialDelay` where that is longer
   */
  readonly maxDelay?: Duration;
}

/** Options of `RetryPolicy.linear`. */
export interface LinearRetryProps extends RetryProps {
  /**
   * Delay before the second attempt. 0 seconds to 12 hours.
   *
   * @default Duration.seconds(10)
   */
  readonly initialDelay?: Duration;
  /**
   * What is added to each delay to get the next. 0 seconds to 12 hours.
   *
   * @default Duration.seconds(30)
   */
  readonly step?: Duration;
  /**
   * Longest delay. 0 seconds to 12 hours, not below `initialDelay`.
   *
   * @default Duration.minutes(15), or `initialDelay` where that is longer
   */
  readonly maxDelay?: Duration;
}

/** Options of `RetryPolicy.fixed`. */
export interface FixedRetryProps extends RetryProps {
  /**
   * Delay before each further attempt. 0 seconds to 12 hours.
   *
   * @default Duration.seconds(30)
   */
  readonly delay?: Duration;
}

/** Options of `RetryPolicy.delays`. */
export interface ListedRetryProps {
  /**
   * Calls of the handler before a record is dead, the first one included. 1 to 100; attempts beyond the list wait as long as its last delay.
   *
   * @default - one more than there are delays
   */
  readonly maxAttempts?: number;
  /**
   * Part of a delay that is random. 0 (none) to 1 (all of it).
   *
   * @default 0
   */
  readonly jitter?: number;
}

/**
 * How often the handler is called for a record, and how long it waits in between. The delays hold for the record and for those behind it in its
 * group. `RetryLater` and `PermanentError` in a handler overrule the policy.
 */
export class RetryPolicy {
  /** Delays that grow by a factor: 10, 20, 40, ... seconds by default. */
  static exponential(props: ExponentialRetryProps = {}): RetryPolicy {
    const { initial, max } = growing(props);
    const factor = checkNumber('retry.factor', props.factor ?? BOUNDS['retry.factor'].default);
    return new RetryPolicy({ kind: 'exponential', initial, factor, max }, props);
  }

  /** Delays that grow by the same step: 10, 40, 70, ... seconds by default. */
  static linear(props: LinearRetryProps = {}): RetryPolicy {
    const { initial, max } = growing(props);
    const step = delay('retry.step', props.step);
    return new RetryPolicy({ kind: 'linear', initial, step, max }, props);
  }

  /** The same delay every time: 30 seconds by default. */
  static fixed(props: FixedRetryProps = {}): RetryPolicy {
    return new RetryPolicy(
      { kind: 'fixed', delay: delay('retry.delay', props.delay) },
      {
        ...props,
        jitter: props.jitter ?? 0,
      },
    );
  }

  /** Delays one by one: the first before the second attempt, and so on. */
  static delays(delays: Duration[], props: ListedRetryProps = {}): RetryPolicy {
    if (delays.length === 0) {
      throw new CronFanoutError('NoDelays', {
        what: 'retry.delays',
        received: 'an empty list',
        allowed: 'one delay or more',
        change: 'list a delay, or use RetryPolicy.none()',
      });
    }
    const seconds = delays.map((item, place) => checkDuration('retry.delay', item, `retry.delays[${place}]`));
    return new RetryPolicy(
      { kind: 'list', delays: seconds },
      {
        maxAttempts: props.maxAttempts ?? delays.length + 1,
        jitter: props.jitter ?? 0,
      },
    );
  }

  /** One attempt: a record whose handler throws is dead at once. */
  static none(): RetryPolicy {
    return RetryPolicy.fixed({ maxAttempts: 1 });
  }

  /** Calls of the handler before a record is dead. */
  readonly maxAttempts: number;
  /** The policy as the runtime reads it; delays are in seconds. */
  readonly configuration: RetryConfiguration;

  private constructor(delays: RetryDelays, props: RetryProps) {
    this.maxAttempts = checkNumber('retry.maxAttempts', props.maxAttempts ?? BOUNDS['retry.maxAttempts'].default);
    const jitter = checkNumber('retry.jitter', props.jitter ?? BOUNDS['retry.jitter'].default);
    this.configuration = { maxAttempts: this.maxAttempts, delays, jitter };
  }
}

function delay(option: 'retry.initialDelay' | 'retry.maxDelay' | 'retry.step' | 'retry.delay', value?: Duration) {
  return value === undefined ? BOUNDS[option].default : checkDuration(option, value);
}

/** First and longest delay of a policy whose delays grow. */
function growing(props: ExponentialRetryProps | LinearRetryProps): { readonly initial: number; readonly max: number } {
  const initial = delay('retry.initialDelay', props.initialDelay);
  const max = delay('retry.maxDelay', props.maxDelay);
  if (Token.isUnresolved(initial) || Token.isUnresolved(max) || max >= initial) {
    return { initial, max };
  }
  if (props.maxDelay === undefined) {
    return { initial, max: initial };
  }
  throw new CronFanoutError('ConflictingOptions', {
    what: 'retry.maxDelay and retry.initialDelay',
    received: `${max} and ${initial} seconds`,
    allowed: 'a maxDelay that is not below the initialDelay',
    change: 'raise maxDelay or lower initialDelay',
  });
}
