import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from './cli/number-option';
import type { Catch } from './simulation/mutant-hunt';
import { hunt } from './simulation/mutant-hunt';
import { mutantsNamed } from './simulation/mutants';

interface Options {
  readonly limit: number;
  readonly only?: string;
  readonly workers: number;
}

async function run({ limit, only, workers }: Options): Promise<boolean> {
  const mutants = mutantsNamed(only);
  const folder = mkdtempSync(join(tmpdir(), 'cron-fanout-mutants-'));
  try {
    process.stdout.write(`${'mutant'.padEnd(46)} ${'seeds'.padStart(5)}  caught by\n`);
    const catches = await hunt(mutants, { folder, limit, workers }, (one) => {
      process.stdout.write(`${row(one)}\n`);
    });
    const survivors = catches.filter(({ by }) => by === undefined);
    for (const { mutant, stale } of survivors) {
      process.stderr.write(`${mutant.id}, rule ${mutant.rule}: ${stale ?? `survives ${limit} seeds`}\n`);
    }
    process.stdout.write(`${catches.length - survivors.length} caught, ${survivors.length} survived\n`);
    return survivors.length === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function row({ mutant, by, seeds, stale }: Catch): string {
  return `${mutant.id.padEnd(46)} ${String(seeds).padStart(5)}  ${by ?? (stale === undefined ? 'SURVIVES' : 'STALE')}`;
}

const program = new Command('simulate-mutants')
  .description('Breaks the policies on purpose, one rule at a time, and checks that the simulation notices.')
  .option('--limit <n>', 'most seeds for one mutant', wholeNumber('--limit', 1, 1_000_000), 400)
  .option('--only <mutant>', 'a single mutant')
  .option('--workers <n>', 'threads', wholeNumber('--workers', 1, 64), Math.min(availableParallelism(), 8))
  .action(async (options: Options) => {
    process.exitCode = (await run(options)) ? 0 : 1;
  });

void program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
