import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  CfnScheduleGroup,
  ContextAttribute,
  Schedule,
  ScheduleExpression,
  ScheduleGroup,
} from 'aws-cdk-lib/aws-scheduler';
import type { IScheduleGroup, ScheduleProps } from 'aws-cdk-lib/aws-scheduler';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import type { TickEvent, WatchdogEvent } from '../../lambda/contract';
import { FIXED } from '../bounds';
import type { ScheduleOptions, StorageOptions } from '../props';
import type { ScheduleSettings } from '../schedule-settings';
import { invoke, sendTo } from './permissions';
import { createRole } from './role';
import { ScannerTarget } from './scanner-target';

/** What the schedules call, and where ticks go that cannot be delivered. */
export interface SchedulesPart {
  readonly fanoutId: string;
  readonly scanner: Function;
  readonly failureQueue: IQueue;
  /** What must be there before the first tick: a rate schedule fires as soon as it is made. */
  readonly after: readonly IDependable[];
}

/** The schedules of a fanout. */
export interface Schedules {
  readonly scheduleGroup: IScheduleGroup;
  readonly schedule: Schedule;
  /** Absent when the ticks themselves come often enough. */
  readonly watchdog?: Schedule;
}

/** Makes the schedule of the ticks and, where those are rare, that of the watchdog. */
export function createSchedules(
  scope: Construct,
  options: ScheduleOptions & StorageOptions,
  settings: ScheduleSettings,
  part: SchedulesPart,
): Schedules {
  const scheduleGroup = options.scheduleGroup ?? createScheduleGroup(scope);
  const { role, policies } = createRole(scope, {
    id: 'ScheduleRole',
    brought: options.scheduleRole,
    assumedBy: schedulesOf(scope, scheduleGroup),
    permissions: [invoke(part.scanner), sendTo(part.failureQueue)],
  });
  const make = (id: string, event: object, maxAge: number, props: Omit<ScheduleProps, 'target'>): Schedule => {
    const target = new ScannerTarget({ ...part, role, event, maxAge });
    const key = options.encryptionKey === undefined ? {} : { key: options.encryptionKey };
    const schedule = new Schedule(scope, id, { scheduleGroup, target, ...key, ...props });
    schedule.node.addDependency(...policies, ...part.after);
    return schedule;
  };
  return {
    scheduleGroup,
    schedule: make('Schedule', TICK, settings.deliveryAge, ticks(options, part.fanoutId)),
    ...(settings.watchdog
      ? { watchdog: make('Watchdog', WATCHDOG, FIXED.watchdogInterval, watchdog(part.fanoutId)) }
      : {}),
  };
}

/**
 * The Scheduler, on behalf of the schedules of one group. The role for it is the fanout's own: the L2's target would share one role per target over the whole
 * stack, and allow every version of the function.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
 */
function schedulesOf(scope: Construct, group: IScheduleGroup): ServicePrincipal {
  return new ServicePrincipal('scheduler.amazonaws.com', {
    conditions: {
      StringEquals: { 'aws:SourceAccount': Stack.of(scope).account, 'aws:SourceArn': group.scheduleGroupArn },
    },
  });
}

/** Filled in by the Scheduler when it fires. */
const TICK: TickEvent = {
  kind: 'tick',
  scheduledTime: ContextAttribute.scheduledTime,
  scheduleArn: ContextAttribute.scheduleArn,
  attempt: ContextAttribute.attemptNumber,
};

const WATCHDOG: WatchdogEvent = { kind: 'watchdog' };

function ticks(options: ScheduleOptions, fanoutId: string): Omit<ScheduleProps, 'target'> {
  const { schedule, timeWindow, start, end, enabled } = options;
  return {
    schedule,
    description: `Ticks of ${fanoutId}`,
    enabled: enabled ?? true,
    ...(timeWindow === undefined ? {} : { timeWindow }),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
  };
}

function watchdog(fanoutId: string): Omit<ScheduleProps, 'target'> {
  return {
    schedule: ScheduleExpression.rate(Duration.seconds(FIXED.watchdogInterval)),
    description: `Watchdog of ${fanoutId}: takes over stalled runs and settles what is due`,
  };
}

/**
 * A schedule group of the fanout's own: the Scheduler's metrics are by group. The L2 would give it a name made from the construct path, which collides
 * when the same stack is deployed twice under two names; without a name CloudFormation makes one.
 */
export function createScheduleGroup(scope: Construct): IScheduleGroup {
  const group = new CfnScheduleGroup(scope, 'ScheduleGroup');
  group.applyRemovalPolicy(RemovalPolicy.DESTROY);
  return ScheduleGroup.fromScheduleGroupName(scope, 'ScheduleGroupName', group.ref);
}
