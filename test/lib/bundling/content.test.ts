import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { functionContent } from '../../../lib/bundling/content';
import {
  bundleInto,
  FIXTURE_RUNTIME,
  invoke,
  readTree,
  temporaryDirectory,
  temporaryProject,
  writeTree,
} from './temporary-project';

const JOB = `export default { jobType: 'booking.reminder', handler: () => 'reminded' };`;

/** A CommonJS package that requires Node's own modules and uses what only CommonJS has. */
const COMMONJS_PACKAGE = {
  'node_modules/legacy/package.json': '{ "name": "legacy", "version": "1.0.0", "main": "index.js" }',
  'node_modules/legacy/index.js': `/*! licence of legacy */
const { EventEmitter } = require('events');
let optional;
try { optional = require('not-installed' + ''); } catch (error) { optional = error.code; }
module.exports = { emitter: typeof EventEmitter, optional, directory: typeof __dirname, file: typeof __filename };`,
};

describe.each([{ minify: true }, { minify: false }])('a bundle with $minify as minify', (options) => {
  it('B25: a CommonJS dependency that requires a builtin loads, and so does top-level await', () => {
    const project = temporaryProject({
      'package.json': '{ "type": "module" }',
      ...COMMONJS_PACKAGE,
      'jobs.ts': `import legacy from 'legacy';
const greeting: string = await Promise.resolve('hello');
export default { jobType: 'a', handler: () => ({ greeting, legacy }) };`,
    });
    const directory = bundleInto('consumer', { entry: join(project, 'jobs.ts') }, options);
    expect(invoke(directory, { jobType: 'a' }).answer).toEqual({
      role: 'consumer',
      jobTypes: ['a'],
      handled: {
        greeting: 'hello',
        legacy: { emitter: 'function', optional: 'MODULE_NOT_FOUND', directory: 'string', file: 'string' },
      },
    });
  });

  it('a job module may declare require, createRequire, __dirname and __filename itself', () => {
    const project = temporaryProject({
      'package.json': '{ "type": "module" }',
      ...COMMONJS_PACKAGE,
      'jobs.mjs': `import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
const require = createRequire(import.meta.url);
const __filename = fileURLToPath(import.meta.url);
const __dirname = dirname(__filename);
const os = require('node:os');
export default { jobType: 'a', async handler() { return [typeof os.cpus, typeof __dirname, (await import('./lazy.mjs')).lazy]; } };`,
      'lazy.mjs': `import { createRequire } from 'node:module';
import legacy from 'legacy';
export const require = createRequire(import.meta.url);
export const lazy = [typeof require('node:fs').readFileSync, legacy.emitter];`,
    });
    const directory = bundleInto('consumer', { entry: join(project, 'jobs.mjs') }, options);
    expect(invoke(directory, { jobType: 'a' })).toMatchObject({
      answer: { handled: ['function', 'string', ['function', 'function']] },
    });
  });

  it('B27: names of errors, classes and job types are what the source says', () => {
    const project = temporaryProject({
      'jobs.ts': `class VendorUnavailable extends Error { constructor() { super('no'); this.name = new.target.name; } }
function remindOne() { try { throw new VendorUnavailable(); } catch (error) { return [(error as Error).name, error instanceof VendorUnavailable]; } }
function remindTwo() { return 2; }
export const one = { jobType: remindOne.name, handler: remindOne };
export const two = { jobType: remindTwo.name, handler: remindTwo };`,
    });
    const directory = bundleInto('consumer', { entry: join(project, 'jobs.ts') }, options);
    expect(invoke(directory, { jobType: 'remindOne' }).answer).toEqual({
      role: 'consumer',
      jobTypes: ['remindOne', 'remindTwo'],
      handled: ['VendorUnavailable', true],
    });
  });

  it('traces name the file and the line of the source', () => {
    const project = temporaryProject({
      'package.json': '{}',
      'src/jobs.ts': `import { remind } from './mail/reminder';
export default { jobType: 'a', handler: () => remind() };`,
      'src/mail/reminder.ts': `interface Unused { a: string }

export function remind(): never {
  throw new Error('mailbox full');
}`,
    });
    const directory = bundleInto('consumer', { entry: join(project, 'src/jobs.ts') }, options);
    const { stderr, status } = invoke(directory, { jobType: 'a' }, ['--enable-source-maps']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/Error: mailbox full\n\s+at .*src\/mail\/reminder\.ts:4:9/);
    expect(stderr).toMatch(/src\/jobs\.ts:2:\d+/);
  });

  it('is the same bytes wherever the project and the runtime lie and whatever the working directory', () => {
    const files = {
      'package.json': '{}',
      ...COMMONJS_PACKAGE,
      'src/ca.pem': 'certificate',
      'src/jobs.ts': `import { shared } from './shared';
import certificate from './ca.pem';
import legacy from 'legacy';
export default { jobType: 'a', certificate, handler: async () => [shared, legacy, (await import('./lazy')).lazy, (await import('./other/lazy')).lazy] };`,
      'src/shared.ts': `export const shared = ['shared'];`,
      'src/lazy.ts': `import { shared } from './shared'; import legacy from 'legacy'; export const lazy = ['lazy', shared, legacy];`,
      'src/other/lazy.ts': `import { shared } from '../shared'; export const lazy = ['other lazy', shared];`,
    };
    const shallow = temporaryProject(files);
    const deep = writeTree(join(temporaryDirectory(), 'a/b/c/node_modules/d'), files);
    const elsewhere = join(temporaryDirectory(), 'some/where/else');
    cpSync(FIXTURE_RUNTIME.root, elsewhere, { recursive: true });
    const moved = { ...FIXTURE_RUNTIME, root: elsewhere, consumer: join(elsewhere, 'runtime/consumer.ts') };
    const workingDirectory = process.cwd();
    const withLoader = { ...options, loaders: { '.pem': 'file' } } as const;
    const here = bundleInto('consumer', { entry: join(shallow, 'src/jobs.ts') }, withLoader);
    process.chdir(join(deep, 'src'));
    const there = bundleInto('consumer', { entry: 'jobs.ts' }, withLoader, moved);
    process.chdir(workingDirectory);
    expect(readTree(there)).toEqual(readTree(here));
    expect(Object.keys(readTree(here))).toContainEqual(expect.stringMatching(/^ca-.+\.pem$/));
    expect(Object.keys(readTree(here)).length).toBeGreaterThan(4);
    expect(JSON.stringify(readTree(here))).not.toContain(shallow);
    expect(JSON.stringify(readTree(here))).not.toContain('cron-fanout-bundling-');
    expect(invoke(here, { jobType: 'a' }).answer).toMatchObject({
      handled: [
        ['shared'],
        { emitter: 'function' },
        ['lazy', ['shared'], { emitter: 'function' }],
        ['other lazy', ['shared']],
      ],
    });
  });

  it('what only a handler imports dynamically is not loaded with the rest', () => {
    const project = temporaryProject({
      'jobs.ts': `export default { jobType: 'a', handler: async () => (await import('./mailer')).send() };`,
      'mailer.ts': `process.stderr.write('mailer was loaded'); export const send = () => 'sent';`,
    });
    const source = { entry: join(project, 'jobs.ts') };
    const scanner = bundleInto('scanner', source, options);
    expect(invoke(scanner)).toMatchObject({ answer: { jobTypes: ['a'] }, stderr: '' });
    expect(readFileSync(join(scanner, 'index.mjs'), 'utf8')).not.toContain('mailer was loaded');
    const consumer = bundleInto('consumer', source, options);
    expect(invoke(consumer, { jobType: 'a' })).toMatchObject({
      answer: { handled: 'sent' },
      stderr: 'mailer was loaded',
    });
  });
});

describe('bundling', () => {
  it('accepts a CommonJS job module', () => {
    const project = temporaryProject({
      'jobs.cjs': `exports.default = { jobType: 'a', handler: () => require('node:path').posix.join('x', 'y') };`,
    });
    expect(invoke(bundleInto('consumer', { entry: join(project, 'jobs.cjs') }), { jobType: 'a' }).answer).toEqual({
      role: 'consumer',
      jobTypes: ['a'],
      handled: 'x/y',
    });
  });

  it('packages source maps without the sources, or none at all', () => {
    const project = temporaryProject({ 'jobs.ts': `// what nobody else should read\n${JOB}` });
    const source = { entry: join(project, 'jobs.ts') };
    const withMaps = readTree(bundleInto('scanner', source));
    expect(Object.keys(withMaps)).toEqual(['index.mjs', 'index.mjs.map']);
    expect(JSON.stringify(withMaps)).not.toContain('what nobody else should read');
    expect(Object.keys(readTree(bundleInto('scanner', source, { sourceMap: false })))).toEqual(['index.mjs']);
  });

  it('applies define, loaders and the tsconfig', () => {
    const project = temporaryProject({
      'jobs.ts': `import query from './due.sql';
import { stage } from '@app/stage';
export default { jobType: 'a', handler: () => [query, stage] };`,
      'due.sql': 'select 1',
      'app/stage.ts': `export const stage = process.env.STAGE;`,
      'custom.json': `{ "compilerOptions": { "paths": { "@app/*": ["./app/*"] } } }`,
    });
    const directory = bundleInto(
      'consumer',
      { entry: join(project, 'jobs.ts') },
      {
        define: { 'process.env.STAGE': '"test"' },
        loaders: { '.sql': 'text' },
        tsconfig: join(project, 'custom.json'),
      },
    );
    expect(invoke(directory, { jobType: 'a' }).answer).toMatchObject({ handled: ['select 1', 'test'] });
  });

  it('leaves external modules out', () => {
    const project = temporaryProject({
      'jobs.ts': `import { layered } from 'from-a-layer/part'; export default { jobType: 'a', handler: () => layered };`,
    });
    const directory = bundleInto(
      'consumer',
      { entry: join(project, 'jobs.ts') },
      { externalModules: ['from-a-layer'] },
    );
    writeTree(directory, {
      'node_modules/from-a-layer/part.js': `exports.layered = 'layered';`,
      'node_modules/from-a-layer/package.json': '{"exports":{"./part":"./part.js"}}',
    });
    expect(invoke(directory, { jobType: 'a' }).answer).toMatchObject({ handled: 'layered' });
  });

  it('finds an entry through a symbolic link, a file URL and a relative path', () => {
    const project = temporaryProject({ 'package.json': '{}', 'jobs.ts': JOB });
    const link = join(temporaryDirectory(), 'link');
    symlinkSync(project, link);
    const direct = functionContent('scanner', FIXTURE_RUNTIME, { entry: join(project, 'jobs.ts') }, {});
    const linked = functionContent('scanner', FIXTURE_RUNTIME, { entry: join(link, 'jobs.ts') }, {});
    const url = functionContent('scanner', FIXTURE_RUNTIME, { entry: `file://${project}/jobs.ts` }, {});
    expect(linked).toBe(direct);
    expect(url).toBe(direct);
  });

  it('B22: an entry that is not there is refused with the absolute path that was tried', () => {
    expect(() => functionContent('scanner', FIXTURE_RUNTIME, { entry: 'jobs/none.ts' }, {})).toThrow(
      `tried ${join(process.cwd(), 'jobs/none.ts')}`,
    );
  });

  it('leaves out files that nothing imports: what only an unused function would have imported', () => {
    const files = {
      'package.json': '{}',
      'jobs.ts': `import { used } from 'agent';
export default { jobType: 'a', handler: async () => [used(), (await import('./lazy')).lazy] };`,
      'lazy.ts': `export const lazy = 'lazy';`,
      'node_modules/agent/package.json': '{ "name": "agent", "main": "index.mjs", "sideEffects": false }',
      'node_modules/agent/index.mjs': `export const used = () => 'used'; export const unused = async () => import('./orphan.mjs');`,
      'node_modules/agent/orphan.mjs': `export const orphan = 'orphan';`,
    };
    const directory = bundleInto('consumer', { entry: join(temporaryProject(files), 'jobs.ts') });
    expect(Object.keys(readTree(directory)).filter((file) => file.endsWith('.mjs'))).toEqual([
      'chunk-00000001.mjs',
      'index.mjs',
      'lazy-00000002.mjs',
    ]);
    expect(invoke(directory, { jobType: 'a' }).answer).toMatchObject({ handled: ['used', 'lazy'] });
  });

  it('B24: lock files are not read: one, two, or another one above make no difference', () => {
    const files = { 'package.json': '{}', 'jobs.ts': JOB };
    const none = temporaryProject(files);
    const two = temporaryProject({ ...files, 'package-lock.json': 'not JSON', 'yarn.lock': '' });
    const above = temporaryProject({ 'pnpm-lock.yaml': ':' });
    writeTree(join(above, 'app'), files);
    const [first, second, third] = [none, two, join(above, 'app')].map((project) =>
      readTree(bundleInto('scanner', { entry: join(project, 'jobs.ts') })),
    );
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  });

  it('reports what a job module cannot import with its file, line and the change', () => {
    const project = temporaryProject({ 'jobs.ts': `\nimport { a } from 'not-installed';\na();\n${JOB}` });
    const entry = join(project, 'jobs.ts');
    expect(() => functionContent('scanner', FIXTURE_RUNTIME, { entry }, {})).toThrow(
      expect.objectContaining({
        code: 'BundlingFailed',
        message: expect.stringMatching(
          /jobs\.ts:2:19: Could not resolve "not-installed".*install the package/s,
        ) as string,
      }) as Error,
    );
  });

  it('reports a syntax error and a file without a loader', () => {
    const project = temporaryProject({
      'broken.ts': 'export default {',
      'native.ts': `import './a.node';`,
      'a.node': '',
    });
    const bundle = (file: string) => () =>
      functionContent('scanner', FIXTURE_RUNTIME, { entry: join(project, file) }, {});
    expect(bundle('broken.ts')).toThrow(/broken\.ts:1:17: .*correct the line/);
    expect(bundle('native.ts')).toThrow(/native\.ts:1:8: No loader is configured.*bundling\.loaders.*copiedModules/);
  });

  it('refuses a job module that leads to the CDK', () => {
    const project = temporaryProject({
      'jobs.ts': `import { limit } from './stack'; export default { jobType: 'a', handler: () => limit };`,
      'stack.ts': `import { Stack } from 'aws-cdk-lib'; export const limit = 3; export class MyStack extends Stack {}`,
      'node_modules/aws-cdk-lib/package.json': '{ "name": "aws-cdk-lib", "main": "index.js" }',
      'node_modules/aws-cdk-lib/index.js': 'exports.Stack = class {};',
    });
    expect(() => functionContent('scanner', FIXTURE_RUNTIME, { entry: join(project, 'jobs.ts') }, {})).toThrow(
      /node_modules\/aws-cdk-lib\/index\.js.*\[CdkInJobModule\]/,
    );
  });

  it('warns of a job module that wants decorator metadata', () => {
    const project = temporaryProject({
      'jobs.ts': `import 'reflect-metadata'; ${JOB}`,
      'node_modules/reflect-metadata/package.json': '{ "name": "reflect-metadata", "main": "index.js" }',
      'node_modules/reflect-metadata/index.js': '',
    });
    const { warnings } = functionContent('scanner', FIXTURE_RUNTIME, { entry: join(project, 'jobs.ts') }, {});
    expect(warnings).toEqual([expect.stringContaining('JobCode.fromDirectory')]);
  });
});
