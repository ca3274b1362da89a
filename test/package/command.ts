import { spawn } from 'node:child_process';

/** How a command ended. */
export interface CommandResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where a command runs. */
export interface CommandOptions {
  readonly cwd: string;
  /** Added to the environment. @default - nothing */
  readonly env?: Readonly<Record<string, string>>;
}

/** Lines of output that a message repeats. */
const QUOTED_LINES = 40;

/** Runs a command, which may fail. */
export async function attempt(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...userEnvironment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { exitCode, stdout, stderr };
}

/** Runs a command that must succeed; answers what it wrote to stdout. */
export async function run(command: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const { exitCode, stdout, stderr } = await attempt(command, args, options);
  if (exitCode !== 0) {
    const lines = `${stdout}\n${stderr}`.trim().split('\n').slice(-QUOTED_LINES);
    throw new Error(
      `${[command, ...args].join(' ')}\nin ${options.cwd} ended with exit code ${exitCode ?? 'none'}:\n${lines.join('\n')}`,
    );
  }
  return stdout;
}

/**
 * What a user's shell would hand on: not what npm and jest tell the scripts of this repository (its package.json, its bin folders), and not a colour
 * setting that would end up in compared output.
 */
function userEnvironment(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter(
    (name) =>
      !/^(npm_(?!config_(registry|cache|cafile)$)|JEST_|NODE_ENV$|NODE_OPTIONS$|FORCE_COLOR$|INIT_CWD$)/i.test(name),
  );
  const kept = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  return { ...kept, PATH: path.join(':'), NO_COLOR: '1', CI: '1', CDK_DISABLE_CLI_TELEMETRY: 'true' };
}
