import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';

/**
 * Makes a script of this package one plain JavaScript file that `node` runs as it is, so that no loader sits in a process whose code must run as
 * deployed, and none costs it time.
 *
 * @param source path of the module without its extension, as `require.resolve` takes it
 * @param directory where the file is written
 * @returns path of the file
 */
export function buildHostScript(source: string, directory: string): string {
  mkdirSync(directory, { recursive: true });
  const entry = require.resolve(source);
  const outfile = join(directory, `${basename(entry).replace(/\.[^.]+$/, '')}.cjs`);
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'silent',
  });
  return outfile;
}
