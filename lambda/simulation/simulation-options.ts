import { CronFanoutError } from '../contract';
import type { AnyJob, SetupContext } from '../job/job';
import type { Secrets } from '../ports';
import type { Faults } from './named-faults';
import { checkMembers, checkedName, checkedNumber, shown } from './option-checks';
import type { SimulatedFanoutOptions } from './simulation-config';
import { SIMULATION_BOUNDS } from './simulation-bounds';
import type { GivenRecords, RecordsContext } from './user-code/given-records';

/** What every simulation can be told. */
export interface CommonSimulationOptions {
  /**
   * What goes wrong: names of docs/testing.md, `'all'` or `'none'`. Which calls they strike depends on the seed.
   *
   * @default 'none'
   */
  readonly faults?: Faults;
  /**
   * Chooses what happens next wherever several things can, and what goes wrong. 0 to 2147483647. The same seed gives the same report.
   *
   * @default 1
   */
  readonly seed?: number;
  /**
   * Policies, as the construct would have them.
   *
   * @default - those of a construct that is given none
   */
  readonly config?: SimulatedFanoutOptions;
  /**
   * Ticks that are fired. 1 to 100.
   *
   * @default 1
   */
  readonly ticks?: number;
  /**
   * Seconds between two ticks. 60 to 86400.
   *
   * @default 300
   */
  readonly interval?: number;
  /**
   * Scheduled time of the first tick, and what the clock says then: a `Date`, or a text that `Date` reads. Fractions of a second are dropped.
   *
   * @default '2026-01-01T00:00:00Z'
   */
  readonly start?: Date | string;
  /**
   * Records of one page: after a fault, a scan goes on at its last page. 1 to 1000. Pages are small here, so that the few records of a test take several, and a source is resumed by its cursors.
   *
   * @default 10
   */
  readonly pageSize?: number;
  /**
   * Values of the secrets that `setup` reads, by name.
   *
   * @default - none: reading one fails
   */
  readonly secrets?: Readonly<Record<string, string>>;
  /**
   * Whether the functions of the job see the time of the simulation in `Date` and in timers. `'real'` leaves both as they are: a wait of a second takes one.
   *
   * @default 'virtual'
   */
  readonly timers?: 'virtual' | 'real';
  /**
   * Real milliseconds that a function of the job is waited for which waits for something else than promises and timers; after that, time goes on without it. 0 to 60000.
   *
   * @default 200
   */
  readonly patience?: number;
}

/** Options of a simulation of one job: `R` is the type of its records, `D` what its `setup` returns. */
export interface SimulationOptions<R, D> extends CommonSimulationOptions {
  /**
   * Records instead of those of the job's source, or a function that is asked for them once in each run.
   *
   * @default - the job's source
   */
  readonly records?: readonly R[] | ((context: RecordsContext) => readonly R[] | Promise<readonly R[]>);
  /**
   * What the functions of the job are given instead of what its `setup` returns, or a function that is called instead of it.
   *
   * @default - the job's setup
   */
  readonly setup?: D | ((context: SetupContext) => D | Promise<D>);
}

/** Options of a simulation of several jobs in one fanout. */
export interface SeveralJobsOptions extends CommonSimulationOptions {
  /**
   * Records by job type, instead of those of the jobs' sources; a job that is not named has none.
   *
   * @default - the jobs' sources
   */
  readonly records?: Readonly<Record<string, GivenRecords>>;
  /**
   * What the functions of all jobs are given instead of what their `setup` returns, or a function that is called instead of it.
   *
   * @default - each job's setup
   */
  readonly setup?: object | ((context: SetupContext) => unknown);
}

/** Options that were read, but for faults and policies. */
export interface ReadOptions {
  readonly seed: number;
  readonly ticks: number;
  readonly interval: number;
  /** Epoch milliseconds. */
  readonly startsAt: number;
  readonly pageSize: number;
  readonly patience: number;
  readonly isTimeVirtual: boolean;
  readonly secrets: Secrets;
  readonly records?: ReadonlyMap<string, GivenRecords>;
  readonly setup?: (context: SetupContext) => unknown;
}

const DEFAULT_START = '2026-01-01T00:00:00Z';
const MEMBERS = [
  'records',
  'setup',
  'secrets',
  'faults',
  'seed',
  'config',
  'ticks',
  'interval',
  'start',
  'pageSize',
  'timers',
  'patience',
];

/**
 * Reads the options.
 *
 * @throws CronFanoutError `UnknownOption`, `InvalidOption`, `OutOfRange`, `UnknownName`, `UnknownJobType`
 */
export function readOptions(options: CommonSimulationOptions, jobs: readonly AnyJob[]): ReadOptions {
  checkMembers('options', options, MEMBERS);
  const numbered = (name: keyof typeof SIMULATION_BOUNDS): number =>
    options[name] === undefined ? SIMULATION_BOUNDS[name].default : checkedNumber(name, options[name]);
  const { records, setup } = options as SeveralJobsOptions;
  return {
    seed: numbered('seed'),
    ticks: numbered('ticks'),
    interval: numbered('interval'),
    startsAt: readStart(options.start ?? DEFAULT_START),
    pageSize: numbered('pageSize'),
    patience: numbered('patience'),
    isTimeVirtual: checkedName('timers', options.timers ?? 'virtual', ['virtual', 'real']) === 'virtual',
    secrets: readSecrets(options.secrets ?? {}),
    ...(records !== undefined && { records: readRecords(records, jobs) }),
    ...(setup !== undefined && { setup: readSetup(setup) }),
  };
}

function readStart(start: unknown): number {
  const time = start instanceof Date || typeof start === 'string' ? new Date(start).getTime() : NaN;
  if (Number.isNaN(time)) {
    throw new CronFanoutError('InvalidOption', {
      what: 'start',
      received: shown(start),
      allowed: 'a Date, or a text that Date reads',
      change: `for example '${DEFAULT_START}'`,
    });
  }
  return Math.floor(time / 1000) * 1000;
}

function readSetup(setup: unknown): (context: SetupContext) => unknown {
  if (typeof setup === 'function') {
    return setup as (context: SetupContext) => unknown;
  }
  if (typeof setup === 'object' && setup !== null) {
    return () => setup;
  }
  throw new CronFanoutError('InvalidOption', {
    what: 'setup',
    received: shown(setup),
    allowed: 'an object with what the functions of the job are given, or a function that returns one',
    change: 'write setup: { db: fakeDatabase }',
  });
}

function isRecords(value: unknown): value is GivenRecords {
  return Array.isArray(value) || typeof value === 'function';
}

function readRecords(records: unknown, jobs: readonly AnyJob[]): ReadonlyMap<string, GivenRecords> {
  const [first, ...others] = jobs.map(({ jobType }) => jobType);
  if (isRecords(records) && first !== undefined && others.length === 0) {
    return new Map([[first, records]]);
  }
  const isObject = typeof records === 'object' && records !== null && !Array.isArray(records);
  const given = isObject ? Object.entries(records) : [];
  const unknown = given.find(([jobType]) => !jobs.some((job) => job.jobType === jobType));
  if (unknown !== undefined) {
    throw new CronFanoutError('UnknownJobType', {
      what: `records[${JSON.stringify(unknown[0])}]`,
      received: 'records of a job that is not simulated',
      allowed: jobs.map(({ jobType }) => jobType).join(', '),
      change: 'use the jobType that the job declares',
    });
  }
  const wrong = given.find(([, value]) => !isRecords(value));
  if (!isObject || wrong !== undefined) {
    throw new CronFanoutError('InvalidOption', {
      what: wrong === undefined ? 'records' : `records[${JSON.stringify(wrong[0])}]`,
      received: shown(wrong === undefined ? records : wrong[1]),
      allowed: 'an array of records, or a function that returns one; of several jobs, an object of these by jobType',
      change: others.length === 0 ? 'write records: [...]' : `write records: { ${JSON.stringify(first)}: [...] }`,
    });
  }
  return new Map(given as [string, GivenRecords][]);
}

function readSecrets(secrets: unknown): Secrets {
  checkMembers('secrets', secrets, Object.keys(secrets ?? {}));
  const values = secrets as Readonly<Record<string, string>>;
  const wrong = Object.entries(values).find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined) {
    throw new CronFanoutError('InvalidOption', {
      what: `secrets[${JSON.stringify(wrong[0])}]`,
      received: `a ${typeof wrong[1]}`,
      allowed: 'a text',
      change: 'write the value as a string, for example JSON text',
    });
  }
  return {
    read: (name) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      return value === undefined ? Promise.reject(unknownSecret(name, values)) : Promise.resolve(value);
    },
  };
}

function unknownSecret(name: string, known: object): CronFanoutError {
  return new CronFanoutError('UnknownSecret', {
    what: 'secret(name)',
    received: JSON.stringify(name),
    allowed: Object.keys(known).join(', ') || 'none: the simulation has no secrets option',
    change: `add ${JSON.stringify(name)} to secrets, or replace the job's setup by the setup option`,
  });
}
