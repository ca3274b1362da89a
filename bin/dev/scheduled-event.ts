import { randomUUID } from 'node:crypto';
import type { ScheduleDescription } from './resources';

/**
 * The event of a schedule as its target gets it: the input with the context attributes of EventBridge Scheduler filled in.
 *
 * @param scheduledTime the time that the schedule fires for
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
 */
export function scheduledEvent(
  { arn, input }: Pick<ScheduleDescription, 'arn' | 'input'>,
  scheduledTime: string,
): unknown {
  const attributes: Readonly<Record<string, string>> = {
    'scheduled-time': scheduledTime,
    'schedule-arn': arn,
    'execution-id': randomUUID(),
    'attempt-number': '1',
  };
  const text = input.replace(
    /<aws\.scheduler\.([a-z-]+)>/g,
    (placeholder, name: string) => attributes[name] ?? placeholder,
  );
  return JSON.parse(text) as unknown;
}
