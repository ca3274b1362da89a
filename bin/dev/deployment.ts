import { join } from 'node:path';
import { CreateQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { EventSourceMapping } from '../../lambda/simulation/event-source-mapping';
import { AsynchronousInvocations } from './asynchronous-invocations';
import type { Cleanup } from './cleanup';
import { createTables } from './dynamodb';
import type { EmbeddedServices } from './embedded-services';
import type { FunctionError, FunctionSignal } from './function-host/messages';
import { FunctionPool } from './function-pool';
import type { InvocationResult } from './function-pool';
import { buildHostScript } from './host-script';
import type { FanoutFunction, LocalResources, MappingDescription, QueueDescription } from './resources';

/** What the deployment tells its owner. */
export interface DeploymentEvents {
  readonly onSignal: (functionName: string, signal: FunctionSignal, processId: number) => void;
  readonly onExit: (functionName: string, processId: number) => void;
  readonly onLine: (source: string, line: string) => void;
  readonly onInitFailure: (functionName: string, error: FunctionError) => void;
}

/** A function that was deployed locally. */
export interface DeployedFunction {
  readonly description: FanoutFunction;
  readonly pool: FunctionPool;
  readonly asynchronous: AsynchronousInvocations;
}

/** Milliseconds of real time that invocations in flight are given when a local run stops. */
const GRACE_MS = 1_000;

/**
 * Creates queues and tables, makes the functions invokable and starts the event source mappings. `cleanup` stops all of it: no further receive, then the
 * invocations in flight end and their messages are settled, within a second.
 */
export async function deploy(
  resources: LocalResources,
  services: EmbeddedServices,
  events: DeploymentEvents,
  cleanup: Cleanup,
): Promise<ReadonlyMap<string, DeployedFunction>> {
  await createQueues(services, resources.queues);
  await createTables(services.database, resources.tables);
  const functions = deployFunctions(resources.functions, services, events);
  const mappings = resources.mappings.map((mapping) => startMapping(mapping, functions, services));
  cleanup.add(async () => {
    const settled = mappings.map((mapping) => mapping.stop());
    for (const { asynchronous } of functions.values()) {
      asynchronous.stop();
    }
    await Promise.all([...functions.values()].map(({ pool }) => pool.stop(GRACE_MS)));
    await Promise.all(settled);
  });
  return functions;
}

/** Queues with a redrive policy come last: the queue that they name must be there. */
async function createQueues({ sqs }: EmbeddedServices, queues: readonly QueueDescription[]): Promise<void> {
  const redriven = ({ attributes }: QueueDescription): boolean => attributes.RedrivePolicy !== undefined;
  for (const { name, attributes } of [...queues].sort((a, b) => Number(redriven(a)) - Number(redriven(b)))) {
    await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: { ...attributes } }));
  }
}

function deployFunctions(
  descriptions: readonly FanoutFunction[],
  services: EmbeddedServices,
  events: DeploymentEvents,
): Map<string, DeployedFunction> {
  const { clock, environment, scratch } = services;
  const host = (name: string): string => buildHostScript(join(__dirname, 'function-host', name), scratch);
  const scripts = { preload: host('preload'), bootstrap: host('bootstrap') };
  const deployed = new Map<string, DeployedFunction>();
  for (const description of descriptions) {
    const { name } = description;
    const pool = new FunctionPool(description, {
      clock,
      scripts,
      environment,
      onSignal: (signal, processId) => {
        events.onSignal(name, signal, processId);
      },
      onExit: (processId) => {
        events.onExit(name, processId);
      },
      onLine: events.onLine,
      onInitFailure: events.onInitFailure,
    });
    const asynchronous = new AsynchronousInvocations(pool, description.asynchronous, clock, async (arn, record) => {
      const QueueUrl = services.queueUrl(arn.slice(arn.lastIndexOf(':') + 1));
      await services.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(record) }));
    });
    deployed.set(name, { description, pool, asynchronous });
    services.functions.set(name, {
      invoke: (event) => pool.invoke(event),
      accept: (event) => {
        asynchronous.invoke(event).catch((error: unknown) => {
          events.onLine(name, `failure destination: ${String(error)}`);
        });
      },
    });
  }
  return deployed;
}

function startMapping(
  mapping: MappingDescription,
  functions: ReadonlyMap<string, DeployedFunction>,
  { clock, engine }: EmbeddedServices,
): EventSourceMapping {
  const target = functions.get(mapping.functionName);
  const queue = engine.byArn(mapping.queueArn);
  if (target === undefined || queue === undefined) {
    throw new Error(
      `internal error: mapping of ${mapping.queueArn} to ${mapping.functionName} has no queue or function`,
    );
  }
  const started = new EventSourceMapping({
    queue,
    clock,
    batchSize: mapping.batchSize,
    ...(mapping.maximumConcurrency !== undefined && { maximumConcurrency: mapping.maximumConcurrency }),
    reportBatchItemFailures: mapping.reportBatchItemFailures,
    invoke: async (event) => answerOf(await target.pool.invoke(event)),
  });
  started.start();
  return started;
}

/** What an event source mapping is to see of a result. */
function answerOf(result: InvocationResult): unknown {
  switch (result.status) {
    case 'succeeded':
      return result.payload;
    case 'failed':
      throw Object.assign(new Error(result.error.errorMessage), { name: result.error.errorType });
    case 'throttled':
      throw Object.assign(new Error('Rate Exceeded.'), { name: 'TooManyRequestsException' });
  }
}
