import { existsSync } from 'node:fs';
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

/**
 * Imports a data module. A TypeScript module needs a loader for TypeScript in this process, as `npm start` has.
 *
 * @throws CronFanoutError `DataModuleNotFound` or `InvalidDataModule`
 */
export async function importLoad(path: string): Promise<Load> {
  const file = resolve(path);
  if (!existsSync(file)) {
    throw new CronFanoutError('DataModuleNotFound', {
      what: '--data',
      received: `${JSON.stringify(path)} (tried ${file})`,
      allowed: 'a module that exports load({ tables, dynamodb, records, seed })',
      change: 'give the path of such a module',
    });
  }
  const loaded = (await import(pathToFileURL(file).href)) as { load?: unknown; default?: { load?: unknown } };
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
