import { CronFanoutError } from '../contract';
import { POLICY_BOUNDS, SIMULATION_BOUNDS } from './simulation-bounds';
import type { SimulationBound } from './simulation-bounds';

/** A number that has a bound. */
export type BoundedName = keyof typeof POLICY_BOUNDS | keyof typeof SIMULATION_BOUNDS;

const BOUNDS: Readonly<Record<BoundedName, SimulationBound>> = { ...POLICY_BOUNDS, ...SIMULATION_BOUNDS };
const SHOWN = 80;

/**
 * Checks a number.
 *
 * @param path as the user wrote it, where it is not the name of the bound
 * @throws CronFanoutError `OutOfRange`
 */
export function checkedNumber(name: BoundedName, value: unknown, path: string = name): number {
  const { min, max, unit, fractions = false } = BOUNDS[name];
  if (typeof value !== 'number' || !(fractions || Number.isInteger(value)) || !(value >= min && value <= max)) {
    throw new CronFanoutError('OutOfRange', {
      what: path,
      received: shown(value),
      allowed: `${min} to ${max} ${unit}${fractions ? '' : ', whole'}`,
      change: `choose ${fractions ? 'a number' : 'a whole number'} in that range`,
    });
  }
  return value;
}

/**
 * Checks a choice among names.
 *
 * @throws CronFanoutError `UnknownName`
 */
export function checkedName<T extends string>(path: string, value: unknown, allowed: readonly T[]): T {
  const name = allowed.find((one) => one === value);
  if (name === undefined) {
    throw new CronFanoutError('UnknownName', {
      what: path,
      received: shown(value),
      allowed: allowed.join(', '),
      change: 'choose one of these',
    });
  }
  return name;
}

/**
 * Checks that an object has members with known names only.
 *
 * @throws CronFanoutError `InvalidOption`, `UnknownOption`
 */
export function checkMembers(path: string, value: unknown, allowed: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CronFanoutError('InvalidOption', {
      what: path,
      received: shown(value),
      allowed: `an object with any of ${allowed.join(', ')}`,
      change: `write ${path} as an object`,
    });
  }
  const unknown = Object.keys(value).find((name) => !allowed.includes(name));
  if (unknown !== undefined) {
    throw new CronFanoutError('UnknownOption', {
      what: `${path}.${unknown}`,
      received: 'an option that is not known',
      allowed: allowed.join(', '),
      change: 'choose one of these, or leave it out',
    });
  }
}

/** A value in a message: short, and as its writer would know it. */
export function shown(value: unknown): string {
  if (typeof value === 'function') {
    return 'a function';
  }
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString();
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // A value that JSON cannot hold is named by its type.
  }
  return (text ?? typeof value).slice(0, SHOWN);
}
