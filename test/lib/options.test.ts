import { join } from 'node:path';
import { CfnParameter, Duration, Token } from 'aws-cdk-lib';
import { TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { CronFanout, Deduplication, JobCode, OverlapPolicy, OverlapUntil, RetryPolicy, SerialFailure } from '../../lib';
import type { CronFanoutProps as Props } from '../../lib';
import { BOUNDS } from '../../lib/bounds';
import type { Bound, BoundedOption } from '../../lib/bounds';
import { rangeText } from '../../lib/checks';
import { readSettings } from '../../lib/settings';
import { ENTRY, MINIMAL, synthesized, testStack, thrownBy } from './fanout-stack';

/** Options as plain JavaScript gives them: what is not given can be there and undefined. */
type CronFanoutProps = { readonly [Name in keyof Props]: Props[Name] | undefined };

const seconds = (value: number): Duration => Duration.seconds(value);

/** How a user gives a value of each option; durations are in seconds. */
const GIVE: Record<BoundedOption, (value: number) => Partial<CronFanoutProps>> = {
  maxConcurrency: (maxConcurrency) => ({ maxConcurrency }),
  reservedConcurrentExecutions: (value) => ({ reservedConcurrentExecutions: value, maxConcurrency: 1 }),
  timeout: (value) => ({ timeout: seconds(value) }),
  scannerTimeout: (value) => ({ scannerTimeout: seconds(value) }),
  memorySize: (memorySize) => ({ memorySize }),
  scannerMemorySize: (scannerMemorySize) => ({ scannerMemorySize }),
  handlerTimeout: (value) => ({ handlerTimeout: seconds(value), timeout: seconds(900) }),
  expiresAfter: (value) => ({ expiresAfter: seconds(value) }),
  quarantine: (value) => ({ quarantine: seconds(value) }),
  segments: (segments) => ({ segments }),
  queueRetention: (value) => ({ queueRetention: seconds(value) }),
  timeWindow: (value) => ({ timeWindow: TimeWindow.flexible(seconds(value)) }),
  'retry.maxAttempts': (maxAttempts) => ({ retry: RetryPolicy.fixed({ maxAttempts }) }),
  'retry.initialDelay': (value) => ({
    retry: RetryPolicy.exponential({ initialDelay: seconds(value), maxDelay: Duration.hours(12) }),
  }),
  'retry.maxDelay': (value) => ({
    retry: RetryPolicy.linear({ maxDelay: seconds(value), initialDelay: seconds(0) }),
  }),
  'retry.step': (value) => ({ retry: RetryPolicy.linear({ step: seconds(value) }) }),
  'retry.delay': (value) => ({ retry: RetryPolicy.fixed({ delay: seconds(value) }) }),
  'retry.factor': (factor) => ({ retry: RetryPolicy.exponential({ factor }) }),
  'retry.jitter': (jitter) => ({ retry: RetryPolicy.exponential({ jitter }) }),
  'alarms.deadRecords.threshold': (threshold) => ({ alarms: { deadRecords: { threshold } } }),
  'alarms.oldestMessage.threshold': (value) => ({ alarms: { oldestMessage: { threshold: seconds(value) } } }),
  'alarms.scannerErrors.threshold': (threshold) => ({ alarms: { scannerErrors: { threshold } } }),
  'alarms.noCompletedRun.threshold': (threshold) => ({ alarms: { noCompletedRun: { threshold } } }),
  'alarms.runStalled.threshold': (value) => ({ alarms: { runStalled: { threshold: seconds(value) } } }),
  'alarms.runUnbalanced.threshold': (threshold) => ({ alarms: { runUnbalanced: { threshold } } }),
  'alarms.failureQueue.threshold': (threshold) => ({ alarms: { failureQueue: { threshold } } }),
  'alarms.inFlightLimit.threshold': (threshold) => ({ alarms: { inFlightLimit: { threshold } } }),
};

/** Options that others are derived from, so that a token is refused. */
const DERIVED_FROM: readonly BoundedOption[] = [
  'maxConcurrency',
  'timeout',
  'queueRetention',
  'retry.maxAttempts',
  'alarms.noCompletedRun.threshold',
];
/** Options whose type makes some values impossible before the construct sees them: a window is whole minutes, checked by the CDK. */
const MADE_BY_CDK: readonly BoundedOption[] = ['timeWindow'];
/** One handler's time has to stay below that of the invocation, which has the same maximum. */
const LOWERED_MAX: Partial<Record<BoundedOption, number>> = { handlerTimeout: BOUNDS.timeout.max - 1 };

interface Boundary {
  readonly option: BoundedOption;
  readonly value: number;
}

const options = Object.keys(BOUNDS) as BoundedOption[];
const boundOf = (option: BoundedOption): Bound => BOUNDS[option];
const accepted: Boundary[] = options.flatMap((option) => [
  { option, value: boundOf(option).min },
  { option, value: LOWERED_MAX[option] ?? boundOf(option).max },
  ...(boundOf(option).fractions === true ? [{ option, value: boundOf(option).min + 0.1 }] : []),
]);
const refused: Boundary[] = options.flatMap((option) => {
  const { min, max, fractions } = boundOf(option);
  return [min - 1, max + 1, NaN, Infinity, ...(fractions === true ? [] : [min + 0.5])].map((value) => ({
    option,
    value,
  }));
});

const settingsWith = (props: Partial<CronFanoutProps>) => readSettings({ ...MINIMAL, ...props } as Props);
const construct = (props: Partial<CronFanoutProps>) =>
  new CronFanout(testStack(), 'Reminders', { ...MINIMAL, ...props } as Props);

describe('every number of the options', () => {
  it.each(accepted)('accepts $option $value', ({ option, value }) => {
    expect(() => settingsWith(GIVE[option](value))).not.toThrow();
  });

  it.each(refused)('rejects $option $value', ({ option, value }) => {
    const error = thrownBy(() => construct(GIVE[option](value)));
    // The CDK has no negative durations.
    const impossible = MADE_BY_CDK.includes(option) || (value < 0 && boundOf(option).unit === 'seconds');
    if (!impossible) {
      expect(error.code).toBe('OutOfRange');
      expect(error.message).toContain(`received ${value}`);
      expect(error.message).toContain(rangeText(option));
    }
  });

  it.each(options.filter((option) => !DERIVED_FROM.includes(option) && !MADE_BY_CDK.includes(option)))(
    'lets a token for %s pass',
    (option) => {
      const parameter = new CfnParameter(testStack(), 'Value', { type: 'Number' });
      expect(() => settingsWith(GIVE[option](parameter.valueAsNumber))).not.toThrow();
    },
  );

  it.each(DERIVED_FROM)('rejects a token for %s, and says what is derived from it', (option) => {
    const parameter = new CfnParameter(testStack(), 'Value', { type: 'Number' });
    const error = thrownBy(() => construct(GIVE[option](parameter.valueAsNumber)));
    expect(error.code).toBe('UnresolvedToken');
    expect(error.message).toContain('derived');
  });

  it.each(options.filter((option) => boundOf(option).default !== undefined))(
    'has a default of %s in its range',
    (option) => {
      const { min, max, default: value } = boundOf(option);
      expect(value).toBeGreaterThanOrEqual(min);
      expect(value).toBeLessThanOrEqual(max);
    },
  );

  it('refuses a token that cannot be converted to seconds, and says how to give it', () => {
    const parameter = new CfnParameter(testStack(), 'Value', { type: 'Number' });
    const error = thrownBy(() => construct({ expiresAfter: Duration.hours(parameter.valueAsNumber) }));
    expect(error.code).toBe('UnresolvedDuration');
    expect(error.message).toContain('Duration.seconds(token)');
  });

  it('renders a token into the configuration of the functions', () => {
    const stack = testStack();
    const parameter = new CfnParameter(stack, 'Expiry', { type: 'Number' });
    const { template } = synthesized({ expiresAfter: seconds(parameter.valueAsNumber) }, stack);
    const variables = JSON.stringify(template.findResources('AWS::Lambda::Function'));
    expect(variables).toContain('\\"expiresAfter\\":",{"Ref":"Expiry"},"');
  });
});

describe('B02: the bounds of maxConcurrency', () => {
  it.each([0, 2.5, NaN, 10_001])(
    'B02: %d is refused when the construct is made, and the message names the range',
    (value) => {
      expect(() => construct({ maxConcurrency: value })).toThrow(/maxConcurrency: received .*; allowed: 1 to 10000/);
    },
  );

  it('B02: 1 is legal, and means one SQS group', () => {
    expect(settingsWith({ maxConcurrency: 1 }).configuration.lanes).toBe('single');
  });

  it('B02: a token is refused, since batch size and concurrency are derived from it', () => {
    expect(() => construct({ maxConcurrency: Token.asNumber({ Ref: 'X' }) })).toThrow(/UnresolvedToken/);
  });
});

describe('RetryPolicy', () => {
  it.each([
    ['exponential', RetryPolicy.exponential(), { kind: 'exponential', initial: 10, factor: 2, max: 900 }, 5, 0.5],
    ['linear', RetryPolicy.linear(), { kind: 'linear', initial: 10, step: 30, max: 900 }, 5, 0.5],
    ['fixed', RetryPolicy.fixed(), { kind: 'fixed', delay: 30 }, 5, 0],
    ['delays', RetryPolicy.delays([seconds(1), seconds(60)]), { kind: 'list', delays: [1, 60] }, 3, 0],
    ['none', RetryPolicy.none(), { kind: 'fixed', delay: 30 }, 1, 0],
  ])('has the documented defaults for %s', (_, policy, delays, maxAttempts, jitter) => {
    expect(policy.configuration).toEqual({ maxAttempts, delays, jitter });
  });

  it('takes options that are undefined as not given', () => {
    const given = { maxAttempts: undefined, jitter: undefined } as unknown as { maxAttempts: number; jitter: number };
    expect(RetryPolicy.fixed(given).configuration).toEqual(RetryPolicy.fixed().configuration);
    expect(RetryPolicy.delays([seconds(1)], given).configuration).toEqual(
      RetryPolicy.delays([seconds(1)]).configuration,
    );
  });

  it('lifts the default maxDelay to an initialDelay above it', () => {
    const policy = RetryPolicy.exponential({ initialDelay: Duration.hours(1) });
    expect(policy.configuration.delays).toMatchObject({ initial: 3600, max: 3600 });
  });

  it('rejects a maxDelay below the initialDelay, naming both', () => {
    const error = thrownBy(() => RetryPolicy.linear({ initialDelay: seconds(60), maxDelay: seconds(30) }));
    expect(error.message).toMatch(/retry.maxDelay and retry.initialDelay: received 30 and 60 seconds/);
  });

  it('rejects an empty list of delays', () => {
    expect(thrownBy(() => RetryPolicy.delays([])).code).toBe('NoDelays');
  });

  it('names the place of a delay that is out of range', () => {
    expect(() => RetryPolicy.delays([seconds(1), Duration.hours(13)])).toThrow(/^retry\.delays\[1\]: received 46800/);
  });
});

describe('policies of jobs', () => {
  it('gives every job those of the fanout, and a job what it has of its own', () => {
    const { configuration } = settingsWith({
      retry: RetryPolicy.fixed({ maxAttempts: 3 }),
      expiresAfter: Duration.hours(2),
      deduplication: Deduplication.PER_RUN,
      quarantine: seconds(0),
      jobs: {
        'booking.reminder': {
          retry: RetryPolicy.none(),
          handlerTimeout: seconds(5),
          deduplication: Deduplication.WHILE_IN_FLIGHT,
        },
        'booking.review': { quarantine: Duration.days(1), segments: 4 },
      },
    });
    expect(configuration.defaults).toEqual({
      retry: RetryPolicy.fixed({ maxAttempts: 3 }).configuration,
      deduplication: 'perRun',
      quarantine: 0,
      expiresAfter: 7200,
    });
    expect(configuration.jobs).toEqual({
      'booking.reminder': {
        retry: RetryPolicy.none().configuration,
        handlerTimeout: 5,
        deduplication: 'whileInFlight',
      },
      'booking.review': { quarantine: 86_400, segments: 4 },
    });
  });

  it('skips what is in flight or in quarantine', () => {
    expect(settingsWith({}).configuration.defaults).toMatchObject({ deduplication: 'whileInFlight', quarantine: 3600 });
  });

  it('skips a tick that finds a run still scanning, unless told otherwise', () => {
    const overlapOf = (overlap?: OverlapPolicy): unknown => settingsWith({ overlap }).configuration.overlap;
    const { SKIP, QUEUE_ONE, CANCEL_RUNNING } = OverlapPolicy;
    expect([undefined, SKIP, QUEUE_ONE, CANCEL_RUNNING].map(overlapOf)).toEqual([
      'skip',
      'skip',
      'queueOne',
      'cancelRunning',
    ]);
  });

  it('counts a run as on until it is scanned, unless told otherwise', () => {
    const untilOf = (overlapUntil?: OverlapUntil): unknown => settingsWith({ overlapUntil }).configuration.overlapUntil;
    expect([undefined, OverlapUntil.SCANNED, OverlapUntil.COMPLETED].map(untilOf)).toEqual([
      undefined,
      'scanned',
      'completed',
    ]);
  });

  it('rejects a fanout without a schedule', () => {
    const props = { entry: ENTRY } as unknown as Props;
    expect(thrownBy(() => readSettings(props)).code).toBe('ScheduleRequired');
  });

  it('lets the most patient job decide how many receives a message has', () => {
    const jobs = { patient: { retry: RetryPolicy.fixed({ maxAttempts: 20 }) } };
    expect(settingsWith({}).configuration.maxReceiveCount).toBe(550);
    expect(settingsWith({ jobs }).configuration.maxReceiveCount).toBe(700);
    expect(settingsWith({ retry: RetryPolicy.fixed({ maxAttempts: 100 }) }).configuration.maxReceiveCount).toBe(1000);
  });

  it.each(['', 'booking#reminder', ' booking', 'x'.repeat(65), '.hidden', 'ümlaut'])(
    'rejects the jobType %j',
    (jobType) => {
      const error = thrownBy(() => construct({ jobs: { [jobType]: {} } }));
      expect(error.code).toBe('InvalidJobType');
      expect(error.message).toContain(`received ${JSON.stringify(jobType)}`);
    },
  );

  it('names the job in a message about its options', () => {
    const error = thrownBy(() => construct({ jobs: { 'booking.reminder': { expiresAfter: Duration.days(15) } } }));
    expect(error.message).toMatch(/^jobs\["booking\.reminder"\]\.expiresAfter: received 1296000/);
  });
});

describe('options that contradict each other', () => {
  const code = JobCode.fromDirectory(join(__dirname, 'fixtures', 'built'), { module: 'jobs.js' });
  const at = (time: string): Date => new Date(time);
  const cases: readonly (readonly [string, Partial<CronFanoutProps>, readonly string[]])[] = [
    ['entry and code', { code }, ['entry', 'code']],
    ['handlerTimeout and timeout', { handlerTimeout: seconds(60) }, ['handlerTimeout', '60 and 60 seconds']],
    [
      'handlerTimeout of a job and timeout',
      { jobs: { slow: { handlerTimeout: seconds(61) } } },
      ['jobs["slow"].handlerTimeout', '61 and 60 seconds'],
    ],
    [
      'serialFailure and maxConcurrency',
      { serialFailure: SerialFailure.BLOCK, maxConcurrency: 2 },
      ['maxConcurrency 2'],
    ],
    [
      'B01: reserved concurrency below the invocations at once',
      { maxConcurrency: 50, reservedConcurrentExecutions: 4 },
      ['received 4, and 5 invocations', '5 or more'],
    ],
    ['securityGroups without vpc', { securityGroups: [] }, ['securityGroups', 'vpc']],
    ['vpcSubnets without vpc', { vpcSubnets: {} }, ['vpcSubnets', 'vpc']],
  ];

  it.each(cases)('rejects %s, naming both', (_, props, parts) => {
    const error = thrownBy(() => construct(props));
    expect(error.code).toBe('ConflictingOptions');
    for (const part of parts) {
      expect(error.message).toContain(part);
    }
  });

  it('rejects an end that is not after the start', () => {
    const frame = { start: at('2027-01-02T00:00:00Z'), end: at('2027-01-02T00:00:00Z') };
    expect(thrownBy(() => construct(frame)).message).toMatch(/2027-01-02T00:00:00.000Z and .*InvalidTimeFrame/);
  });

  it.each(['start', 'end'])('rejects an invalid date for %s', (option) => {
    expect(thrownBy(() => construct({ [option]: at('soon') })).message).toMatch(`${option}: received an invalid date`);
  });

  it('accepts reserved concurrency of what the mapping needs', () => {
    expect(() => settingsWith({ maxConcurrency: 50, reservedConcurrentExecutions: 5 })).not.toThrow();
  });
});

describe('required options', () => {
  it('names entry when neither entry nor code is given', () => {
    const error = thrownBy(() => new CronFanout(testStack(), 'Reminders', {} as Props));
    expect(error.code).toBe('JobSourceMissing');
  });

  it('says which absolute path of entry was tried', () => {
    const error = thrownBy(() => construct({ entry: 'jobs/missing.ts' }));
    expect(error.code).toBe('EntryNotFound');
    expect(error.message).toContain(`tried ${process.cwd()}/jobs/missing.ts`);
  });
});
