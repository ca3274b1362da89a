import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, openSync, closeSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RUN_VARIABLE } from './external-run';

const LEASH = join(__dirname, 'leash.mjs');
/** Starting takes a second or two; on a machine that is busy, a multiple of that. */
const START_MS = 90_000;
const POLL_MS = 200;
/** Lines of a server's log that an error shows. */
const LOG_LINES = 20;

/** A server that is a program of its own. */
export interface ExternalServerOptions {
  /** Names it in errors. */
  readonly name: string;
  /** Program and parameters. */
  command(port: number): readonly string[];
  /** Its whole environment, besides `PATH`, and `HOME` and `TMPDIR` in `folder`. */
  environment(port: number, folder: string): Readonly<Record<string, string>>;
  /** Whether it is ready; a rejection is a no. */
  isReady(port: number): Promise<boolean>;
}

/** A running server on a free port of the loopback interface. */
export interface ExternalServer {
  readonly port: number;
  /** Folder of its own, working directory and home; removed with it. */
  readonly folder: string;
  /** What it has written to its output. */
  log(): string;
  /** Ends it with all processes that it started; idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a server, and resolves when it is ready.
 *
 * @throws Error with the end of its log when it ends or does not get ready
 */
export async function startExternalServer(options: ExternalServerOptions): Promise<ExternalServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'cron-fanout-'));
  const logFile = join(folder, 'server.log');
  const output = openSync(logFile, 'a');
  const leash = spawn(process.execPath, [LEASH, ...options.command(port)], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: folder,
      [RUN_VARIABLE]: process.env[RUN_VARIABLE],
      ...options.environment(port, folder),
    },
    stdio: ['pipe', output, output],
  });
  closeSync(output);
  const ended = new Promise<void>((resolve) => {
    leash.once('close', () => {
      resolve();
    });
  });
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    leash.stdin?.end();
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const server = {
    port,
    folder,
    log: () => readFileSync(logFile, 'utf8'),
    stop: () => (stopping ??= stop()),
  };
  const failure = await untilReady(() => options.isReady(port), ended);
  if (failure !== undefined) {
    const log = server.log().split('\n').slice(-LOG_LINES).join('\n');
    await server.stop();
    throw new Error(`${options.name} ${failure}:\n${log}`);
  }
  return server;
}

async function untilReady(isReady: () => Promise<boolean>, ended: Promise<void>): Promise<string | undefined> {
  const state = { hasEnded: false };
  void ended.then(() => {
    state.hasEnded = true;
  });
  for (const deadline = Date.now() + START_MS; Date.now() < deadline;) {
    if (await isReady().catch(() => false)) {
      return undefined;
    }
    if (state.hasEnded) {
      return 'ended while it started';
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return `was not ready after ${START_MS / 1000} seconds`;
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
