import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import { CronFanoutError } from '../../lambda/contract';
import type { Mutant } from './mutants';

const ROOT = join(__dirname, '..', '..');

/**
 * Bundles the worker of the simulation, so that it starts fast and may hold a mistake.
 *
 * @param folder where to write it
 * @param mutant what to break
 * @returns path of the bundle
 * @throws CronFanoutError `StaleMutant`
 */
export async function bundleWorker(folder: string, mutant?: Mutant): Promise<string> {
  const outfile = join(folder, `${mutant?.id ?? 'worker'}.cjs`);
  await build({
    absWorkingDir: ROOT,
    entryPoints: [join(__dirname, 'worker.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    outfile,
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'silent',
    plugins: mutant === undefined ? [] : [mutating(mutant)],
  });
  return outfile;
}

/**
 * The source of a file with the mistakes that a mutant makes in it.
 *
 * @throws CronFanoutError `StaleMutant` where a place is not found exactly once
 */
export function mutated(source: string, file: string, { id, edits }: Mutant): string {
  return edits
    .filter((edit) => edit.file === file)
    .reduce((text, { search, replace }) => {
      const parts = text.split(search);
      if (parts.length === 2) {
        return parts.join(replace);
      }
      throw new CronFanoutError('StaleMutant', {
        what: `mutant ${id}, in ${file}`,
        received: `${parts.length - 1} places with ${JSON.stringify(search)}`,
        allowed: 'exactly one',
        change: 'bring the mutant in bin/simulation/mutants in line with the source',
      });
    }, source);
}

function mutating(mutant: Mutant): Plugin {
  return {
    name: 'mutation',
    setup: (builder) => {
      const loaded = new Set<string>();
      builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const file = relative(ROOT, path);
        if (mutant.edits.every((edit) => edit.file !== file)) {
          return undefined;
        }
        loaded.add(file);
        return { contents: mutated(await readFile(path, 'utf8'), file, mutant), loader: 'ts' };
      });
      builder.onEnd(() => {
        const missing = mutant.edits.find(({ file }) => !loaded.has(file));
        if (missing !== undefined) {
          throw new Error(`mutant ${mutant.id}: ${missing.file} is no part of the simulation`);
        }
      });
    },
  };
}
