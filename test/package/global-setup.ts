import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareCommonJsApp, prepareEsModuleApp, prepareWorkspace } from './apps';
import { run } from './command';
import globalTeardown from './global-teardown';
import { FOLDER_VARIABLE, ROOT, folder } from './places';

/** Builds and packs the package, and installs it into three fresh apps, outside of the repository. */
export default async function globalSetup(): Promise<void> {
  process.env[FOLDER_VARIABLE] = realpathSync(mkdtempSync(join(tmpdir(), 'cron-fanout-package-')));
  try {
    await prepare();
  } catch (error) {
    // Jest tears nothing down where the setup fails.
    globalTeardown();
    throw error;
  }
}

async function prepare(): Promise<void> {
  await step('npm run build', () => run('npm', ['run', 'build'], { cwd: ROOT }));
  await step('npm pack', () => run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder()], { cwd: ROOT }));
  // Both take their files from the cache; a third installation beside them would only wait for the disk.
  await Promise.all([
    step('npm install into a CommonJS app', prepareCommonJsApp),
    step('npm install into an ES module app with the oldest aws-cdk-lib', prepareEsModuleApp),
  ]);
  await step('pnpm install into a workspace', prepareWorkspace);
}

async function step(name: string, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await work();
  process.stderr.write(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
}
