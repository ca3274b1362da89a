import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDbStateStore } from '../../lambda/adapters/dynamodb-state-store';
import { systemRandomness } from '../../lambda/adapters/system-randomness';
import { CronFanoutError } from '../../lambda/contract';
import type { StateStore } from '../../lambda/ports';
import type { SqsEngine } from '../../lambda/simulation/sqs';
import { appCommand, readStacks, synthesize } from './assembly';
import { Cleanup } from './cleanup';
import type { Load, Loaded } from './data-module';
import { deploy } from './deployment';
import { dynalitePath } from './dynamodb';
import type { EmbeddedServices } from './embedded-services';
import { makeScratch, startServices } from './embedded-services';
import type { FanoutParts } from './fanout-parts';
import { fanoutParts } from './fanout-parts';
import type { FunctionError } from './function-host/messages';
import type { LocalClock } from './local-clock';
import type { LocalResources } from './resources';
import { readResources } from './resources';
import { chooseStack } from './stack-choice';
import type { CompletedRun } from './tick-run';
import { runTick } from './tick-run';

/** What a local run is started with. */
export interface LocalFanoutOptions {
  /** Directory of the CDK app. */
  readonly directory: string;
  /** Command of the CDK app, or the directory of a cloud assembly that is there already. @default - `app` of its cdk.json */
  readonly app?: string;
  /** Name of the stack. @default - the only one that holds a fanout */
  readonly stack?: string;
  /** Id of the fanout. @default - the only one of the stack */
  readonly fanout?: string;
  /** Ends the start. @default - it can't be ended */
  readonly signal?: AbortSignal;
  /** Called when a stage begins, with its name for people. @default - nobody is told */
  readonly onStage?: (stage: string) => void;
  /** Called with every line that functions and services write. @default - they are dropped */
  readonly onLine?: (source: string, line: string) => void;
}

/** A stack that runs locally. */
export interface LocalFanout {
  readonly parts: FanoutParts;
  readonly clock: LocalClock;
  /** Every queue of the stack. */
  readonly engine: SqsEngine;
  readonly sqs: SQSClient;
  readonly dynamodb: DynamoDBDocumentClient;
  /** The state table of the fanout. */
  readonly store: StateStore;
  /** Fills the tables of the stack. */
  load(load: Load, records: number, seed: number): Promise<Loaded>;
  /**
   * Fires a tick and waits for the end of its run, on local time that runs ahead.
   *
   * @param scheduledTime identifies the tick: the same again is the same run. Absent: now
   * @throws CronFanoutError when the run can't come to its end, or `Stopped`
   */
  tick(scheduledTime?: string, signal?: AbortSignal): Promise<CompletedRun>;
  /**
   * Receives nothing more, gives the invocations in flight a second, and leaves no process, port or file. A second call waits for the first.
   */
  stop(): Promise<void>;
}

/**
 * Starts a stack locally: synthesizes its app, creates its queues and tables in embedded services, and runs the very assets that would be deployed.
 *
 * @throws CronFanoutError when the app can't be synthesized, or holds what can't run locally; whatever was started is ended then
 */
export async function startLocalFanout(options: LocalFanoutOptions): Promise<LocalFanout> {
  const cleanup = new Cleanup();
  try {
    return await start(options, cleanup);
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

async function start(options: LocalFanoutOptions, cleanup: Cleanup): Promise<LocalFanout> {
  const { signal, onStage, onLine = () => undefined } = options;
  // Asked before anything takes its time.
  dynalitePath();
  const scratch = makeScratch(cleanup);
  onStage?.('synthesizing the app');
  const stack = chooseStack(readStacks(await assemblyOf(options, scratch)), options.stack);
  signal?.throwIfAborted();
  onStage?.(`starting stack ${stack.stackName}`);
  const services = await startServices(scratch, { region: stack.region, onLine }, cleanup);
  signal?.throwIfAborted();
  const resources = readResources(stack, services.queueUrl);
  const failures: Failure[] = [];
  const observers: FanoutParts['observer'][] = [];
  const functions = await deploy(
    resources,
    services,
    {
      onSignal: (name, received, processId) => {
        observers.forEach((observer) => {
          observer.signal(received, processId);
        });
      },
      onExit: (_name, processId) => {
        observers.forEach((observer) => {
          observer.processEnded(processId);
        });
      },
      onLine,
      onInitFailure: (functionName, error) => failures.push({ functionName, error }),
    },
    cleanup,
  );
  signal?.throwIfAborted();
  const parts = fanoutParts(resources, functions, options.fanout);
  observers.push(parts.observer);
  services.engine.observe(parts.observer.queueEvent);
  return handleOf({ parts, services, resources, failures, cleanup });
}

/** A function that can't be loaded. */
interface Failure {
  readonly functionName: string;
  readonly error: FunctionError;
}

function handleOf({
  parts,
  services,
  resources,
  failures,
  cleanup,
}: {
  readonly parts: FanoutParts;
  readonly services: EmbeddedServices;
  readonly resources: LocalResources;
  readonly failures: readonly Failure[];
  readonly cleanup: Cleanup;
}): LocalFanout {
  const { clock, engine, sqs, dynamodb } = services;
  const store = new DynamoDbStateStore({
    client: dynamodb,
    tableName: parts.stateTable,
    clock,
    randomness: systemRandomness,
  });
  return {
    parts,
    clock,
    engine,
    sqs,
    dynamodb,
    store,
    load: (load, records, seed) => {
      const tables = Object.fromEntries(resources.tables.map(({ path, name }) => [path, name]));
      return load({ tables, dynamodb, records, seed });
    },
    tick: (scheduledTime, signal) =>
      runTick(
        {
          parts,
          clock,
          store,
          checkFunctions: () => {
            throwFirst(failures);
          },
        },
        scheduledTime,
        signal,
      ),
    stop: () => cleanup.run(),
  };
}

/** As with the CDK's command line, an app may be a directory that an app was synthesized to before. */
async function assemblyOf({ app, directory, signal }: LocalFanoutOptions, scratch: string): Promise<string> {
  if (app !== undefined && existsSync(join(app, 'manifest.json'))) {
    return app;
  }
  const output = join(scratch, 'cdk.out');
  const command = app ?? appCommand(directory);
  await synthesize({ app: command, directory, output, ...(signal !== undefined && { signal }) });
  signal?.throwIfAborted();
  return output;
}

/** A function that can't be loaded never will be: better to say so than to try until its messages are dead. */
function throwFirst([failure]: readonly Failure[]): void {
  if (failure !== undefined) {
    const { errorType, errorMessage, trace = [] } = failure.error;
    throw new CronFanoutError('FunctionNotLoaded', {
      what: `code of function ${failure.functionName}`,
      received: `${errorType}: ${errorMessage}\n${trace.slice(1, 6).join('\n')}\n `,
      allowed: 'a module that can be loaded',
      change: 'mend the job module or what it imports',
    });
  }
}
