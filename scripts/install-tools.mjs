/**
 * Installs what only some checks need, each into a folder that git ignores. What is there already, at the pinned version, is kept.
 *
 * `python`: MiniStack, to deploy to, and cfn-lint, from PyPI into a virtual environment (.ministack/venv).
 * `elasticmq`: ElasticMQ from Maven Central (.elasticmq/lib), for the SQS conformance table.
 *
 * Usage: node scripts/install-tools.mjs python|elasticmq
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const path = (...parts) => join(root, ...parts);

/** Folder, file that pins the versions, and commands, by tool. */
const TOOLS = {
  python: {
    folder: path('.ministack'),
    pins: path('test', 'deploy', 'requirements.txt'),
    commands: (pins) => [
      ['python3', '-m', 'venv', path('.ministack', 'venv')],
      [
        path('.ministack', 'venv', 'bin', 'pip'),
        ...['install', '--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', pins],
      ],
    ],
  },
  elasticmq: {
    folder: path('.elasticmq'),
    pins: path('test', 'conformance', 'endpoints', 'pom.xml'),
    commands: (pins) => [
      [
        ...['mvn', '--batch-mode', '--quiet', '--file', pins, 'dependency:copy-dependencies'],
        ...['-DincludeScope=runtime', `-DoutputDirectory=${path('.elasticmq', 'lib')}`],
      ],
    ],
  },
};

const tool = TOOLS[process.argv[2]];
if (tool === undefined) {
  fail(`unknown tool ${process.argv[2] ?? '(none)'}; known: ${Object.keys(TOOLS).join(', ')}`);
}
const digest = createHash('sha256').update(readFileSync(tool.pins)).digest('hex');
const stamp = join(tool.folder, 'installed');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  rmSync(tool.folder, { recursive: true, force: true });
  mkdirSync(tool.folder, { recursive: true });
  for (const [command, ...parameters] of tool.commands(tool.pins)) {
    const { status, error } = spawnSync(command, parameters, { stdio: 'inherit' });
    if (status !== 0) {
      fail(`${command} ${parameters.join(' ')}: ${error?.message ?? `exit code ${status}`}`);
    }
  }
  // Last, so that an installation that was interrupted begins anew.
  writeFileSync(stamp, digest);
}

function fail(message) {
  console.error(`install-tools: ${message}`);
  console.error('install-tools: .ci/run goes without what needs it when CRON_FANOUT_SKIP_DEPLOY=1 is set');
  process.exit(1);
}
