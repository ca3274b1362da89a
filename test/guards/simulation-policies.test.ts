import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Deduplication, OverlapPolicy, OverlapUntil, RetryPolicy, SerialFailure } from '../../lib';
import { BOUNDS, FIXED } from '../../lib/bounds';
import type { Bound } from '../../lib/bounds';
import type { CronFanoutProps } from '../../lib/props';
import { readSettings } from '../../lib/settings';
import type { SimulatedFanoutOptions } from '../../lambda/simulation';
import { NAMED_FAULTS } from '../../lambda/simulation/named-faults';
import { DERIVED, POLICY_BOUNDS } from '../../lambda/simulation/simulation-bounds';
import { JOB_MEMBERS, readPolicies } from '../../lambda/simulation/simulation-config';

const s = (seconds: number): Duration => Duration.seconds(seconds);

/** The same policies as props of the construct and as a simulation has them. */
const SAME: readonly (readonly [string, Omit<CronFanoutProps, 'schedule'>, SimulatedFanoutOptions])[] = [
  ['none', {}, {}],
  [
    'numbers',
    { maxConcurrency: 37, timeout: s(100), scannerTimeout: s(200), handlerTimeout: s(50), queueRetention: s(7200) },
    { maxConcurrency: 37, timeout: 100, scannerTimeout: 200, handlerTimeout: 50, queueRetention: 7200 },
  ],
  [
    'policies of a job',
    { expiresAfter: s(60), quarantine: s(0), deduplication: Deduplication.PER_RUN, segments: 3 },
    { expiresAfter: 60, quarantine: 0, deduplication: 'perRun', segments: 3 },
  ],
  [
    'policies by job',
    { jobs: { j: { retry: RetryPolicy.none(), quarantine: s(5) } } },
    { jobs: { j: { retry: { kind: 'fixed', maxAttempts: 1 }, quarantine: 5 } } },
  ],
  [
    'one lane',
    {
      maxConcurrency: 1,
      serialFailure: SerialFailure.DEAD_LETTER_AND_CONTINUE,
      overlap: OverlapPolicy.QUEUE_ONE,
      overlapUntil: OverlapUntil.COMPLETED,
    },
    { maxConcurrency: 1, serialFailure: 'deadLetterAndContinue', overlap: 'queueOne', overlapUntil: 'completed' },
  ],
  [
    'exponential',
    { retry: RetryPolicy.exponential({ maxAttempts: 3, initialDelay: s(2000), factor: 3, jitter: 1 }) },
    { retry: { maxAttempts: 3, initialDelay: 2000, factor: 3, jitter: 1 } },
  ],
  [
    'linear',
    { retry: RetryPolicy.linear({ initialDelay: s(1), step: s(2), maxDelay: s(3) }) },
    { retry: { kind: 'linear', initialDelay: 1, step: 2, maxDelay: 3 } },
  ],
  ['fixed', { retry: RetryPolicy.fixed() }, { retry: { kind: 'fixed' } }],
  ['listed', { retry: RetryPolicy.delays([s(1), s(2)]) }, { retry: { kind: 'delays', delays: [1, 2] } }],
];

describe('the faults of a simulation', () => {
  it('are those that docs/testing.md lists', () => {
    const page = readFileSync(join(__dirname, '../../docs/testing.md'), 'utf8');
    const [, section = ''] = /^## Faults$(.*?)^## /ms.exec(page) ?? [];
    const rows = [...section.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)].map(([, name, about]) => [name, about]);
    expect(rows).toEqual(Object.entries(NAMED_FAULTS).map(([name, { about }]) => [name, about]));
  });
});

describe('the policies of a simulation', () => {
  it.each(Object.entries(POLICY_BOUNDS))('have the range and default of the construct: %s', (option, bound) => {
    const { min, max, unit, ...rest }: Bound = BOUNDS[option as keyof typeof BOUNDS];
    expect(bound).toEqual({
      min,
      max,
      unit,
      ...('default' in rest && { default: rest.default }),
      ...('fractions' in rest && { fractions: rest.fractions }),
    });
  });

  it('derive what the construct derives', () => {
    expect(FIXED).toMatchObject(DERIVED);
  });

  it('are all that a job has', () => {
    const props = readFileSync(join(__dirname, '../../lib/props.ts'), 'utf8');
    const [, members = ''] = /export interface JobOptions {\n(.*?)\n}/s.exec(props) ?? [];
    const names = [...members.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(4);
    expect(names.toSorted()).toEqual(JOB_MEMBERS.toSorted());
  });

  it.each(SAME)('are those of a construct: %s', (_, props, config) => {
    const schedule = ScheduleExpression.rate(Duration.minutes(5));
    const { configuration, concurrency, timeout, scannerTimeout } = readSettings({ ...props, schedule });
    const simulated = readPolicies(config, ['j'], FIXED.pageSize);
    expect(simulated).toEqual({ configuration, concurrency, timeout, scannerTimeout });
  });
});
