import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateTableCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { CronFanoutError } from '../../lambda/contract';
import { buildHostScript } from './host-script';
import type { TableDescription } from './resources';

/** The embedded DynamoDB. */
export interface EmbeddedDynamoDb {
  /** On loopback. */
  readonly endpoint: string;
  /** Ends the process; calling it again does nothing. */
  stop(): Promise<void>;
}

/** MiB for short-lived objects: every request makes many, and the default has them collected all the time. */
const YOUNG_GENERATION = '--max-semi-space-size=64';
/** Seconds that a table may take until it is active. */
const TABLE_SECONDS = 30;

/**
 * Starts dynalite as a process of its own, in memory, on a free port of loopback.
 *
 * @param scratch directory for the script of the process
 * @throws CronFanoutError `MissingDynalite` or `DynamoDbDidNotStart`
 */
export async function startDynamoDb(scratch: string, onLine: (line: string) => void): Promise<EmbeddedDynamoDb> {
  const script = buildHostScript(join(__dirname, 'dynamodb-host'), scratch);
  const child = spawn(process.execPath, [YOUNG_GENERATION, script, dynalitePath()], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env.PATH },
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr] as Readable[]) {
    stream.on('data', (chunk: Buffer) => {
      written = chunk.toString();
      onLine(written.trimEnd());
    });
  }
  const exited = new Promise<void>((resolve) =>
    child.once('exit', () => {
      resolve();
    }),
  );
  const port = await new Promise<number | undefined>((resolve) => {
    child.once('message', (message: { port: number }) => {
      resolve(message.port);
    });
    void exited.then(() => {
      resolve(undefined);
    });
  });
  if (port === undefined) {
    throw new CronFanoutError('DynamoDbDidNotStart', {
      what: 'process of the embedded DynamoDB (dynalite)',
      received: `exit code ${child.exitCode ?? 'none'}: ${written.trim()}`,
      allowed: 'a server on loopback',
      change: 'run `npm ci` again, and see that the machine lets programs listen on 127.0.0.1',
    });
  }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/**
 * Path of dynalite: an optional peer, since a deployment needs none of its 60 packages.
 *
 * @param from directories where the search begins
 * @throws CronFanoutError `MissingDynalite`
 */
export function dynalitePath(from: readonly string[] = [__dirname, process.cwd()]): string {
  for (const directory of from) {
    try {
      return createRequire(join(directory, 'any.js')).resolve('dynalite');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') {
        throw error;
      }
    }
  }
  throw new CronFanoutError('MissingDynalite', {
    what: 'dynalite, the embedded DynamoDB of a local run',
    received: `no such package at or above ${from.join(' or ')}`,
    allowed: 'dynalite 4, installed by the app',
    change: 'run `npm install --save-dev dynalite@4`',
  });
}

/** Creates tables and waits until each is active. Time to live is not asked for: the embedded database does not know the call. */
export async function createTables(client: DynamoDBClient, tables: readonly TableDescription[]): Promise<void> {
  await Promise.all(
    tables.map(async ({ name, input }) => {
      await client.send(new CreateTableCommand(input));
      await waitUntilTableExists({ client, maxWaitTime: TABLE_SECONDS, minDelay: 1, maxDelay: 1 }, { TableName: name });
    }),
  );
}
