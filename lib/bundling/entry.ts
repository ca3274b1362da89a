import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CronFanoutError } from '../../lambda/contract';

/** A job module that was found. */
export interface Entry {
  /** Absolute path without symbolic links: esbuild names files so, and everything is named relative to `projectRoot`. */
  readonly file: string;
  /** Directory of the nearest package.json at or above the file; without one, the file's own. */
  readonly projectRoot: string;
}

/**
 * Finds a job module.
 *
 * @param entry absolute path, `file:` URL, or path relative to the working directory
 * @throws CronFanoutError `EntryNotFound`, with the absolute path that was tried
 */
export function findEntry(entry: string): Entry {
  const tried = entry.startsWith('file:') ? fileURLToPath(entry) : resolve(entry);
  if (!statSync(tried, { throwIfNoEntry: false })?.isFile()) {
    throw new CronFanoutError('EntryNotFound', {
      what: 'entry',
      received: `${entry} (tried ${tried})`,
      allowed: 'the path of a job module that exists, with its extension',
      change: 'give an absolute path, for example join(__dirname, "../jobs/booking-reminders.ts")',
    });
  }
  const file = realpathSync(tried);
  return { file, projectRoot: nearestPackageRoot(file) ?? dirname(file) };
}

/** Directory of the nearest package.json at or above a file's own directory. */
export function nearestPackageRoot(file: string): string | undefined {
  for (let directory = dirname(file); ; directory = dirname(directory)) {
    if (existsSync(join(directory, 'package.json'))) {
      return directory;
    }
    if (directory === dirname(directory)) {
      return undefined;
    }
  }
}
