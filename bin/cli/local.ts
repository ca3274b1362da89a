import { createWriteStream } from 'node:fs';
import { Command } from 'commander';
import { CronFanoutError } from '../../lambda/contract';
import { differences, summaryOf } from '../dev/books';
import { importLoad } from '../dev/data-module';
import type { LocalFanout } from '../dev/local-fanout';
import { startLocalFanout } from '../dev/local-fanout';
import { Progress } from '../dev/progress';
import { deadRecordsText, summaryText } from '../dev/summary';
import type { CompletedRun } from '../dev/tick-run';
import { listenForInterruption } from './interruption';
import { wholeNumber } from './number-option';

interface LocalOptions {
  readonly records: number;
  readonly seed: number;
  readonly data?: string;
  readonly app?: string;
  readonly stack?: string;
  readonly fanout?: string;
  readonly json?: true;
  readonly keepLogs?: string;
}

const MAX_RECORDS = 1_000_000;
const MAX_SEED = 2 ** 31 - 1;
const DEFAULT_RECORDS = 20_000;
const DEFAULT_SEED = 1;

/** The command `local`: runs a fanout on this machine, from its source to its dead-letter queue. */
export function localCommand(): Command {
  return new Command('local')
    .description(
      'Run a fanout on this machine: synthesize the app, start embedded SQS and DynamoDB, load data, fire a tick, and hold what was seen against the ledger.',
    )
    .option('--records <number>', 'records to load', wholeNumber('--records', 1, MAX_RECORDS), DEFAULT_RECORDS)
    .option('--seed <number>', 'fixes which records fail', wholeNumber('--seed', 0, MAX_SEED), DEFAULT_SEED)
    .option('--data <file>', 'module that exports load({ tables, dynamodb, records, seed }); it is needed')
    .option(
      '--app <command>',
      'command of the CDK app, or a directory that it was synthesized to (default: app in cdk.json)',
    )
    .option('--stack <name>', 'stack to run (default: the only one with a fanout)')
    .option('--fanout <id>', 'fanout to run (default: the only one of the stack)')
    .option('--json', 'print the summary as one JSON object on stdout, and nothing else there')
    .option('--keep-logs <file>', 'write the logs of the functions to a file')
    .action(run);
}

async function run(options: LocalOptions): Promise<void> {
  const interruption = listenForInterruption((exitCode) => process.exit(exitCode));
  const logs = options.keepLogs === undefined ? undefined : createWriteStream(options.keepLogs);
  let fanout: LocalFanout | undefined;
  try {
    const load = await importLoad(options.data);
    fanout = await startLocalFanout({
      directory: process.cwd(),
      ...options,
      signal: interruption.signal,
      onStage: say,
      onLine: (source, line) => logs?.write(`${source} ${line}\n`),
    });
    interruption.signal.throwIfAborted();
    say(`loading ${options.records} records (seed ${options.seed})`);
    const { eligible } = await stoppable(fanout.load(load, options.records, options.seed), interruption.signal);
    say('firing a tick');
    const completed = await tick(fanout, interruption.signal);
    report(fanout, completed, eligible, options.json === true);
  } catch (error) {
    if (interruption.exitCode() === undefined) {
      throw error;
    }
  } finally {
    await fanout?.stop();
    logs?.end();
    interruption.dispose();
  }
  const exitCode = interruption.exitCode();
  if (exitCode !== undefined) {
    say('stopped before the end of the run');
    process.exitCode = exitCode;
  }
}

async function tick(fanout: LocalFanout, signal: AbortSignal): Promise<CompletedRun> {
  const { observer } = fanout.parts;
  const progress = new Progress(process.stderr, () => observer.newestCounts());
  try {
    return await fanout.tick(undefined, signal);
  } finally {
    progress.stop();
  }
}

function report(fanout: LocalFanout, completed: CompletedRun, loaded: number, json: boolean): void {
  const { runId, run, seconds, localSeconds } = completed;
  const { observer } = fanout.parts;
  const ledger = run.totals;
  if (ledger === undefined) {
    throw new CronFanoutError('RunNotCompleted', {
      what: `run ${runId}`,
      received: `state ${run.state}: ${run.cause ?? 'no cause is known'}`,
      allowed: 'a run that is completed, with its totals',
      change: 'look into the logs of the functions (--keep-logs FILE)',
    });
  }
  const observed = observer.observed(runId);
  const summary = summaryOf(observed, ledger, seconds);
  if (json) {
    process.stdout.write(`${JSON.stringify(summary)}\n`);
  } else {
    process.stdout.write(`${summaryText(summary, runId, localSeconds)}\n`);
    process.stdout.write(`${deadRecordsText(observer.deadRecords(runId))}\n`);
  }
  const wrong = differences(observed, ledger, { eligible: loaded, maxHandlers: fanout.parts.maxHandlers });
  if (wrong.length > 0) {
    throw new CronFanoutError('BooksDoNotBalance', {
      what: `books of run ${runId}`,
      received: wrong.join('; '),
      allowed: 'the same numbers at the handlers, at the queues and in the ledger',
      change: 'this is a defect of the runtime or of the local run: please report it with --records and --seed',
    });
  }
}

/** Waits for work that knows no signal; after the signal nobody waits for it any more. */
async function stoppable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
  return Promise.race([work, stopped]);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
