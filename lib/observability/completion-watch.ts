import { Token } from 'aws-cdk-lib';
import { CLOUDWATCH, CronFanoutError } from '../../lambda/contract';
import { BOUNDS, FIXED } from '../bounds';
import type { Warning } from '../warnings';

/** What is known of the ticks of a schedule. */
export interface TickTimes {
  /** Shortest and longest time between two ticks, in seconds; infinite where there is at most one, or where the schedule is not known at synth time. */
  readonly shortest: number;
  readonly longest: number;
  /** How late a tick may come by its time window, in seconds. */
  readonly window: number;
  /** Whether ticks come for ever: the schedule is enabled and has no end. */
  readonly isEndless: boolean;
  /** Whether the schedule is known at synth time. */
  readonly isKnown: boolean;
}

/** How CloudWatch is asked whether a run was completed: so many periods without one. In seconds. */
export interface CompletionWatch {
  readonly period: number;
  readonly evaluationPeriods: number;
}

/** The watch, or why there is none. */
export interface WatchedCompletion {
  readonly watch?: CompletionWatch;
  readonly warnings: readonly Warning[];
}

const LONGEST = CLOUDWATCH.lookBackSeconds.longPeriod;
const PATH = 'alarms.noCompletedRun.threshold';
const TURN_OFF = 'turn the alarm off: alarms: { noCompletedRun: { enabled: false } }';

/**
 * How long no run may be completed. The longest time between two ticks counts once, further periods are the shortest: a schedule for working hours has one night and then another five minutes, not two
 * nights.
 *
 * @param periods of the schedule; absent: the default, in at least an hour, shortened to what CloudWatch can look back where that still makes sense
 * @throws CronFanoutError `AlarmLooksBackTooFar` for periods that were asked for
 */
export function watchCompletion(ticks: TickTimes, periods: number | undefined): WatchedCompletion {
  const { shortest, longest, window, isEndless, isKnown } = ticks;
  if (!isEndless || (isKnown && longest === Infinity)) {
    return { warnings: [] };
  }
  if (!isKnown || window === Infinity) {
    return unwatched('the schedule is not known at synth time, so that nobody can say when a run is overdue');
  }
  const asked = longest + window + ((periods ?? BOUNDS[PATH].default) - 1) * shortest;
  if (periods !== undefined && asked > LONGEST) {
    throw tooFar(periods, asked);
  }
  const wanted = periods === undefined ? Math.max(asked, FIXED.shortestCompletionGap) : asked;
  if (longest + window + FIXED.completionMargin > LONGEST && wanted > LONGEST) {
    return unwatched(
      `${days(longest + window)} days can lie between two ticks, and CloudWatch looks back ${days(LONGEST)} days at most, too little to tell a late run from a missing one`,
    );
  }
  return { watch: divided(Math.min(wanted, LONGEST)), warnings: [] };
}

/** Periods as short as CloudWatch allows for the time, so that the alarm is raised soon after it. */
function divided(seconds: number): CompletionWatch {
  const { shortPeriod } = CLOUDWATCH.lookBackSeconds;
  const period = seconds <= 3600 ? 60 : seconds <= shortPeriod ? 300 : CLOUDWATCH.longPeriodSeconds;
  return { period, evaluationPeriods: Math.ceil(seconds / period) };
}

function unwatched(why: string): WatchedCompletion {
  return {
    warnings: [
      {
        id: 'cron-fanout:noCompletedRunUnwatched',
        message: `there is no alarm noCompletedRun: ${why}. Watch the runs otherwise, for example by a call of a dead man's switch in the job, and acknowledge this or ${TURN_OFF}`,
      },
    ],
  };
}

function tooFar(periods: number, seconds: number): CronFanoutError {
  return new CronFanoutError('AlarmLooksBackTooFar', {
    what: PATH,
    received: `${periods}, which is ${days(seconds)} days of this schedule`,
    allowed: `as many periods as fit into ${days(LONGEST)} days: CloudWatch looks back no further`,
    change: `lower it, or ${TURN_OFF}`,
  });
}

const days = (seconds: number): string => (Token.isUnresolved(seconds) ? '?' : String(Math.round(seconds / 864) / 100));
