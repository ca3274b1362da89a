import { dirname, join, resolve } from 'node:path';
import { findEntry } from './entry';
import type { Entry } from './entry';
import { runEsbuild } from './esbuild';
import { checkJobs } from './job-checks';
import { JobCode } from './job-code';
import { moduleScope } from './module-scope';
import type { BundlingOptions, JobSource } from './options';
import { JOB_API, staticJobs } from './static-jobs';
import type { StaticJobs } from './static-jobs';

const NOT_KNOWN: StaticJobs = { jobs: [], complete: false };

const found = new Map<string, readonly string[] | undefined>();

/**
 * The job types of a job module, checked, once per process for the same source and options.
 *
 * @returns `undefined` where they are not all known
 * @throws CronFanoutError of {@link checkJobs}
 */
export function knownJobTypes(source: JobSource, options: BundlingOptions): readonly string[] | undefined {
  const place = source.code ?? findEntry(source.entry);
  const key = JSON.stringify([place, options, process.cwd()]);
  if (!found.has(key)) {
    const jobs = findJobs(place, options);
    checkJobs(jobs, fileOf(place));
    found.set(key, jobs.complete ? jobs.jobs.flatMap(({ jobType }) => jobType ?? []) : undefined);
  }
  return found.get(key);
}

const fileOf = (place: Entry | JobCode): string =>
  place instanceof JobCode ? join(place.directory, place.module) : place.file;

/**
 * Finds the jobs of a module without running it: its own files are joined into one, packages left out, and that one is read. What is computed, or comes from a package, is not known; nothing
 * is said of it.
 */
export function findJobs(place: Entry | JobCode, options: BundlingOptions): StaticJobs {
  const code = joined(place, options);
  try {
    return staticJobs(moduleScope(code));
  } catch {
    // Syntax that the parser does not know yet. The bundle is made by esbuild, which does.
    return NOT_KNOWN;
  }
}

function joined(place: Entry | JobCode, options: BundlingOptions): string {
  const file = fileOf(place);
  const directory = place instanceof JobCode ? dirname(file) : place.projectRoot;
  const { outputFiles } = runEsbuild(`job module ${file}`, {
    entryPoints: [file],
    absWorkingDir: directory,
    outdir: directory,
    allowOverwrite: true,
    bundle: true,
    packages: 'external',
    external: [JOB_API.module, ...(options.externalModules ?? []), ...(options.copiedModules ?? [])],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    define: { ...options.define },
    loader: { '.node': 'empty', ...options.loaders },
    ...(options.tsconfig === undefined ? {} : { tsconfig: resolve(options.tsconfig) }),
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? '';
}
