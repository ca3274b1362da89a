import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { functionContent } from '../../../lib/bundling/content';
import type { Role } from '../../../lib/bundling/options';
import { runtimeFiles } from '../../../lib/runtime-files';
import type { RuntimeFiles } from '../../../lib/runtime-files';
import { bundleInto, invoke, readTree, temporaryProject } from './temporary-project';

const REPOSITORY = dirname(require.resolve('../../../package.json'));

const ROLES: readonly Role[] = ['scanner', 'consumer'];

const JOB_MODULE = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { defineJob } from 'cron-fanout/job';
export default defineJob({
  jobType: 'booking.reminder',
  async *source() { yield { record: { table: typeof DynamoDBClient }, cursor: 1 }; },
  key: (record) => record.table,
  handler: () => undefined,
});`;

/** A module that uses the other half of the SDK directly. */
const HALF_MODULE = `import * as core from '@smithy/core';\n${JOB_MODULE.replace('() => undefined', '() => core')}`;

/** An app that has this package installed as it is built, beside the packages which it depends on. */
function appWithBuiltPackage(): { readonly entry: string; readonly runtime: RuntimeFiles } {
  const app = temporaryProject({ 'package.json': '{}', 'src/jobs.ts': JOB_MODULE, 'src/half.ts': HALF_MODULE });
  const installed = join(app, 'node_modules/cron-fanout');
  mkdirSync(installed, { recursive: true });
  cpSync(join(REPOSITORY, 'package.json'), join(installed, 'package.json'));
  execFileSync(process.execPath, [join(REPOSITORY, 'scripts/build-runtime.mjs'), join(installed, 'dist')]);
  for (const dependency of ['@aws-sdk', '@aws-lambda-powertools', '@smithy']) {
    symlinkSync(join(REPOSITORY, 'node_modules', dependency), join(app, 'node_modules', dependency));
  }
  return { entry: join(app, 'src/jobs.ts'), runtime: runtimeFiles(join(installed, 'dist/lib/runtime-files.js')) };
}

describe('the package as it is built', () => {
  const { entry, runtime } = appWithBuiltPackage();

  it.each(ROLES)('B26: the %s loads where there is no node_modules, and imports nothing but builtins', (role) => {
    const directory = bundleInto(role, { entry }, {}, runtime);
    expect(invoke(directory).stderr).toContain('[MissingEnvironment]');
    const { imports } = functionContent(role, runtime, { entry }, {});
    expect(imports).toContain('node:fs');
    expect(imports.filter((name) => !isBuiltin(name))).toEqual([]);
  });

  it('B26: leaving out one half of the SDK is warned of, leaving out both is not', () => {
    const warnings = (externalModules: string[]) =>
      functionContent('scanner', runtime, { entry: entry.replace('jobs.ts', 'half.ts') }, { externalModules }).warnings;
    expect(warnings(['@aws-sdk/*'])).toEqual([expect.stringContaining('name both or neither')]);
    expect(warnings(['@aws-sdk/*', '@smithy/*'])).toEqual([]);
  });

  it.each(ROLES)('the %s holds neither the CDK nor tools nor the simulation', (role) => {
    for (const files of [runtime, runtimeFiles()]) {
      const { inputs } = functionContent(role, files, { entry }, {});
      expect(inputs).toContain('src/jobs.ts');
      expect(inputs.some((input) => input.startsWith('cron-fanout/'))).toBe(true);
      expect(
        inputs.filter((input) =>
          /^node_modules\/(aws-cdk-lib|constructs|esbuild|commander|dynalite)\/|lambda\/simulation\//.test(input),
        ),
      ).toEqual([]);
    }
  });

  it('what no code of the start needs is left to files of their own', () => {
    const directory = bundleInto('consumer', { entry }, { sourceMap: false }, runtime);
    const { 'index.mjs': index, ...chunks } = readTree(directory);
    expect(Object.keys(chunks).length).toBeGreaterThan(5);
    expect(index!.length).toBeLessThan(Object.values(chunks).join('').length);
  });

  it('names its own files in source maps as the sources lie', () => {
    const sources = Object.entries(readTree(bundleInto('scanner', { entry }, {}, runtime)))
      .filter(([file]) => file.endsWith('.map'))
      .flatMap(([, map]) => (JSON.parse(map) as { sources: string[] }).sources);
    expect(sources).toContain('src/jobs.ts');
    expect(sources).toContain('cron-fanout/lambda/scanner/entry.ts');
    expect(sources.filter((source) => source.includes('..') || source.startsWith('/'))).toEqual([]);
  });
});
