import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { CronFanoutProps } from './props';

/** The options of a fanout with what it shares; an option that is given wins. */
export function withShared(props: CronFanoutProps): CronFanoutProps {
  const { shared } = props;
  if (shared === undefined) {
    return props;
  }
  const { stateTable, failureQueue, scheduleGroup, alarmTopic, failureQueueAlarm } = shared;
  const isWatched = failureQueueAlarm !== undefined && props.failureQueue === undefined;
  const actions = alarmTopic === undefined ? undefined : [new SnsAction(alarmTopic)];
  return {
    ...(stateTable !== undefined && { stateTable }),
    ...(failureQueue !== undefined && { failureQueue }),
    ...(scheduleGroup !== undefined && { scheduleGroup }),
    ...(actions !== undefined && { pageActions: actions, ticketActions: actions }),
    ...props,
    ...(isWatched && { alarms: { failureQueue: { enabled: false }, ...props.alarms } }),
  };
}
