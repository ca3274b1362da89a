import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type * as esbuild from 'esbuild';
import { CronFanoutError } from '../../lambda/contract';

/** What every build of this package asks of esbuild: nothing is written, nothing is printed, and the inputs are reported. */
export type InMemoryBuild = esbuild.BuildOptions & { write: false; metafile: true; absWorkingDir: string };

/** The result of an {@link InMemoryBuild}. */
export type InMemoryResult = esbuild.BuildResult<InMemoryBuild>;

/** How esbuild says that it can't start its binary, which it looks for at the first build. */
const NO_BINARY =
  /needed by esbuild|esbuild for another platform|Unsupported platform|Cannot start service|ENOENT|EACCES/;

/** How many of esbuild's errors a message repeats; the first ones are the cause of the rest. */
const MAX_ERRORS_SHOWN = 5;

/**
 * Runs esbuild in this process: no npx, no Docker, no lock file.
 *
 * @param subject what is built, as the user knows it
 * @throws CronFanoutError `EsbuildMissing` or `BundlingFailed`
 */
export function runEsbuild(subject: string, options: InMemoryBuild): InMemoryResult {
  const { buildSync } = loadEsbuild();
  try {
    return buildSync(options);
  } catch (error) {
    if (isBuildFailure(error)) {
      throw bundlingFailed(subject, error, options.absWorkingDir);
    }
    throw error instanceof Error && NO_BINARY.test(error.message) ? esbuildMissing(error) : error;
  }
}

/** Loaded at the first use: a synth that bundles nothing must not need it. */
function loadEsbuild(): Pick<typeof esbuild, 'buildSync'> {
  try {
    return createRequire(__filename)('esbuild') as typeof esbuild;
  } catch (cause) {
    throw esbuildMissing(cause);
  }
}

function esbuildMissing(cause: unknown): CronFanoutError {
  return new CronFanoutError('EsbuildMissing', {
    what: 'esbuild, which bundles the job module',
    received: cause instanceof Error ? (cause.message.trim().split('\n')[0] ?? '') : String(cause),
    allowed: 'esbuild as cron-fanout installs it, with its binary for this system',
    change:
      'install again without --omit=optional (the binary is an optional dependency), or run `npm install esbuild`',
    cause,
  });
}

function isBuildFailure(error: unknown): error is esbuild.BuildFailure {
  return Array.isArray((error as Partial<esbuild.BuildFailure> | undefined)?.errors);
}

function bundlingFailed(subject: string, failure: esbuild.BuildFailure, directory: string): CronFanoutError {
  const shown = failure.errors.slice(0, MAX_ERRORS_SHOWN).map((message) => describe(message, directory));
  const more = failure.errors.length - shown.length;
  return new CronFanoutError('BundlingFailed', {
    what: subject,
    received: [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; '),
    allowed: 'a module that esbuild can bundle, with all that it imports',
    change: changeFor(failure.errors[0]?.text ?? ''),
    cause: failure,
  });
}

/** One line for a message of esbuild: absolute path, line and column (from 1), text. */
export function describe(message: esbuild.Message, directory: string): string {
  const { location, text } = message;
  return location === null
    ? text
    : `${resolve(directory, location.file)}:${location.line}:${location.column + 1}: ${text}`;
}

function changeFor(text: string): string {
  if (text.startsWith('Could not resolve')) {
    return 'install the package or correct the import; what the function has otherwise (a layer) goes to bundling.externalModules';
  }
  if (text.startsWith('No loader is configured')) {
    return 'name a loader for the extension in bundling.loaders, or the package of a native module in bundling.copiedModules';
  }
  if (text.includes('tsconfig')) {
    return 'correct bundling.tsconfig or the tsconfig.json beside the job module';
  }
  return 'correct the line';
}
