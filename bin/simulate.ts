import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { reportText } from '../lambda/simulation/failure-report';
import { scenarioNamed, SCENARIOS } from '../lambda/simulation/scenarios';
import { wholeNumber } from './cli/number-option';
import { bundleWorker } from './simulation/bundle';
import { Campaign } from './simulation/campaign';
import { runTool } from './simulation/command-line';
import { mutantsNamed } from './simulation/mutants';
import { MAX_SEED } from './simulation/seeds';

/** Failures that are shrunk and shown at length. */
const REPORTED = 3;
const DEFAULT_SEEDS = 400;

interface Options {
  readonly seeds?: number;
  readonly seed?: number;
  readonly only?: string;
  readonly minutes?: number;
  readonly mutant?: string;
  readonly workers: number;
}

async function simulate(options: Options, signal: AbortSignal): Promise<boolean> {
  const { only, mutant, minutes } = options;
  const scenario = only === undefined ? undefined : scenarioNamed(only).name;
  const broken = mutant === undefined ? undefined : mutantsNamed(mutant)[0];
  const seed = options.seed ?? Math.floor(Math.random() * MAX_SEED);
  const seeds = options.seeds ?? (minutes !== undefined ? Infinity : options.seed === undefined ? DEFAULT_SEEDS : 1);
  process.stderr.write(`from seed ${seed}${scenario === undefined ? '' : ` of ${scenario}`}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'cron-fanout-simulation-'));
  try {
    const campaign = new Campaign({
      bundle: await bundleWorker(folder, broken),
      workers: options.workers,
      from: seed,
      seeds,
      only: scenario,
      milliseconds: minutes === undefined ? Infinity : minutes * 60_000,
      reported: REPORTED,
      signal,
    });
    const { passed, failed } = await campaign.run((report) => {
      process.stderr.write(`\n${typeof report === 'string' ? report : reportText(report)}${withMutant(mutant)}\n\n`);
    });
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
    return failed === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a replay needs besides its seed and scenario. */
function withMutant(mutant: string | undefined): string {
  return mutant === undefined ? '' : ` --mutant ${mutant}`;
}

const program = new Command('simulate')
  .description(
    'Runs the deployed policies in simulated worlds in which everything goes wrong, and checks what must always hold. Prints the seed that it begins with; the last line is "N passed, N failed". A failure is printed with its seed, the shortest trace that was found, and the command that replays it.',
  )
  .option(
    '--seeds <n>',
    `number of seeds (default: ${DEFAULT_SEEDS}, or 1 with --seed)`,
    wholeNumber('--seeds', 1, MAX_SEED),
  )
  .option('--seed <n>', 'first seed (default: a fresh one)', wholeNumber('--seed', 0, MAX_SEED))
  .option('--only <scenario>', `one of ${SCENARIOS.map(({ name }) => name).join(', ')} (default: they take turns)`)
  .option('--minutes <n>', 'as many seeds as fit into this time', wholeNumber('--minutes', 1, 1440))
  .option('--mutant <id>', 'with this deliberate mistake in the policies; see npm run simulate:mutants')
  .option('--workers <n>', 'threads', wholeNumber('--workers', 1, 64), Math.min(availableParallelism(), 8));

void runTool(program, (signal) => simulate(program.opts<Options>(), signal));
