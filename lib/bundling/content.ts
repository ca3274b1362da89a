import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RuntimeFiles } from '../runtime-files';
import { bundleEntry, bundleRuntime, indexModule } from './bundle';
import type { Bundle } from './bundle';
import { doubtsAbout, refuseCdk } from './bundle-checks';
import { findEntry } from './entry';
import type { Entry } from './entry';
import { JobCode } from './job-code';
import { holdsItsPackages, importedPackages, inheritedPackageJson, ownPackage } from './job-code-packages';
import type { BundlingOptions, JobSource, Role } from './options';
import { INDEX, RUNTIME } from './output-names';
import { copyPackage, planPackageCopies } from './packages';
import type { PackageCopy } from './packages';

/** All that goes into the asset of one function. */
export interface FunctionContent extends Bundle {
  /** Directory that is copied to `code/`. */
  readonly codeDirectory?: string;
  readonly packages: readonly PackageCopy[];
  /** The same for the same source and options in this process. */
  readonly digest: string;
}

type UnidentifiedContent = Omit<FunctionContent, 'digest'>;

/** Where the directory of a {@link JobCode} lands in the asset. */
const CODE = 'code';

const made = new Map<string, FunctionContent>();

/** Makes the content of a function's asset, once per process for the same source and options, as the CDK does with its own assets. */
export function functionContent(
  role: Role,
  runtime: RuntimeFiles,
  source: JobSource,
  given: BundlingOptions,
): FunctionContent {
  const place = source.code ?? findEntry(source.entry);
  const options = given.tsconfig === undefined ? given : { ...given, tsconfig: resolve(given.tsconfig) };
  const key = JSON.stringify([role, runtime, place, options]);
  const known = made.get(key);
  if (known !== undefined) {
    return known;
  }
  const parts =
    place instanceof JobCode ? codeContent(role, runtime, place, options) : entryContent(role, runtime, place, options);
  const content = { ...parts, digest: createHash('sha256').update(key).digest('hex') };
  made.set(key, content);
  return content;
}

function entryContent(role: Role, runtime: RuntimeFiles, entry: Entry, options: BundlingOptions): UnidentifiedContent {
  const bundle = bundleEntry(role, entry, runtime, options);
  refuseCdk(entry, bundle.inputs);
  const warnings = [...bundle.warnings, ...doubtsAbout(bundle)];
  return { ...bundle, warnings, packages: planPackageCopies(options.copiedModules ?? [], dirname(entry.file)) };
}

function codeContent(role: Role, runtime: RuntimeFiles, code: JobCode, options: BundlingOptions): UnidentifiedContent {
  const bundle = bundleRuntime(role, runtime, options);
  const imported = importedPackages(code, options.externalModules ?? []);
  const names = [...new Set([...imported.installed, ...(options.copiedModules ?? [])])];
  const packageJson = inheritedPackageJson(code);
  return {
    ...bundle,
    files: new Map<string, string | Uint8Array>([
      ...bundle.files,
      [INDEX, indexModule(role, `./${CODE}/${code.module}`, `./${RUNTIME}`)],
      ...ownPackage(imported.own, runtime),
      ...(packageJson === undefined ? [] : ([[`${CODE}/package.json`, packageJson]] as const)),
    ]),
    codeDirectory: code.directory,
    packages: planPackageCopies(names, dirname(join(code.directory, code.module))),
  };
}

/** Fills the directory of an asset. Links are followed: a zip file has none. */
export function writeContent(content: FunctionContent, assetDirectory: string): void {
  if (content.codeDirectory !== undefined) {
    copyCode(content.codeDirectory, join(assetDirectory, CODE));
  }
  for (const [path, file] of content.files) {
    const absolute = join(assetDirectory, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, file);
  }
  content.packages.forEach((copy) => {
    copyPackage(copy, assetDirectory);
  });
}

function copyCode(from: string, to: string): void {
  const left = holdsItsPackages(from) ? undefined : join(from, 'node_modules');
  cpSync(from, to, { recursive: true, dereference: true, filter: (source) => source !== left });
}
