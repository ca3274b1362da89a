import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { App, AssetStaging, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';
import { bundleJobsWith } from '../../../lib/bundling';
import type { BundlingOptions, JobSource } from '../../../lib/bundling';
import { FIXTURE_RUNTIME, invoke, temporaryDirectory, temporaryProject } from './temporary-project';

jest.mock('esbuild', () => {
  const actual = jest.requireActual<{ buildSync: () => unknown }>('esbuild');
  return { ...actual, buildSync: jest.fn(actual.buildSync) };
});

const FILES = {
  'package.json': '{}',
  'jobs.ts': `export default { jobType: 'booking.reminder', handler: () => 'reminded' };`,
};

interface Synthesized {
  readonly template: unknown;
  readonly stack: Stack;
  /** Asset directories of the scanner and the consumer; absent where bundling was skipped. */
  readonly assets: readonly string[];
}

function synthesize(
  source: JobSource,
  context: Record<string, unknown> = {},
  options: BundlingOptions = {},
): Synthesized {
  const outdir = temporaryDirectory();
  const app = new App({ outdir, context, builtinCloudFormationValidation: false });
  const stack = new Stack(app, 'Stack');
  const { handler, ...code } = bundleJobsWith(FIXTURE_RUNTIME, stack, source, options);
  const functions = Object.entries(code).map(
    ([id, roleCode]) => new LambdaFunction(stack, id, { handler, code: roleCode, runtime: Runtime.NODEJS_24_X }),
  );
  const template = Template.fromStack(stack).toJSON() as {
    Resources: Record<string, { Properties: { Code: { S3Key: string } } }>;
  };
  const assets = functions.map((fn) => {
    const key = template.Resources[stack.getLogicalId(fn.node.defaultChild as never)]!.Properties.Code.S3Key;
    return join(outdir, `asset.${key.replace('.zip', '')}`);
  });
  return { template, stack, assets };
}

describe('bundleJobs', () => {
  beforeEach(() => {
    jest.mocked(buildSync).mockClear();
    AssetStaging.clearAssetHashCache();
  });

  it('B23: makes two assets that run, with neither Docker nor esbuild on the PATH', () => {
    const path = process.env.PATH;
    process.env.PATH = temporaryDirectory();
    const entry = join(temporaryProject(FILES), 'jobs.ts');
    const { assets } = synthesize({ entry });
    process.env.PATH = path;
    expect(
      assets.map((asset) => (invoke(asset, { jobType: 'booking.reminder' }).answer as { role: string }).role),
    ).toEqual(['scanner', 'consumer']);
  });

  it('B29: a stack whose bundling is skipped synthesizes without esbuild, the same on every machine', () => {
    const skip = { 'aws:cdk:bundling-stacks': [] };
    const first = synthesize({ entry: join(temporaryProject(FILES), 'jobs.ts') }, skip);
    const second = synthesize(
      { entry: join(temporaryProject({ 'jobs.ts': '!!! not even TypeScript' }), 'jobs.ts') },
      skip,
    );
    expect(buildSync).not.toHaveBeenCalled();
    expect(second.template).toEqual(first.template);
  });

  it('B29: two synths of the same project are deep-equal, wherever it lies, and name no path', () => {
    const projects = [temporaryProject(FILES), temporaryProject(FILES)];
    const [first, second] = projects.map((project) => synthesize({ entry: join(project, 'jobs.ts') }).template);
    expect(second).toEqual(first);
    expect(JSON.stringify(first)).not.toContain('cron-fanout-bundling-');
  });

  it('bundles the same source and options once in a process, in whatever app', () => {
    const entry = join(temporaryProject(FILES), 'jobs.ts');
    synthesize({ entry });
    synthesize({ entry });
    expect(buildSync).toHaveBeenCalledTimes(2);
    synthesize({ entry }, {}, { minify: false });
    expect(buildSync).toHaveBeenCalledTimes(4);
  });

  it('tells the code of two job modules of one directory apart', () => {
    const project = temporaryProject({
      ...FILES,
      'other.ts': `export default { jobType: 'other', handler: () => 0 };`,
    });
    const outdir = temporaryDirectory();
    const stack = new Stack(new App({ outdir, builtinCloudFormationValidation: false }), 'Stack');
    for (const name of ['jobs', 'other']) {
      const { consumer, handler } = bundleJobsWith(FIXTURE_RUNTIME, stack, { entry: join(project, `${name}.ts`) }, {});
      new LambdaFunction(stack, name, { code: consumer, handler, runtime: Runtime.NODEJS_24_X });
    }
    const bundles = readdirSync(outdir).filter((name) => name.startsWith('asset.'));
    expect(
      bundles.map((name) => readFileSync(join(outdir, name, 'index.mjs'), 'utf8').includes('other')).sort(),
    ).toEqual([false, true]);
  });

  it('throws its own errors, not wrapped by the CDK', () => {
    const entry = join(temporaryProject({ 'jobs.ts': `import a from './none'; export default a;` }), 'jobs.ts');
    expect(() => synthesize({ entry })).toThrow(expect.objectContaining({ code: 'BundlingFailed' }) as Error);
  });

  it('attaches what esbuild warns of to the construct', () => {
    const entry = join(
      temporaryProject({ 'jobs.ts': `export default { jobType: 'a', handler: () => typeof process === 'nmber' };` }),
      'jobs.ts',
    );
    const { stack } = synthesize({ entry });
    Annotations.fromStack(stack).hasWarning(
      '/Stack',
      Match.stringLikeRegexp('jobs\\.ts:1:\\d+: .*cron-fanout:bundling'),
    );
  });
});
