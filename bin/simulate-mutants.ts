import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from './cli/number-option';
import { runTool } from './simulation/command-line';
import type { Catch } from './simulation/mutant-hunt';
import { hunt } from './simulation/mutant-hunt';
import { mutantsNamed } from './simulation/mutants';

/** Seeds within which every mutant is caught. */
const LIMIT = 400;

interface Options {
  readonly limit: number;
  readonly only?: string;
  readonly workers: number;
}

async function huntAll({ limit, only, workers }: Options, signal: AbortSignal): Promise<boolean> {
  const mutants = mutantsNamed(only);
  const folder = mkdtempSync(join(tmpdir(), 'cron-fanout-mutants-'));
  try {
    process.stdout.write(`${'mutant'.padEnd(42)} ${'seeds'.padStart(5)}  ${'caught by'.padEnd(22)} rule\n`);
    const catches = await hunt(mutants, { folder, limit, workers, signal }, (one) => {
      process.stdout.write(`${row(one)}\n`);
    });
    const caught = catches.filter(({ by }) => by !== undefined);
    for (const { mutant, by, stale } of catches) {
      if (by === undefined) {
        process.stderr.write(`${mutant.id}, rule ${mutant.rule}: ${stale ?? `survives ${limit} seeds`}\n`);
      }
    }
    if (caught[0]?.replay !== undefined) {
      process.stdout.write(`to see ${caught[0].mutant.id} caught: ${caught[0].replay}\n`);
    }
    process.stdout.write(`${caught.length} caught, ${mutants.length - caught.length} survived\n`);
    return caught.length === mutants.length;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function row({ mutant, by, seeds, stale }: Catch): string {
  const what = by ?? (stale === undefined ? 'SURVIVES' : 'STALE');
  return `${mutant.id.padEnd(42)} ${String(seeds).padStart(5)}  ${what.padEnd(22)} ${mutant.rule}`;
}

const program = new Command('simulate:mutants')
  .description(
    'Breaks the policies on purpose, one rule at a time, and checks that the simulation notices: prints which invariant caught which mutant after how many seeds, and fails where one survives.',
  )
  .option('--limit <n>', 'seeds within which a mutant must be caught', wholeNumber('--limit', 1, 1_000_000), LIMIT)
  .option('--only <mutant>', 'a single mutant')
  .option('--workers <n>', 'threads', wholeNumber('--workers', 1, 64), Math.min(availableParallelism(), 8));

void runTool(program, (signal) => huntAll(program.opts<Options>(), signal));
