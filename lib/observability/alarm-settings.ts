import { Token } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CronFanoutError } from '../../lambda/contract';
import { BOUNDS } from '../bounds';
import { checkDuration, checkKnown, checkNumber } from '../checks';
import type { Warning } from '../warnings';
import type { CompletionWatch, TickTimes } from './completion-watch';
import { watchCompletion } from './completion-watch';
import type { AgeAlarmOptions, AlarmOptions, CountAlarmOptions, FanoutAlarmsOptions } from './options';

/** Names of the alarms, in the order in which tables have them. */
export const ALARM_NAMES = [
  'deadRecords',
  'oldestMessage',
  'scannerErrors',
  'noCompletedRun',
  'runStalled',
  'runUnbalanced',
  'failureQueue',
  'inFlightLimit',
] as const;

/** Name of an alarm. */
export type AlarmName = (typeof ALARM_NAMES)[number];

/** Alarms by name; those that were turned off are absent. */
export type FanoutAlarms = Readonly<Partial<Record<AlarmName, Alarm>>>;

/** An alarm as it is to be made. */
export interface AlarmSetting {
  /** Absent: the alarm's own. */
  readonly severity?: 'page' | 'ticket';
  /** In seconds, where it is an age. */
  readonly threshold: number;
}

/** The alarms that are to be made. */
export interface AlarmSettings {
  readonly alarms: Readonly<Partial<Record<AlarmName, AlarmSetting>>>;
  /** Present with `noCompletedRun`. */
  readonly completion?: CompletionWatch;
  readonly warnings: readonly Warning[];
}

/** What thresholds follow from. */
export interface AlarmFacts {
  readonly ticks: TickTimes;
  /** Longest time in seconds that the attempts of a record may take. */
  readonly worstRetryTime: number;
}

/**
 * Checks what the alarms are told, and derives what they are not told.
 *
 * @throws CronFanoutError `UnknownAlarm`, `OutOfRange`, `UnresolvedDuration`, `UnresolvedToken` or `AlarmLooksBackTooFar`
 */
export function readAlarms(options: FanoutAlarmsOptions = {}, { ticks, worstRetryTime }: AlarmFacts): AlarmSettings {
  checkNames(options);
  const periods = countOf('noCompletedRun', options.noCompletedRun);
  checkKnown('alarms.noCompletedRun.threshold', periods ?? 0, 'the time without a completed run is derived from it');
  const asked: Readonly<Record<AlarmName, number>> = {
    deadRecords: orDefault('deadRecords', countOf('deadRecords', options.deadRecords)),
    oldestMessage: ageOf('oldestMessage', options.oldestMessage) ?? atLeast('oldestMessage', worstRetryTime),
    scannerErrors: orDefault('scannerErrors', countOf('scannerErrors', options.scannerErrors)),
    noCompletedRun: orDefault('noCompletedRun', periods),
    runStalled: ageOf('runStalled', options.runStalled) ?? atLeast('runStalled', 2 * worstRetryTime),
    runUnbalanced: orDefault('runUnbalanced', countOf('runUnbalanced', options.runUnbalanced)),
    failureQueue: orDefault('failureQueue', countOf('failureQueue', options.failureQueue)),
    inFlightLimit: orDefault('inFlightLimit', countOf('inFlightLimit', options.inFlightLimit)),
  };
  const told = (name: AlarmName): AlarmOptions => ({ ...given(options.all), ...given(options[name]) });
  const wanted = ALARM_NAMES.filter((name) => told(name).enabled !== false);
  const { watch, warnings } = wanted.includes('noCompletedRun')
    ? watchCompletion(ticks, periods)
    : { watch: undefined, warnings: [] };
  const made = wanted.filter((name) => name !== 'noCompletedRun' || watch !== undefined);
  return {
    alarms: Object.fromEntries(made.map((name) => [name, setting(asked[name], told(name))])),
    ...(watch !== undefined && { completion: watch }),
    warnings,
  };
}

function setting(threshold: number, { severity }: AlarmOptions): AlarmSetting {
  return severity === undefined ? { threshold } : { threshold, severity: severity.name };
}

/** Options without those that are there and undefined. */
function given(options: AlarmOptions = {}): AlarmOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

const pathOf = <Name extends AlarmName>(name: Name): `alarms.${Name}.threshold` => `alarms.${name}.threshold`;

function countOf(name: AlarmName, { threshold }: CountAlarmOptions = {}): number | undefined {
  return threshold === undefined ? undefined : checkNumber(pathOf(name), threshold);
}

function ageOf(name: AlarmName, { threshold }: AgeAlarmOptions = {}): number | undefined {
  return threshold === undefined ? undefined : checkDuration(pathOf(name), threshold);
}

function orDefault(name: AlarmName, value: number | undefined): number {
  return value ?? BOUNDS[pathOf(name)].default;
}

/** The default age, or what the fanout's own policies may take where that is longer. */
function atLeast(name: AlarmName, seconds: number): number {
  const { default: usual, max } = BOUNDS[pathOf(name)];
  return Token.isUnresolved(seconds) ? usual : Math.min(max, Math.max(usual, Math.ceil(seconds)));
}

function checkNames(options: FanoutAlarmsOptions): void {
  const known: readonly string[] = ['all', ...ALARM_NAMES];
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new CronFanoutError('UnknownAlarm', {
      what: 'alarms',
      received: unknown.map((name) => JSON.stringify(name)).join(', '),
      allowed: known.join(', '),
      change: 'use one of these names',
    });
  }
}
