import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { CronFanoutError } from '../../lambda/contract';
import type { RuntimeFiles } from '../runtime-files';
import { nearestPackageRoot } from './entry';
import { runEsbuild } from './esbuild';
import type { JobCode } from './job-code';
import { findPackage } from './packages';

/** The name of this package, as job modules import it. */
const OWN_NAME = 'cron-fanout';

/** What the modules of a {@link JobCode} import from outside of its directory. */
export interface ImportedPackages {
  /** Packages to copy. */
  readonly installed: readonly string[];
  /** Subpaths of this package, without its name: `job` for `cron-fanout/job`. */
  readonly own: readonly string[];
}

/**
 * Finds the packages that built job modules import, following their own files. Imports whose path is computed are not seen.
 *
 * @param externalModules names and patterns that the function has otherwise
 * @throws CronFanoutError `JobCodePackageNotFound`, or `BundlingFailed` where a file of their own is missing
 */
export function importedPackages(code: JobCode, externalModules: readonly string[]): ImportedPackages {
  const module = join(code.directory, code.module);
  const specifiers = importedSpecifiers(code, module).filter(
    (specifier) => !isBuiltin(specifier) && !externalModules.some((pattern) => matches(specifier, pattern)),
  );
  const outside = specifiers.filter((specifier) => !liesInside(packageName(specifier), code.directory, module));
  const own = outside.filter((specifier) => packageName(specifier) === OWN_NAME);
  const installed = outside.filter((specifier) => !own.includes(specifier)).map(packageName);
  return {
    installed: [...new Set(installed)].sort(),
    own: own.map((specifier) => specifier.slice(OWN_NAME.length + 1)),
  };
}

function importedSpecifiers(code: JobCode, module: string): readonly string[] {
  const { metafile } = runEsbuild(`job module ${module}`, {
    entryPoints: [module],
    absWorkingDir: code.directory,
    outdir: code.directory,
    allowOverwrite: true,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    loader: { '.node': 'empty' },
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const specifiers = imports.filter(({ external, path }) => external === true && /^[@a-zA-Z]/.test(path));
  return [...new Set(specifiers.map(({ path }) => path))].sort();
}

/**
 * Whether the directory's own packages are packaged with it. pnpm's layout of links is not: a zip file has no links, so packages would no
 * longer find each other; they are looked up and copied like those outside.
 */
export function holdsItsPackages(directory: string): boolean {
  return existsSync(join(directory, 'node_modules')) && !existsSync(join(directory, 'node_modules', '.pnpm'));
}

function liesInside(name: string, directory: string, module: string): boolean {
  const found = findPackage(name, dirname(module));
  if (found === undefined && name !== OWN_NAME) {
    throw new CronFanoutError('JobCodePackageNotFound', {
      what: `package "${name}", which ${module} or a module of it imports`,
      received: `no node_modules/${name} at or above ${dirname(module)}`,
      allowed: 'a package that is installed',
      change: 'install it, or add it to bundling.externalModules if the function has it otherwise or never loads it',
    });
  }
  return holdsItsPackages(directory) && (found?.startsWith(directory + sep) ?? false);
}

/** `@scope/name` or `name` of an import path. */
function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Whether esbuild would take an import path for external: the pattern itself, a path below it, or `*` for any text. */
function matches(specifier: string, pattern: string): boolean {
  const [start, end] = pattern.split('*', 2) as [string, string?];
  return end === undefined
    ? specifier === pattern || specifier.startsWith(`${pattern}/`)
    : specifier.startsWith(start) && specifier.endsWith(end) && specifier.length >= start.length + end.length;
}

/**
 * The package.json that the copied directory lacks, so that its `.js` files mean the same in the asset: its `type` is inherited from above the
 * directory otherwise. `undefined` where the directory has its own.
 */
export function inheritedPackageJson(code: JobCode): string | undefined {
  if (existsSync(join(code.directory, 'package.json'))) {
    return undefined;
  }
  const above = nearestPackageRoot(code.directory);
  const manifest =
    above === undefined ? {} : (JSON.parse(readFileSync(join(above, 'package.json'), 'utf8')) as { type?: string });
  return `${JSON.stringify({ type: manifest.type ?? 'commonjs' })}\n`;
}

/**
 * This package as job modules see it, reduced to the modules that they import: the whole of it would bring tools along.
 *
 * @param subpaths subpaths that are imported
 * @returns files by path relative to the asset
 * @throws CronFanoutError `UnknownSubpath`
 */
export function ownPackage(subpaths: readonly string[], runtime: RuntimeFiles): ReadonlyMap<string, string> {
  const directory = `node_modules/${OWN_NAME}`;
  const exported = Object.fromEntries(subpaths.map((subpath) => [`./${subpath}`, `./${subpath}.cjs`]));
  const manifest = JSON.stringify({ name: OWN_NAME, exports: exported });
  const modules = subpaths.map((subpath) => [`${directory}/${subpath}.cjs`, apiModule(subpath, runtime)] as const);
  return new Map(subpaths.length === 0 ? [] : [[`${directory}/package.json`, `${manifest}\n`], ...modules]);
}

function apiModule(subpath: string, runtime: RuntimeFiles): string {
  const file = runtime.api[subpath];
  if (file === undefined) {
    throw new CronFanoutError('UnknownSubpath', {
      what: 'import of a job module',
      received: [OWN_NAME, subpath].filter((part) => part !== '').join('/'),
      allowed: Object.keys(runtime.api)
        .map((known) => `${OWN_NAME}/${known}`)
        .join(', '),
      change: 'import what a job module needs from one of these',
    });
  }
  const { outputFiles } = runEsbuild(file, {
    entryPoints: [file],
    absWorkingDir: runtime.root,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('');
}
