import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually';
import { markRun, processesOf, RUN_VARIABLE } from './external-run';
import { startExternalServer, type ExternalServerOptions } from './external-server';

/** A server with a process of its own below it, as an emulator has for its functions. */
const SERVER = `
require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
require('node:http').createServer((_, response) => response.end('ready')).listen(process.argv[1], '127.0.0.1');
`;

function options(script: string): ExternalServerOptions {
  return {
    name: 'the server',
    command: (port) => [process.execPath, '-e', script, String(port)],
    environment: () => ({ GREETING: 'hello' }),
    isReady: async (port) => (await fetch(`http://127.0.0.1:${port}`)).ok,
  };
}

const run = (): string[] => processesOf(process.env[RUN_VARIABLE] ?? '');
// Processes can be seen, and so missed, only where the system shows them.
const onSystemsWithProc = existsSync('/proc') ? it : it.skip;

describe('a server that is a program of its own', () => {
  beforeEach(markRun);

  onSystemsWithProc('ends with all that it started', async () => {
    const server = await startExternalServer(options(SERVER));
    expect(run().length).toBeGreaterThanOrEqual(3);
    await server.stop();
    expect(run()).toEqual([]);
    expect(existsSync(server.folder)).toBe(false);
    await server.stop();
  });

  onSystemsWithProc('ends when the process that asked for it is killed', async () => {
    const command = [join(__dirname, 'leash.mjs'), process.execPath, '-e', SERVER, '0'];
    const owner = spawn(
      process.execPath,
      [
        '-e',
        `require('node:child_process').spawn(process.execPath, ${JSON.stringify(command)}, { stdio: ['pipe', 'ignore', 'ignore'] });
        setInterval(() => {}, 1000);`,
      ],
      // What a test sets in process.env is seen in the sandbox of the test alone.
      { stdio: 'ignore', env: { ...process.env } },
    );
    await eventually(
      'owner, leash, server and its child run',
      () => Promise.resolve(run()),
      ({ length }) => length >= 4,
    );
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await eventually(
      'nothing of them is left',
      () => Promise.resolve(run()),
      ({ length }) => length === 0,
    );
  });

  it('is named, with what it wrote, when it does not start', async () => {
    const start = startExternalServer(options(`console.error('no room at the inn'); process.exit(3)`));
    await expect(start).rejects.toThrow(/the server ended while it started:[^]*no room at the inn/);
  });

  it('has nothing of our environment but the path', async () => {
    const server = await startExternalServer(
      options(`
        const names = Object.keys(process.env).sort().join();
        require('node:http').createServer((_, response) => response.end(names)).listen(process.argv[1], '127.0.0.1');
      `),
    );
    const names = await (await fetch(`http://127.0.0.1:${server.port}`)).text();
    await server.stop();
    expect(names.split(',')).toEqual([RUN_VARIABLE, 'GREETING', 'HOME', 'PATH', 'TMPDIR']);
  });
});
