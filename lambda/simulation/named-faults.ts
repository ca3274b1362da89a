import { CronFanoutError } from '../contract';
import { Draw } from './draw';
import { shown } from './option-checks';
import type { FaultRates } from './world/faults';

/** A fault as a test names it. */
interface NamedFault {
  /** What goes wrong, in one line. */
  readonly about: string;
  readonly rates: FaultRates;
  /** Most milliseconds by which clocks are ahead or behind. */
  readonly skewMs?: number;
  /** Environments freeze between invocations. */
  readonly freezes?: true;
}

/** Most milliseconds by which a clock is ahead or behind: any two differ by what the runtime allows for at most. */
const SKEW_MS = 2_500;

/** The faults that a test can name; docs/testing.md lists them. */
export const NAMED_FAULTS = {
  crash: {
    about: 'execution environments end at any moment, also between an effect of a handler and its recording',
    rates: { crash: 0.03 },
  },
  pause: {
    about: 'processes stand still, longer than their leases, and then go on; environments freeze between invocations',
    rates: { pause: 0.015 },
    freezes: true,
  },
  lostReply: {
    about: 'calls take effect though they fail, some of them later; the answer of a consumer is lost',
    rates: { replyLost: 0.02, late: 0.01, lostAnswer: 0.06 },
  },
  outage: {
    about: 'calls of table and queue fail, for a moment or for seconds',
    rates: { error: 0.02, away: 0.008 },
  },
  throttle: {
    about: 'calls and invocations are throttled',
    rates: { throttle: 0.03, throttledInvocation: 0.08 },
  },
  partialBatch: {
    about: 'the queue accepts a part of a batch, or leaves entries out of its answer',
    rates: { partial: 0.15, unlisted: 0.1 },
  },
  duplicateTick: {
    about: 'ticks are delivered twice, at once or minutes later',
    rates: { duplicateInvocation: 0.6 },
  },
  lostContinuation: {
    about: 'the invocation that would go on with a long scan never comes',
    rates: { lostInvocation: 0.3 },
  },
  redelivery: {
    about: 'a message that is being worked on is delivered once more',
    rates: { redelivery: 0.04 },
  },
  slowCall: {
    about: 'calls of table and queue take up to 40 seconds',
    rates: { slow: 0.03 },
  },
  slowHandler: {
    about: 'up to 15 seconds pass before the handler begins, unless its signal fires',
    rates: { handlerSlow: 0.15 },
  },
  hangingHandler: {
    about: 'half an hour passes before the handler begins, whatever its signal says',
    rates: { handlerHang: 0.03 },
  },
  failingHandler: {
    about: 'a call fails before the handler begins, sometimes with a value that is no error',
    rates: { handlerError: 0.08, handlerOddError: 0.03 },
  },
  failingSource: {
    about: 'the source throws between two records',
    rates: { sourceError: 0.02 },
  },
  slowSource: {
    about: 'up to 15 seconds pass between two records of the source',
    rates: { sourceSlow: 0.08 },
  },
  clockSkew: {
    about: 'clocks of execution environments are up to 2.5 seconds ahead or behind',
    rates: {},
    skewMs: SKEW_MS,
  },
} as const satisfies Record<string, NamedFault>;

/** Name of a fault. */
export type FaultName = keyof typeof NAMED_FAULTS;

/** Every name, in a fixed order. */
export const FAULT_NAMES = Object.keys(NAMED_FAULTS) as readonly FaultName[];

/** Faults of a simulation: one, several, `'all'` or `'none'`. */
export type Faults = FaultName | 'all' | 'none' | readonly FaultName[];

/** Faults as a world takes them. */
export interface DrawnFaults {
  readonly faults: FaultRates;
  readonly faultPlaces: number;
  readonly skewMs: number;
  readonly freezes: boolean;
}

/** Part of its rate that a fault has where all of them strike. */
const SHARE_OF_ALL = 0.5;
/** Places at which faults may strike, so that every world comes to rest: some see a few, some many. */
const PLACES = { min: 40, max: 1200 };

/**
 * Reads the faults, and draws from the seed how long they last.
 *
 * @throws CronFanoutError `UnknownFault`
 */
export function readFaults(given: unknown, seed: number): DrawnFaults {
  const names = namesOf(given);
  const chosen = names.map((name): NamedFault => NAMED_FAULTS[name]);
  const share = given === 'all' ? SHARE_OF_ALL : 1;
  const rates = chosen.flatMap((fault) => Object.entries(fault.rates));
  return {
    faults: Object.fromEntries(rates.map(([fault, rate]) => [fault, rate * share])),
    faultPlaces: names.length === 0 ? 0 : new Draw(seed).int(PLACES.min, PLACES.max),
    skewMs: Math.max(0, ...chosen.map(({ skewMs = 0 }) => skewMs)),
    freezes: chosen.some(({ freezes }) => freezes === true),
  };
}

function namesOf(given: unknown): readonly FaultName[] {
  if (given === undefined || given === 'none') {
    return [];
  }
  if (given === 'all') {
    return FAULT_NAMES;
  }
  const names: readonly unknown[] = Array.isArray(given) ? given : [given];
  const unknown = names.find((name) => !FAULT_NAMES.includes(name as FaultName));
  if (unknown !== undefined) {
    throw new CronFanoutError('UnknownFault', {
      what: 'faults',
      received: shown(unknown),
      allowed: `${FAULT_NAMES.join(', ')}; 'all' or 'none'`,
      change: 'choose among these',
    });
  }
  return [...new Set(names as readonly FaultName[])];
}
