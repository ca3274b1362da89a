import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { functionContent, writeContent } from '../../../lib/bundling/content';
import type { BundlingOptions, JobSource, Role } from '../../../lib/bundling/options';
import type { RuntimeFiles } from '../../../lib/runtime-files';

const FIXTURES = join(__dirname, 'fixtures');

/** A runtime of a few lines: says which jobs it was given, and calls the handler that the event names. */
export const FIXTURE_RUNTIME: RuntimeFiles = {
  root: FIXTURES,
  scanner: join(FIXTURES, 'runtime', 'scanner.ts'),
  consumer: join(FIXTURES, 'runtime', 'consumer.ts'),
  api: { job: join(__dirname, '..', '..', '..', 'lambda', 'job', 'index.ts') },
};

const directories: string[] = [];

afterAll(() => {
  directories.forEach((directory) => {
    rmSync(directory, { recursive: true, force: true });
  });
});

/** A new directory without symbolic links in its path, removed after the tests of the file. */
export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cron-fanout-bundling-')));
  directories.push(directory);
  return directory;
}

/** Writes files by their path below a directory, and returns the directory. */
export function writeTree(directory: string, files: Readonly<Record<string, string>>): string {
  for (const [path, content] of Object.entries(files)) {
    const absolute = join(directory, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, content);
  }
  return directory;
}

/** A project in a new directory. */
export function temporaryProject(files: Readonly<Record<string, string>>): string {
  return writeTree(temporaryDirectory(), files);
}

/** Bundles with the fixture runtime into a new directory that has no node_modules at or above it. */
export function bundleInto(
  role: Role,
  source: JobSource,
  options: BundlingOptions = {},
  runtime = FIXTURE_RUNTIME,
): string {
  const directory = temporaryDirectory();
  writeContent(functionContent(role, runtime, source, options), directory);
  return directory;
}

/** All files below a directory by their path. */
export function readTree(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name)).sort();
  return Object.fromEntries(paths.map((path) => [relative(directory, path), readFileSync(path, 'utf8')]));
}

/** What a bundle's handler did with an event, in a process of its own. */
export interface Invocation {
  readonly answer: unknown;
  readonly stderr: string;
  readonly status: number | null;
}

/** Loads a bundle under plain node and calls its handler, as Lambda would. */
export function invoke(directory: string, event: unknown = {}, nodeArguments: readonly string[] = []): Invocation {
  const script = `import { handler } from './index.mjs';
process.stdout.write('\\n#answer ' + JSON.stringify(await handler(${JSON.stringify(event)})));`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...nodeArguments, '--input-type=module', '--eval', script],
    { cwd: directory, encoding: 'utf8', env: { PATH: process.env.PATH } },
  );
  const answer = stdout.split('\n#answer ')[1];
  return { answer: answer === undefined ? undefined : (JSON.parse(answer) as unknown), stderr, status };
}
