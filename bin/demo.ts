import { Command, CommanderError } from 'commander';
import { CronFanoutError } from '../lambda/contract';
import { listenForInterruption } from './cli/interruption';
import { wholeNumber } from './cli/number-option';
import { CONTENDERS } from './demo/contenders';
import { incidentsOf, runCase } from './demo/run-cases';
import { caseText } from './demo/single-case';
import type { Summary } from './demo/summary';
import { SummaryWriter, summaryText } from './demo/summary';
import { MAX_SEED } from './simulation/seeds';

const DEFAULT_SEEDS = 200;
const MAX_SEEDS = 100_000;

interface Options {
  readonly seeds?: number;
  readonly seed?: number;
  readonly json?: true;
}

/** The command line of the demo. */
export function createProgram(): Command {
  return new Command('demo')
    .description(
      'Puts the pattern as teams write it by hand (examples/bookings/before) and the construct through the same seeds: the same bookings, queue engine, clock and faults.',
    )
    .option(
      '--seeds <n>',
      `number of seeds (default: ${DEFAULT_SEEDS}, or 1 with --seed)`,
      wholeNumber('--seeds', 1, MAX_SEEDS),
    )
    .option('--seed <n>', 'first seed (default: 1); alone, it is shown at length', wholeNumber('--seed', 0, MAX_SEED))
    .option('--json', 'print the result as one JSON object on stdout, and nothing else there')
    .addHelpText(
      'after',
      `
Of the bookings that are due:
  lost          in the end neither done nor in the dead-letter queue
  doubled       mailed again after being marked as done, or twice at once
  out of order  mailed before one of the same organisation that was due before and was neither done nor given up
  stuck         not done when the next tick came an hour later, or given up, though the mailbox takes mail`,
    )
    .action(run);
}

async function run({ seeds, seed, json }: Options): Promise<void> {
  const interruption = listenForInterruption((exitCode) => process.exit(exitCode));
  try {
    const isSingle = seed !== undefined && seeds === undefined;
    const text = isSingle
      ? await single(seed, json === true)
      : await several(seed ?? 1, seeds ?? DEFAULT_SEEDS, json === true, interruption.signal);
    process.stdout.write(`${text}\n`);
  } finally {
    interruption.dispose();
  }
  process.exitCode = interruption.exitCode() ?? process.exitCode;
}

async function single(seed: number, json: boolean): Promise<string> {
  const { demo, results } = await runCase(seed, CONTENDERS);
  return json
    ? JSON.stringify({ seed, kind: demo.kind.name, incidents: Object.fromEntries(incidentsOf(results)) })
    : caseText(demo, results);
}

async function several(from: number, count: number, json: boolean, signal: AbortSignal): Promise<string> {
  const writer = new SummaryWriter(CONTENDERS);
  process.stderr.write(`${count} seeds from ${from}\n`);
  let done = 0;
  for (; done < count && !signal.aborted; done++) {
    const { demo, results } = await runCase(from + done, CONTENDERS);
    writer.add(demo, incidentsOf(results));
    if (process.stderr.isTTY) {
      process.stderr.write(`\r${done + 1}/${count} seeds`);
    }
  }
  if (process.stderr.isTTY) {
    process.stderr.write('\n');
  }
  if (signal.aborted) {
    process.stderr.write(`stopped after ${done} of ${count} seeds\n`);
  }
  const summary = writer.summary();
  checkConstruct(summary);
  return json ? JSON.stringify(summary) : summaryText(summary);
}

/** What the construct does not keep is a failure of the demo. */
function checkConstruct({ contenders }: Summary): void {
  const construct = contenders.at(-1);
  if (construct !== undefined && Object.values(construct.counts).some((count) => count > 0)) {
    process.stderr.write(`${construct.name} does not keep what docs/guarantees.md promises\n`);
    process.exitCode = 1;
  }
}

if (require.main === module) {
  createProgram()
    .parseAsync()
    .catch((error: unknown) => {
      if (!(error instanceof CommanderError)) {
        const isKnown = error instanceof CronFanoutError;
        process.stderr.write(`${isKnown ? `error: ${error.message}` : `internal error: ${String(error)}`}\n`);
      }
      process.exitCode = 1;
    });
}
