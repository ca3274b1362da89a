/**
 * Tries the range of `peerDependencies`: installs the oldest aws-cdk-lib and constructs that it allows, and the newest of the registry, each in a directory outside of the repository. There
 * the library is type-checked and the example app is synthesized; it must have the same resources with all versions.
 *
 * Usage: node scripts/check-peers.mjs [aws-cdk-lib version]...
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { peerDependencies: peers } = readJson(join(root, 'package.json'));
const PEERS = ['aws-cdk-lib', 'constructs'];
/** What the example app is made of. */
const SOURCES = ['bin', 'lib', 'lambda', 'examples', 'types', 'package.json', 'tsconfig.json', 'cdk.json'];

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function run(directory, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: directory, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
  return stdout;
}

/** `^2.257.0` allows 2.257.0 and nothing before it. */
function oldest(name) {
  const [, version] = /^\^(\d+\.\d+\.\d+)$/.exec(peers[name]) ?? [];
  if (version === undefined) {
    throw new Error(`peerDependencies.${name} is ${peers[name]}: this script reads ranges like ^1.2.3 alone`);
  }
  return version;
}

/** Links what is installed here into a directory, but for what is there already: the peers and their own dependencies. */
function linkPackages(from, to) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from).filter((entry) => !entry.startsWith('.') && !PEERS.includes(entry))) {
    if (name.startsWith('@')) {
      linkPackages(join(from, name), join(to, name));
    } else if (!existsSync(join(to, name))) {
      symlinkSync(join(from, name), join(to, name));
    }
  }
}

function prepare(directory, versions) {
  mkdirSync(directory);
  for (const source of SOURCES) {
    cpSync(join(root, source), join(directory, source), { recursive: true });
  }
  const manifest = { name: 'peers', private: true, dependencies: versions };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest));
  run(directory, 'npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock');
  // The copy is the package itself, where its own version is asked for.
  cpSync(join(root, 'package.json'), join(directory, 'package.json'));
  linkPackages(join(root, 'node_modules'), join(directory, 'node_modules'));
}

function checkTypes(directory) {
  const options = {
    extends: './tsconfig.json',
    // The CDK's own classes did not always fit its interfaces under exactOptionalPropertyTypes.
    compilerOptions: { types: ['node'], exactOptionalPropertyTypes: false },
    include: ['types', 'lib', 'bin/app.ts'],
  };
  writeFileSync(join(directory, 'tsconfig.peers.json'), JSON.stringify(options));
  run(
    directory,
    process.execPath,
    join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
    '--noEmit',
    '--project',
    'tsconfig.peers.json',
  );
}

/** Types of the example's resources by logical id, and the version of aws-cdk-lib that made them. */
function synthesize(directory) {
  const output = mkdtempSync(join(scratch, 'out-'));
  const app = `process.env.CDK_OUTDIR = ${JSON.stringify(output)}; require('./bin/app.ts');`;
  run(directory, process.execPath, '--import', 'tsx', '--eval', app);
  const templates = readdirSync(output).filter((file) => file.endsWith('.template.json'));
  const resources = templates.flatMap((file) => Object.entries(readJson(join(output, file)).Resources));
  if (resources.length === 0) {
    throw new Error(`the example has no resources in ${output}`);
  }
  const { version } = readJson(join(output, 'tree.json')).tree.constructInfo;
  return { version, resources: Object.fromEntries(resources.map(([id, { Type }]) => [id, Type]).sort()) };
}

const scratch = mkdtempSync(join(tmpdir(), 'cron-fanout-peers-'));
process.on('exit', () => {
  rmSync(scratch, { recursive: true, force: true });
});

const here = synthesize(root);
const newest = run(root, 'npm', 'view', 'aws-cdk-lib', 'version').trim();
const asked = process.argv.length > 2 ? process.argv.slice(2) : [oldest('aws-cdk-lib'), newest];
const wanted = asked.filter((version) => version !== here.version);
if (wanted.length < asked.length) {
  console.log(`aws-cdk-lib ${here.version} is installed here: all tests run with it`);
}
for (const [place, version] of wanted.entries()) {
  const directory = join(scratch, String(place));
  const isOldest = version === oldest('aws-cdk-lib');
  prepare(directory, { 'aws-cdk-lib': version, constructs: isOldest ? oldest('constructs') : 'latest' });
  const installed = Object.fromEntries(
    PEERS.map((name) => [name, readJson(join(directory, 'node_modules', name, 'package.json')).version]),
  );
  const made = synthesize(directory);
  if (made.version !== installed['aws-cdk-lib']) {
    throw new Error(`the example was synthesized by aws-cdk-lib ${made.version}, not by ${installed['aws-cdk-lib']}`);
  }
  if (JSON.stringify(made.resources) !== JSON.stringify(here.resources)) {
    throw new Error(
      `aws-cdk-lib ${made.version} makes other resources:\n${JSON.stringify(made.resources, undefined, 1)}\nthan ${here.version}:\n${JSON.stringify(here.resources, undefined, 1)}`,
    );
  }
  checkTypes(directory);
  console.log(
    `aws-cdk-lib ${made.version}, constructs ${installed.constructs}: type-checked and synthesized, ${Object.keys(made.resources).length} resources as with ${here.version}`,
  );
}
