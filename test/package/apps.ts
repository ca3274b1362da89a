import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './command';
import { ROOT, appFolder, asEsModule, manifestIn, readmeApp, readmeTest, tarball } from './places';
import { userTest } from './user-test';
import type { UserModules } from './user-test';

/** Install scripts are off: nothing here may need any. */
const NPM_INSTALL = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
const PNPM = join(ROOT, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');
/** The major version that new CDK apps begin with, exact so that a run repeats. */
const NATIVE_TYPESCRIPT = '7.0.2';
/** What Jest wants of a TypeScript app of ES modules. */
const ES_MODULE_JEST = `export default {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\\\.{1,2}/.*)\\\\.js$': '$1' },`;

const { devDependencies, peerDependencies } = manifestIn(ROOT);
/** Oldest versions that the peer ranges allow. */
const OLDEST = {
  'aws-cdk-lib': oldest(peerDependencies['aws-cdk-lib']),
  constructs: oldest(peerDependencies.constructs),
};

type Versions = Readonly<Record<string, string>>;
interface AppManifest extends Record<string, unknown> {
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
}

/** What `cdk init` makes, with the README's example in it, dynalite for local runs, and the versions of this repository. */
export async function prepareCommonJsApp(): Promise<void> {
  const app = appFolder('commonjs');
  await initialize(app, '../stacks/bookings');
  writeReadme(app, (code) => code);
  writeTest(app, { stack: '../stacks/bookings', job: '../jobs/booking-reminders', directory: '__dirname' });
  write(app, ...readmeTest());
  const jest = readFileSync(join(app, 'jest.config.js'), 'utf8');
  write(app, 'jest.config.js', jest.replace("['<rootDir>/test']", "['<rootDir>/test', '<rootDir>/jobs']"));
  writeManifest(app, (manifest) => ({
    ...manifest,
    dependencies: versionsOf(['aws-cdk-lib', 'constructs']),
    devDependencies: { ...exact(manifest.devDependencies), ...versionsOf(['dynalite']) },
  }));
  await run('npm', [...NPM_INSTALL, tarball()], { cwd: app });
}

/** The same as an ES module package, on the oldest aws-cdk-lib that the package allows, and without dynalite. */
export async function prepareEsModuleApp(): Promise<void> {
  const app = appFolder('es-module');
  await initialize(app, '../stacks/bookings.js');
  writeReadme(app, asEsModule);
  writeTest(app, {
    stack: '../stacks/bookings.js',
    job: '../jobs/booking-reminders.js',
    directory: 'import.meta.dirname',
  });
  writeManifest(app, (manifest) => ({
    ...manifest,
    type: 'module',
    scripts: { test: 'node --experimental-vm-modules node_modules/jest/bin/jest.js' },
    dependencies: OLDEST,
    devDependencies: exact(manifest.devDependencies),
  }));
  const config = readFileSync(join(app, 'jest.config.js'), 'utf8');
  write(
    app,
    'jest.config.js',
    config.replace('module.exports = {', () => ES_MODULE_JEST),
  );
  await run('npm', [...NPM_INSTALL, tarball()], { cwd: app });
}

/** A pnpm workspace: the README's folders `jobs` and `stacks` are packages of their own, the job module's knows no CDK. */
export async function prepareWorkspace(): Promise<void> {
  const workspace = appFolder('workspace');
  const app = join(workspace, 'stacks');
  await initialize(app, '../bookings');
  writeTest(app, { stack: '../bookings', job: '../../jobs/booking-reminders', directory: '__dirname' });
  writeReadme(workspace, (code) => code);
  write(workspace, 'pnpm-workspace.yaml', 'packages:\n  - jobs\n  - stacks\n');
  write(workspace, 'package.json', JSON.stringify({ name: 'bookings-workspace', private: true }));
  write(workspace, 'jobs/tsconfig.json', readFileSync(join(app, 'tsconfig.json'), 'utf8').replace('"jest",', ''));
  const own = { 'cron-fanout': `file:${tarball()}` };
  write(
    workspace,
    'jobs/package.json',
    JSON.stringify({
      name: 'bookings-jobs',
      private: true,
      dependencies: own,
      devDependencies: versionsOf(['@types/node']),
    }),
  );
  writeManifest(app, (manifest) => ({
    ...manifest,
    dependencies: { ...versionsOf(['aws-cdk-lib', 'constructs']), ...own },
    devDependencies: exact(manifest.devDependencies),
  }));
  await run(process.execPath, [PNPM, 'install', '--ignore-scripts', '--prefer-offline'], { cwd: workspace });
}

/** A new app as the CDK's command line makes it, whose stack is the README's. */
async function initialize(app: string, stack: string): Promise<void> {
  mkdirSync(app, { recursive: true });
  const cdk = join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  await run(process.execPath, [cdk, 'init', 'app', '--language', 'typescript', '--generate-only'], { cwd: app });
  for (const part of ['bin', 'lib', 'test']) {
    rmSync(join(app, part), { recursive: true });
  }
  const main = `import { App } from 'aws-cdk-lib/core';
import { BookingsStack } from '${stack}';

new BookingsStack(new App(), 'Bookings');
`;
  write(app, 'bin/bookings.ts', main);
  const configuration = JSON.parse(readFileSync(join(app, 'cdk.json'), 'utf8')) as object;
  write(app, 'cdk.json', JSON.stringify({ ...configuration, app: 'npx tsc && npx tsx bin/bookings.ts' }));
}

function writeReadme(app: string, change: (code: string) => string): void {
  for (const [file, code] of readmeApp()) {
    write(app, file, change(code));
  }
}

function writeTest(app: string, modules: UserModules): void {
  write(app, 'test/bookings.test.ts', userTest(modules));
}

function write(directory: string, file: string, text: string): void {
  mkdirSync(dirname(join(directory, file)), { recursive: true });
  writeFileSync(join(directory, file), text);
}

function writeManifest(app: string, change: (manifest: AppManifest) => object): void {
  const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')) as AppManifest;
  write(app, 'package.json', JSON.stringify(change(manifest), undefined, 2));
}

/** The versions that this repository has: they are in npm's cache, and the same every time. */
function exact(versions: Versions): Versions {
  return { ...versions, ...versionsOf(Object.keys(versions)), typescript: NATIVE_TYPESCRIPT };
}

function versionsOf(names: readonly string[]): Versions {
  return Object.fromEntries(
    names.map((name) => {
      const version = devDependencies[name];
      if (version === undefined) {
        throw new Error(`${name}, which new CDK apps depend on, is no development dependency of this repository`);
      }
      return [name, version];
    }),
  );
}

function oldest(range: string | undefined): string {
  const version = /^\^(\d+\.\d+\.\d+)$/.exec(range ?? '')?.[1];
  if (version === undefined) {
    throw new Error(`peer range ${range ?? '(none)'} names no oldest version`);
  }
  return version;
}
