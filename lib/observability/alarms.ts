import { Token } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CLOUDWATCH, CronFanoutError } from '../../lambda/contract';
import type { AlarmName, AlarmSettings, FanoutAlarms } from './alarm-settings';
import { ALARM_NAMES } from './alarm-settings';
import type { AlarmDefinition } from './alarm-table';
import { ALARMS } from './alarm-table';
import { labelsText } from './labels';
import type { ObservedFanout } from './observed-fanout';
import type { ObservabilityOptions } from './options';

/** Where the runbooks are, unless the user has copied them elsewhere. */
const RUNBOOKS = 'https://unpkg.com/cron-fanout/docs/runbooks';

/**
 * Makes the alarms of a fanout.
 *
 * @throws CronFanoutError `InvalidRunbookUrl`
 */
export function createAlarms(
  fanout: ObservedFanout,
  options: ObservabilityOptions,
  { alarms, completion }: AlarmSettings,
): FanoutAlarms {
  const { pageActions = [], ticketActions = [] } = options;
  const runbooks = runbookUrl(options.runbookUrl);
  const made: Partial<Record<AlarmName, Alarm>> = {};
  for (const name of ALARM_NAMES) {
    const setting = alarms[name];
    if (setting !== undefined) {
      const definition = ALARMS[name];
      const severity = setting.severity ?? definition.severity;
      const alarm = new Alarm(fanout, definition.id, {
        ...definition.watch(fanout, setting, completion),
        alarmDescription: descriptionOf(fanout, definition, severity, runbooks),
      });
      alarm.addAlarmAction(...(severity === 'page' ? pageActions : ticketActions));
      made[name] = alarm;
    }
  }
  return made;
}

/** What somebody who is woken by it needs: what it means, whose it is, what to run first, where to read on. */
function descriptionOf(
  fanout: ObservedFanout,
  { meaning, command, page }: AlarmDefinition,
  severity: string,
  runbooks: string,
): string {
  const who = [`fanout ${fanout.fanoutId}`, labelsText(fanout.labels)].filter((part) => part !== '').join(', ');
  const text = `${meaning}. [${severity}; ${who}] First: ${command(fanout)} Runbook: ${runbooks}/${page}.md`;
  return Token.isUnresolved(text) ? text : text.slice(0, CLOUDWATCH.descriptionLength);
}

/**
 * Where the runbooks are, without a slash at the end.
 *
 * @throws CronFanoutError `InvalidRunbookUrl`
 */
export function runbookUrl(given: string = RUNBOOKS): string {
  if (!Token.isUnresolved(given) && !/^https?:\/\/\S+$/.test(given)) {
    throw new CronFanoutError('InvalidRunbookUrl', {
      what: 'runbookUrl',
      received: JSON.stringify(given),
      allowed: 'an http or https URL',
      change: 'write for example https://wiki.example.com/cron-fanout',
    });
  }
  return given.replace(/\/+$/, '');
}
