import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The repository. */
export const ROOT = join(__dirname, '..', '..');

/** Environment variable with the folder that all of this lies in. */
export const FOLDER_VARIABLE = 'CRON_FANOUT_PACKAGE_FOLDER';

/** Folder outside of the repository, made by the global setup. */
export function folder(): string {
  const path = process.env[FOLDER_VARIABLE];
  if (path === undefined) {
    throw new Error('run these tests by `npm run test:package`, which builds and packs the package first');
  }
  return path;
}

/** The packed package. */
export function tarball(): string {
  const name = readdirSync(folder()).find((file) => file.endsWith('.tgz'));
  if (name === undefined) {
    throw new Error(`no tarball in ${folder()}`);
  }
  return join(folder(), name);
}

/** Folder of an installed app by its name. */
export function appFolder(name: 'commonjs' | 'es-module' | 'workspace'): string {
  return join(folder(), name, 'bookings');
}

/** Part of a package.json that is read here. */
export interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** A package.json. */
export function manifestIn(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}

/** What users import: `cron-fanout`, `cron-fanout/job` and so on. */
export function entryPoints(): string[] {
  return Object.keys(manifestIn(ROOT).exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => subpath.replace(/^\./, 'cron-fanout'));
}

/** The app of the README by the paths that it gives; its test of the job is {@link readmeTest}. */
export function readmeApp(): ReadonlyMap<string, string> {
  return new Map([...readmeFiles()].filter(([file]) => !file.endsWith('.test.ts')));
}

/** The same as ES modules: what the README says of them, and what Node wants of every relative import. */
export function asEsModule(code: string): string {
  return code.replaceAll('__dirname', 'import.meta.dirname').replace(/(from '\.{1,2}\/[^'.]+)'/g, "$1.js'");
}

/** The README's test of its job. */
export function readmeTest(): readonly [string, string] {
  const test = [...readmeFiles()].find(([file]) => file.endsWith('.test.ts'));
  if (test === undefined) {
    throw new Error('the README shows no test of a job');
  }
  return test;
}

function readmeFiles(): ReadonlyMap<string, string> {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
  return new Map([...text.matchAll(/^```ts file=(\S+)\n(.*?)^```/gms)].map(([, file = '', code = '']) => [file, code]));
}
