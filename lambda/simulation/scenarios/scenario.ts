import type { FanoutConfiguration } from '../../contract';
import { Draw } from '../draw';
import type { FaultRates } from '../world/faults';
import type { Behaviour, FanoutSpec, JobSpec, RecordSpec, TickSpec, WorldSpec } from '../world/spec';

/** A kind of world. */
export interface Scenario {
  readonly name: string;
  /** What it is for, in one line. */
  readonly about: string;
  /** The world of a seed. */
  readonly draw: (seed: number) => WorldSpec;
}

/** Everything that a handler does. */
export const HANDLER_BEHAVIOURS: readonly Behaviour[] = [
  'succeed',
  'fail',
  'fail',
  'failOddly',
  'refuse',
  'later',
  'slow',
  'linger',
  'ignore',
];
/** What a handler does in worlds that are about something else. */
export const QUICK_BEHAVIOURS: readonly Behaviour[] = ['succeed', 'fail', 'fail', 'refuse', 'slow'];
/** Most milliseconds by which a clock is ahead or behind: any two differ by the stated bound at most. */
export const SKEW_MS = 2_500;

/** Epoch milliseconds at which every world begins. */
export const WORLD_START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

/** Records with keys of their own; about half of them share groups. */
export function drawRecords(
  draw: Draw,
  count: number,
  prefix: string,
  behaviours: readonly Behaviour[] = [],
): RecordSpec[] {
  const groups = draw.int(1, Math.max(1, Math.floor(count / 2)));
  return draw.list(count, (place) => ({
    key: `${prefix}${place}`,
    group: `g${draw.int(0, groups - 1)}`,
    behaviours: draw.list(behaviours.length === 0 || draw.chance(0.6) ? 0 : draw.int(1, 3), () =>
      draw.pick(behaviours),
    ),
  }));
}

/** A count of records: mostly small, up to 200. */
export function drawCount(draw: Draw, most = 200): number {
  return draw.chance(0.7) ? draw.int(1, Math.min(25, most)) : draw.int(Math.min(25, most), most);
}

/** A job over records. */
export function drawJob(draw: Draw, records: readonly RecordSpec[], parts: Partial<JobSpec> = {}): JobSpec {
  return {
    jobType: 'job',
    records,
    chunk: draw.pick([1, 1, 3, 10]),
    isGrouped: draw.chance(0.7),
    changes: 0,
    handlerMs: draw.pick([0, 50, 400]),
    ...parts,
  };
}

/** A configuration of small pages, short leases and few attempts. */
export function drawConfiguration(draw: Draw, parts: Partial<FanoutConfiguration> = {}): FanoutConfiguration {
  const maxAttempts = draw.int(2, 4);
  const consumerTimeout = 30;
  return {
    lanes: 'group',
    serialFailure: 'block',
    visibilityTimeout: 6 * consumerTimeout,
    maxReceiveCount: 10 * maxAttempts + 60,
    queueRetention: 345_600,
    ledgerRetention: 1_728_000,
    pageSize: draw.pick([1, 3, 10, 50]),
    lease: 60,
    defaults: {
      retry: { maxAttempts, delays: { kind: 'exponential', initial: 5, factor: 2, max: 60 }, jitter: 0.5 },
      deduplication: draw.chance(0.75) ? 'whileInFlight' : 'perRun',
      quarantine: draw.pick([0, 600, 3600]),
    },
    jobs: {},
    ...parts,
  };
}

/** Scheduled time of the n-th tick. */
export function tickTime(n: number, everyMinutes: number): string {
  return new Date(WORLD_START + n * everyMinutes * MINUTE_MS).toISOString();
}

/** Ticks, each a little late. */
export function drawTicks(draw: Draw, count: number, everyMinutes: number): TickSpec[] {
  return draw.list(count, (n) => ({
    at: n * everyMinutes * MINUTE_MS + draw.int(0, 2000),
    scheduledTime: tickTime(n, everyMinutes),
  }));
}

/** A fanout with one job. */
export function drawFanout(draw: Draw, jobs: readonly JobSpec[], parts: Partial<FanoutSpec> = {}): FanoutSpec {
  return {
    fanoutId: 'F',
    jobs,
    configuration: drawConfiguration(draw),
    concurrency: draw.int(2, 6),
    batchSize: draw.pick([1, 3, 10, 10]),
    consumerTimeout: 30,
    scannerTimeout: 900,
    ticks: drawTicks(draw, draw.int(1, 2), draw.pick([1, 5])),
    watchdog: 300,
    deploys: [],
    poison: [],
    redrives: [],
    resumes: [],
    outages: [],
    ...parts,
  };
}

/** A world of one fanout in which nothing goes wrong. */
export function drawWorld(seed: number, fanouts: readonly FanoutSpec[], parts: Partial<WorldSpec> = {}): WorldSpec {
  return { seed, fanouts, faults: {}, faultPlaces: 0, skewMs: 0, freezes: false, ...parts };
}

/** Draws of a scenario: the same seed gives different draws in different scenarios. */
export function drawOf(seed: number, scenario: string): Draw {
  let mixed = seed | 0;
  for (const character of scenario) {
    mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return new Draw(mixed);
}

/** Some records come twice. */
export function withDuplicates(draw: Draw, records: readonly RecordSpec[]): RecordSpec[] {
  return records.flatMap((record) => (draw.chance(0.05) ? [record, record] : [record]));
}

/** Rates, all of them multiplied. */
export function scaled(rates: FaultRates, factor: number): FaultRates {
  return Object.fromEntries(Object.entries(rates).map(([fault, rate]) => [fault, rate * factor]));
}
