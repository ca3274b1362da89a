import { CronFanoutError, ENVIRONMENT } from '../../lambda/contract';
import type { FanoutConfiguration } from '../../lambda/contract';
import type { AsynchronousOutcome } from './asynchronous-invocations';
import type { DeployedFunction } from './deployment';
import { Observer } from './observer';
import type { FanoutFunction, LocalResources, ScheduleDescription } from './resources';
import { functionNameOf } from './resources';

/** A fanout of the stack, with what a local run needs of it. */
export interface FanoutParts {
  readonly fanoutId: string;
  readonly observer: Observer;
  /** Name of its state table. */
  readonly stateTable: string;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  /** Names of its functions. */
  readonly functions: ReadonlySet<string>;
  /** The schedule of its ticks. */
  readonly schedule: ScheduleDescription;
  /** Handlers at once that its event source mapping allows. */
  readonly maxHandlers: number;
  /** Invokes its scanner as the Scheduler does: asynchronously. */
  readonly invokeScanner: (event: unknown) => Promise<AsynchronousOutcome>;
}

/**
 * Puts together what belongs to one fanout.
 *
 * @param fanoutId the fanout; absent: the only one of the stack
 * @throws CronFanoutError `UnknownFanout`, `SeveralFanouts` or `NoSchedule`
 */
export function fanoutParts(
  resources: LocalResources,
  functions: ReadonlyMap<string, DeployedFunction>,
  fanoutId?: string,
): FanoutParts {
  const chosen = chooseFanout([...new Set(resources.functions.map((one) => one.fanoutId))], fanoutId);
  const own = resources.functions.filter((one) => one.fanoutId === chosen);
  const consumer = own.find(({ environment }) => environment[ENVIRONMENT.deadLetterQueueUrl] !== undefined);
  const names = new Set(own.map(({ name }) => name));
  const schedule = resources.schedules.find(
    ({ targetArn, input }) => names.has(functionNameOf(targetArn)) && isTick(input),
  );
  if (schedule === undefined) {
    throw new CronFanoutError('NoSchedule', {
      what: `schedule of fanout ${chosen}`,
      received: 'none',
      allowed: 'a fanout with a schedule, whose tick a local run can fire',
      change: 'give the construct a `schedule`, or run another fanout with --fanout',
    });
  }
  const scanner = functions.get(functionNameOf(schedule.targetArn));
  if (scanner === undefined || consumer === undefined) {
    throw new Error(`internal error: fanout ${chosen} has no scanner or no consumer in its template`);
  }
  const variable = (name: string): string => consumer.environment[name] ?? '';
  const queueUrl = variable(ENVIRONMENT.queueUrl);
  const deadLetterQueueUrl = variable(ENVIRONMENT.deadLetterQueueUrl);
  return {
    fanoutId: chosen,
    observer: new Observer({ work: queueName(queueUrl), deadLetter: queueName(deadLetterQueueUrl) }),
    stateTable: variable(ENVIRONMENT.stateTable),
    queueUrl,
    deadLetterQueueUrl,
    functions: names,
    schedule,
    maxHandlers: maxHandlers(resources, consumer),
    invokeScanner: (event) => scanner.asynchronous.invoke(event),
  };
}

function chooseFanout(known: readonly string[], wanted: string | undefined): string {
  const [first, ...others] = known;
  if (wanted !== undefined && !known.includes(wanted)) {
    throw new CronFanoutError('UnknownFanout', {
      what: '--fanout',
      received: JSON.stringify(wanted),
      allowed: `a fanout of the stack: ${known.join(', ')}`,
      change: 'name one of these',
    });
  }
  if (wanted === undefined && others.length > 0) {
    throw new CronFanoutError('SeveralFanouts', {
      what: 'fanouts of the stack',
      received: known.join(', '),
      allowed: 'one',
      change: 'name the fanout to run with --fanout',
    });
  }
  return wanted ?? first ?? '';
}

/** In a single lane it is one handler, whatever the mapping allows. */
function maxHandlers({ mappings }: LocalResources, { name, environment }: FanoutFunction): number {
  const { lanes } = JSON.parse(environment[ENVIRONMENT.configuration] ?? '{}') as Partial<FanoutConfiguration>;
  const mapping = mappings.find(({ functionName }) => functionName === name);
  return lanes === 'single' || mapping === undefined ? 1 : mapping.batchSize * (mapping.maximumConcurrency ?? Infinity);
}

function isTick(input: string): boolean {
  return (JSON.parse(input) as { kind?: unknown }).kind === 'tick';
}

function queueName(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
