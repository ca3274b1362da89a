import { Token } from 'aws-cdk-lib';
import type { Duration } from 'aws-cdk-lib';
import { CronFanoutError } from '../lambda/contract';
import { BOUNDS } from './bounds';
import type { Bound, BoundedOption } from './bounds';

/**
 * Checks a number against {@link BOUNDS}. A token passes: its value is not known before the deploy.
 *
 * @param path as the user wrote it, where it is not the name of the bound
 * @throws CronFanoutError `OutOfRange`
 */
export function checkNumber(option: BoundedOption, value: number, path: string = option): number {
  const bound: Bound = BOUNDS[option];
  if (Token.isUnresolved(value)) {
    return value;
  }
  const whole = bound.fractions === true || Number.isInteger(value);
  if (typeof value !== 'number' || !whole || !(value >= bound.min && value <= bound.max)) {
    throw new CronFanoutError('OutOfRange', {
      what: path,
      received: String(value),
      allowed: rangeText(option),
      change: `choose ${bound.fractions === true ? 'a number' : 'a whole number'} in that range`,
    });
  }
  return value;
}

/** The range of an option in words, as messages and documentation give it. */
export function rangeText(option: BoundedOption): string {
  const bound: Bound = BOUNDS[option];
  return `${bound.min} to ${bound.max} ${bound.unit}${bound.fractions === true ? '' : ', whole'}`;
}

/**
 * A duration in seconds, checked against {@link BOUNDS}. A token of seconds passes.
 *
 * @throws CronFanoutError `OutOfRange` or `UnresolvedDuration`
 */
export function checkDuration(option: BoundedOption, duration: Duration, path: string = option): number {
  return checkNumber(option, inSeconds(duration, path), path);
}

/**
 * A duration in seconds; a fraction of a second stays one, so that the range check sees it.
 *
 * @throws CronFanoutError `UnresolvedDuration` when it is a token of another unit, which cannot be converted before the deploy
 */
export function inSeconds(duration: Duration, path: string): number {
  if (duration.isUnresolved() && duration.unitLabel() !== 'seconds') {
    throw new CronFanoutError('UnresolvedDuration', {
      what: path,
      received: `a token, in ${duration.unitLabel()}`,
      allowed: 'a duration that is known at synth time, or a token in seconds',
      change: 'write Duration.seconds(token)',
    });
  }
  return duration.toSeconds({ integral: false });
}

/**
 * Refuses a token where something else has to be derived from its value.
 *
 * @throws CronFanoutError `UnresolvedToken`
 */
export function checkKnown(path: string, value: number, derived: string): void {
  if (Token.isUnresolved(value)) {
    throw new CronFanoutError('UnresolvedToken', {
      what: path,
      received: 'a token, whose value is not known before the deploy',
      allowed: `a value that is known at synth time, because ${derived}`,
      change: 'pass a plain value, for example from the context or from a constant',
    });
  }
}

/**
 * Refuses two options that contradict each other.
 *
 * @throws CronFanoutError `ConflictingOptions`
 */
export function refuseBoth(props: object, one: string, other: string, reason: string): void {
  const given = props as Readonly<Record<string, unknown>>;
  if (given[one] !== undefined && given[other] !== undefined) {
    throw new CronFanoutError('ConflictingOptions', {
      what: `${one} and ${other}`,
      received: 'both',
      allowed: `at most one of the two: ${reason}`,
      change: `leave ${other} out, or ${one}`,
    });
  }
}

/**
 * Refuses options that mean nothing without another one.
 *
 * @throws CronFanoutError `ConflictingOptions`
 */
export function refuseWithout(props: object, needed: string, ...options: string[]): void {
  const given = props as Readonly<Record<string, unknown>>;
  const idle = options.filter((name) => given[name] !== undefined);
  if (given[needed] === undefined && idle.length > 0) {
    throw new CronFanoutError('ConflictingOptions', {
      what: idle.join(', '),
      received: `given without ${needed}`,
      allowed: `only together with ${needed}`,
      change: `add ${needed}, or leave ${idle.length === 1 ? 'it' : 'them'} out`,
    });
  }
}
