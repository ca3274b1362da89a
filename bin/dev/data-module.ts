import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { CronFanoutError } from '../../lambda/contract';

/** What a data module is given. */
export interface LoadContext {
  /** Names of the stack's tables by construct path within the stack, for example `Bookings`. */
  readonly tables: Readonly<Record<string, string>>;
  /** The embedded DynamoDB. */
  readonly dynamodb: DynamoDBDocumentClient;
  /** Records that the first tick is to find. */
  readonly records: number;
  /** Fixes whatever is chosen at random. */
  readonly seed: number;
}

/** What a data module says of what it loaded. */
export interface Loaded {
  /** Records that the first tick finds; the run is held against it. */
  readonly eligible: number;
}

/** Fills the tables of a stack before the first tick. Exported as `load` by a data module. */
export type Load = (context: LoadContext) => Promise<Loaded>;

/** Exports of a data module, as ES module or as CommonJS. */
interface DataModule {
  readonly load?: unknown;
  readonly default?: { readonly load?: unknown };
}

/**
 * Imports a data module. Where Node does not run TypeScript, the `tsx` beside the module does.
 *
 * @throws CronFanoutError `MissingDataModule`, `DataModuleNotFound`, `DataModuleNeedsLoader` or `InvalidDataModule`
 */
export async function importLoad(path: string | undefined): Promise<Load> {
  const file = existingFile(path);
  const loaded = await importModule(file);
  const load = loaded.load ?? loaded.default?.load;
  if (typeof load !== 'function') {
    throw new CronFanoutError('InvalidDataModule', {
      what: `exports of ${file}`,
      received: Object.keys(loaded).join(', ') || 'none',
      allowed: 'load({ tables, dynamodb, records, seed })',
      change: 'export such a function',
    });
  }
  return load as Load;
}

function existingFile(path: string | undefined): string {
  if (path === undefined) {
    throw new CronFanoutError('MissingDataModule', {
      what: '--data',
      received: 'nothing',
      allowed: 'a module that exports load({ tables, dynamodb, records, seed })',
      change: 'write a module that fills your tables, and give its path; docs/local.md has one',
    });
  }
  const file = resolve(path);
  if (!existsSync(file)) {
    throw new CronFanoutError('DataModuleNotFound', {
      what: '--data',
      received: `${JSON.stringify(path)} (tried ${file})`,
      allowed: 'a module that exports load({ tables, dynamodb, records, seed })',
      change: 'give the path of such a module',
    });
  }
  return file;
}

/** How Node refuses TypeScript: older versions all of it, newer ones what is more than types (enums, imports without extension). */
const NEEDS_LOADER = new Set([
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_MODULE_NOT_FOUND',
]);

async function importModule(file: string): Promise<DataModule> {
  const url = pathToFileURL(file).href;
  try {
    return (await import(url)) as DataModule;
  } catch (error) {
    if (!NEEDS_LOADER.has((error as NodeJS.ErrnoException).code ?? '') || !/\.[cm]?tsx?$/.test(file)) {
      throw error;
    }
    // Its API for CommonJS: it takes ES modules as well, and the other one does not find its own files when CommonJS imports it.
    const tsx = createRequire(file)(loaderBeside(file, error)) as { require: (id: string, from: string) => unknown };
    return tsx.require(file, file) as DataModule;
  }
}

/** Path of the API of tsx, which the apps that `cdk init` makes have. */
function loaderBeside(file: string, cause: unknown): string {
  try {
    return createRequire(file).resolve('tsx/cjs/api');
  } catch {
    throw new CronFanoutError('DataModuleNeedsLoader', {
      what: '--data',
      received: `${file}, which Node ${process.versions.node} does not run: ${cause instanceof Error ? cause.message : String(cause)}`,
      allowed: 'JavaScript, or TypeScript where tsx is installed or Node runs it (from 22.18 on)',
      change: 'run `npm install --save-dev tsx`, or give a JavaScript module',
      cause,
    });
  }
}
