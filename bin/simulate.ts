import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { scenarioNamed, SCENARIOS } from '../lambda/simulation/scenarios';
import { reportText } from '../lambda/simulation/failure-report';
import { wholeNumber } from './cli/number-option';
import { bundleWorker } from './simulation/bundle';
import { Campaign } from './simulation/campaign';
import { mutantsNamed } from './simulation/mutants';

const MAX_SEED = 0x7fff_ffff;
/** Failures that are shrunk and shown at length. */
const REPORTED = 3;

interface Options {
  readonly seeds?: number;
  readonly seed?: number;
  readonly only?: string;
  readonly minutes?: number;
  readonly mutant?: string;
  readonly workers: number;
}

async function simulate(options: Options): Promise<boolean> {
  if (options.only !== undefined) {
    scenarioNamed(options.only);
  }
  const seed = options.seed ?? Math.floor(Math.random() * MAX_SEED);
  const seeds = options.seeds ?? (options.minutes !== undefined ? Infinity : options.seed === undefined ? 400 : 1);
  process.stderr.write(`from seed ${seed}${options.only === undefined ? '' : ` of ${options.only}`}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'cron-fanout-simulation-'));
  try {
    const campaign = new Campaign({
      bundle: await bundleWorker(folder, options.mutant === undefined ? undefined : mutantsNamed(options.mutant)[0]),
      workers: options.workers,
      from: seed,
      seeds,
      only: options.only,
      milliseconds: options.minutes === undefined ? Infinity : options.minutes * 60_000,
      reported: REPORTED,
    });
    const { passed, failed } = await campaign.run((report) => {
      process.stderr.write(`\n${typeof report === 'string' ? report : reportText(report)}\n\n`);
    });
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
    return failed === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const program = new Command('simulate')
  .description(
    'Runs the deployed policies in simulated worlds in which everything goes wrong, and checks what must always hold.',
  )
  .option('--seeds <n>', 'number of seeds (default: 400, or 1 with --seed)', wholeNumber('--seeds', 1, MAX_SEED))
  .option('--seed <n>', 'first seed (default: a fresh one, which is printed)', wholeNumber('--seed', 0, MAX_SEED))
  .option('--only <scenario>', `one of ${SCENARIOS.map(({ name }) => name).join(', ')} (default: they take turns)`)
  .option('--minutes <n>', 'run as many seeds as fit into this time', wholeNumber('--minutes', 1, 1440))
  .option('--mutant <id>', 'with this deliberate mistake in the policies; see simulate:mutants')
  .option('--workers <n>', 'threads', wholeNumber('--workers', 1, 64), Math.min(availableParallelism(), 8))
  .action(async (options: Options) => {
    process.exitCode = (await simulate(options)) ? 0 : 1;
  });

void program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
