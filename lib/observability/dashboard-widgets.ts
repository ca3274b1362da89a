import { Duration } from 'aws-cdk-lib';
import { AlarmStatusWidget, Column, GraphWidget, Row, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { GraphWidgetProps, IMetric, IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../lambda/contract';
import { labelsText } from './labels';
import type { ObservedFanout } from './observed-fanout';

/** Columns of a dashboard. */
const WIDTH = 24;
const GRAPH_HEIGHT = 6;
/** What the outcomes of records are drawn in: what is good, what is in between, what somebody must look at. */
const COLOURS = { good: '#2ca02c', neutral: '#7f7f7f', odd: '#ff7f0e', bad: '#d62728' } as const;

/** One screen about a fanout: how its alarms stand, what becomes of its records, where they wait, how long things take, and what its ticks and runs do. */
export function fanoutWidgets(fanout: ObservedFanout): IWidget[] {
  return [
    new Column(
      ...heading(fanout),
      new Row(outcomes(fanout), waiting(fanout), notHandled(fanout)),
      new Row(durations(fanout), attempts(fanout), runs(fanout), ticks(fanout)),
    ),
  ];
}

function heading(fanout: ObservedFanout): IWidget[] {
  const { fanoutId, labels, node } = fanout;
  const alarms = Object.values(fanout.alarms);
  const who = [fanoutId, labelsText(labels)].filter((part) => part !== '').join(', ');
  return [
    new TextWidget({ markdown: `## ${node.id}\n${who}`, width: WIDTH, height: 2 }),
    ...(alarms.length === 0 ? [] : [new AlarmStatusWidget({ alarms, title: 'Alarms', width: WIDTH, height: 2 })]),
  ];
}

function outcomes(fanout: ObservedFanout): IWidget {
  const count = (name: MetricName, color: string): IMetric => fanout.metric(name, { label: name, color });
  return graph('Records by outcome', WIDTH / 3, {
    stacked: true,
    left: [
      count('Succeeded', COLOURS.good),
      ...(['Skipped', 'Duplicate', 'Obsolete', 'Withdrawn'] as const).map((name) => count(name, COLOURS.neutral)),
      ...(['Cancelled', 'Expired'] as const).map((name) => count(name, COLOURS.odd)),
      ...(['Rejected', 'Dead'] as const).map((name) => count(name, COLOURS.bad)),
    ],
  });
}

function waiting(fanout: ObservedFanout): IWidget {
  const { queue } = fanout;
  const options = { statistic: 'Maximum' };
  return graph('In flight, and the oldest message', WIDTH / 3, {
    left: [
      queue.metricApproximateNumberOfMessagesVisible({ ...options, label: 'waiting' }),
      queue.metricApproximateNumberOfMessagesNotVisible({
        ...options,
        label: 'in work, or until their back-off is over',
      }),
      fanout.metricInFlight({ label: 'not settled' }),
    ],
    right: [fanout.metricOldestMessage({ label: 'oldest message (s)', color: COLOURS.odd })],
  });
}

function notHandled({ deadLetterQueue, failureQueue }: ObservedFanout): IWidget {
  const options = { statistic: 'Maximum' };
  return graph('Dead, and what failed as a whole', WIDTH / 3, {
    left: [
      deadLetterQueue.metricApproximateNumberOfMessagesVisible({
        ...options,
        label: 'dead-letter queue',
        color: COLOURS.bad,
      }),
      failureQueue.metricApproximateNumberOfMessagesVisible({ ...options, label: 'failure queue', color: COLOURS.odd }),
    ],
  });
}

function durations(fanout: ObservedFanout): IWidget {
  return graph('Lag and durations (ms)', WIDTH / 4, {
    left: [
      fanout.metricStartLag({ label: 'from enqueue to start, p90' }),
      fanout.metricHandlerDuration({ label: 'attempt, p90' }),
      fanout.metricHandlerDuration({ label: 'attempt, longest', statistic: 'Maximum' }),
    ],
  });
}

function attempts(fanout: ObservedFanout): IWidget {
  return graph('Enqueued and attempted', WIDTH / 4, {
    left: [
      fanout.metricEnqueued({ label: 'enqueued' }),
      fanout.metricAttempts({ label: 'attempts' }),
      fanout.metricFailedAttempts({ label: 'failed attempts', color: COLOURS.bad }),
    ],
  });
}

function runs(fanout: ObservedFanout): IWidget {
  return graph('Runs', WIDTH / 4, {
    left: [
      fanout.metric('RunsStarted', { label: 'started' }),
      fanout.metricRunsCompleted({ label: 'completed', color: COLOURS.good }),
      fanout.metricRunsFailed({ label: 'failed', color: COLOURS.bad }),
      fanout.metric('RunsCancelled', { label: 'cancelled', color: COLOURS.odd }),
      fanout.metric('RunsTakenOver', { label: 'taken over', color: COLOURS.odd }),
    ],
    right: [
      fanout.metricOldestRunAge({ label: 'oldest not complete (s)' }),
      fanout.metricRunDuration({ label: 'duration (ms)', statistic: 'Maximum' }),
    ],
  });
}

function ticks(fanout: ObservedFanout): IWidget {
  return graph('Ticks and lock', WIDTH / 4, {
    left: [
      fanout.metricTicksSkipped({ label: 'ticks skipped', color: COLOURS.odd }),
      fanout.metric('TicksQueued', { label: 'ticks queued' }),
      fanout.metricTicksMissed({ label: 'ticks missed', color: COLOURS.bad }),
      fanout.metricLockRefused({ label: 'lock refused', color: COLOURS.neutral }),
      fanout.metricScannerErrors({ label: 'scanner errors', color: COLOURS.bad }),
    ],
    right: [fanout.metric('TickDelay', { label: 'delay of ticks (ms), p90' })],
  });
}

function graph(title: string, width: number, props: Partial<GraphWidgetProps>): IWidget {
  const zero = { min: 0, showUnits: false };
  return new GraphWidget({
    title,
    width,
    height: GRAPH_HEIGHT,
    period: Duration.minutes(5),
    leftYAxis: zero,
    ...(props.right === undefined ? {} : { rightYAxis: zero }),
    ...props,
  });
}
