import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import { CronFanoutError } from '../../lambda/contract';

const ROOT = join(__dirname, '..', '..');

/** A deliberate mistake: a piece of the source that is replaced as it is loaded; the files themselves stay as they are. */
export interface Mutation {
  /** Names it; kebab-case. */
  readonly id: string;
  /** Below the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly search: string;
  readonly replace: string;
}

/**
 * Bundles the worker of the simulation, so that it starts fast and may hold a mistake.
 *
 * @param folder where to write it
 * @param mutation what to break
 * @returns path of the bundle
 * @throws CronFanoutError `StaleMutation`
 */
export async function bundleWorker(folder: string, mutation?: Mutation): Promise<string> {
  const outfile = join(folder, `${mutation?.id ?? 'worker'}.cjs`);
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
    plugins: mutation === undefined ? [] : [mutating(mutation)],
  });
  return outfile;
}

/** The source of a file with its mistake. @throws CronFanoutError `StaleMutation` where the place is not found exactly once */
export function mutated(source: string, { id, file, search, replace }: Mutation): string {
  const parts = source.split(search);
  if (parts.length !== 2) {
    throw new CronFanoutError('StaleMutation', {
      what: `mutant ${id}, in ${file}`,
      received: `${parts.length - 1} places with ${JSON.stringify(search)}`,
      allowed: 'exactly one',
      change: 'bring the mutant in bin/simulation/mutants in line with the source',
    });
  }
  return parts.join(replace);
}

function mutating(mutation: Mutation): Plugin {
  return {
    name: 'mutation',
    setup: (builder) => {
      let loaded = 0;
      builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (relative(ROOT, path) !== mutation.file) {
          return undefined;
        }
        loaded += 1;
        return { contents: mutated(await readFile(path, 'utf8'), mutation), loader: 'ts' };
      });
      builder.onEnd(() => {
        if (loaded === 0) {
          throw new Error(`mutant ${mutation.id}: ${mutation.file} is no part of the simulation`);
        }
      });
    },
  };
}
