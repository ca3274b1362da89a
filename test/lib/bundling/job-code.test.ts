import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from '@swc/core';
import { functionContent } from '../../../lib/bundling/content';
import { JobCode } from '../../../lib/bundling/job-code';
import { bundleInto, FIXTURE_RUNTIME, invoke, temporaryProject } from './temporary-project';

const PACKAGE_ROOT = dirname(require.resolve('../../../package.json'));

/** What a user writes for a job whose handler works with an injected service. */
const NEST_JOB = `import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { defineJob } from 'cron-fanout/job';

@Injectable()
class Mailer { send(to: string) { return 'mail to ' + to; } }

@Injectable()
class Reminders {
  constructor(private readonly mailer: Mailer) {}
  remind(to: string) { return this.mailer.send(to); }
}

@Module({ providers: [Mailer, Reminders] })
class ReminderModule {}

export default defineJob({
  jobType: 'booking.reminder',
  async *source() { yield { record: { to: 'a guest' }, cursor: 1 }; },
  key: (record) => record.to,
  async handler() {
    const context = await NestFactory.createApplicationContext(ReminderModule, { logger: false });
    return context.get(Reminders).remind('a guest');
  },
});`;

function compileWithMetadata(source: string): string {
  return transformSync(source, {
    module: { type: 'es6' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
  }).code;
}

/** A CommonJS package in the node_modules of a project. */
function installed(name: string, code: string, dependencies: Record<string, string> = {}): Record<string, string> {
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, dependencies }),
    [`node_modules/${name}/index.js`]: code,
  };
}

/** A project that has this repository's packages installed, by a link. */
function linkedProject(files: Record<string, string>): string {
  const project = temporaryProject(files);
  symlinkSync(join(PACKAGE_ROOT, 'node_modules'), join(project, 'node_modules'));
  return project;
}

describe('JobCode', () => {
  it('injects the service of a NestJS module that swc built into a handler', () => {
    const project = linkedProject({
      'package.json': '{ "type": "module" }',
      'dist/jobs/reminders.js': compileWithMetadata(NEST_JOB),
    });
    const code = JobCode.fromDirectory(join(project, 'dist'), { module: 'jobs/reminders.js' });
    const directory = bundleInto('consumer', { code });
    expect(invoke(directory, { jobType: 'booking.reminder' })).toMatchObject({
      answer: { jobTypes: ['booking.reminder'], handled: 'mail to a guest' },
    });
    expect(existsSync(join(directory, 'node_modules/cron-fanout/node_modules'))).toBe(false);
  });

  it('hands a CommonJS module the job API of this package', () => {
    const dist = temporaryProject({
      'jobs.js': `const { defineJob, PermanentError } = require('cron-fanout/job');
exports.default = defineJob({ jobType: 'a', handler: () => new PermanentError('no such booking').name });`,
    });
    const directory = bundleInto('consumer', { code: JobCode.fromDirectory(dist, { module: 'jobs.js' }) });
    expect(invoke(directory, { jobType: 'a' }).answer).toMatchObject({ jobTypes: ['a'], handled: 'PermanentError' });
  });

  it('copies what its modules import from outside, two versions side by side, and nothing else', () => {
    const project = temporaryProject({
      'dist/jobs.js': `const one = require('one'); const two = require('@scope/two/part');
exports.default = { jobType: 'a', handler: () => [one, two] };`,
      ...installed('one', `module.exports = ['one', require('shared')];`, { shared: '1' }),
      ...installed('shared', `module.exports = 'shared 1';`),
      ...installed('@scope/two', '', { shared: '2' }),
      'node_modules/@scope/two/part.js': `module.exports = ['two', require('shared')];`,
      'node_modules/@scope/two/node_modules/shared/package.json': '{ "name": "shared" }',
      'node_modules/@scope/two/node_modules/shared/index.js': `module.exports = 'shared 2';`,
      ...installed('unused', ''),
    });
    const directory = bundleInto('consumer', {
      code: JobCode.fromDirectory(join(project, 'dist'), { module: 'jobs.js' }),
    });
    expect(invoke(directory, { jobType: 'a' }).answer).toMatchObject({
      handled: [
        ['one', 'shared 1'],
        ['two', 'shared 2'],
      ],
    });
    expect(existsSync(join(directory, 'node_modules/unused'))).toBe(false);
  });

  it('packages a node_modules of its own as it is, links followed', () => {
    const store = temporaryProject({
      'inside/package.json': '{ "name": "inside" }',
      'inside/index.js': `module.exports = 'inside';`,
    });
    const dist = temporaryProject({
      'jobs.js': `exports.default = { jobType: 'a', handler: () => require('ins' + 'ide') };`,
    });
    mkdirSync(join(dist, 'node_modules'));
    symlinkSync(join(store, 'inside'), join(dist, 'node_modules/inside'));
    const directory = bundleInto('consumer', { code: JobCode.fromDirectory(dist, { module: 'jobs.js' }) });
    expect(lstatSync(join(directory, 'code/node_modules/inside')).isSymbolicLink()).toBe(false);
    expect(invoke(directory, { jobType: 'a' }).answer).toMatchObject({ handled: 'inside' });
  });

  it('untangles the links of a node_modules that pnpm made', () => {
    const dist = temporaryProject({
      'jobs.js': `exports.default = { jobType: 'a', handler: () => require('one') };`,
      'node_modules/.pnpm/one@1/node_modules/one/package.json': '{ "name": "one", "dependencies": { "two": "1" } }',
      'node_modules/.pnpm/one@1/node_modules/one/index.js': `module.exports = ['one', require('two')];`,
      'node_modules/.pnpm/two@1/node_modules/two/package.json': '{ "name": "two" }',
      'node_modules/.pnpm/two@1/node_modules/two/index.js': `module.exports = 'two';`,
    });
    symlinkSync('.pnpm/one@1/node_modules/one', join(dist, 'node_modules/one'));
    symlinkSync('../../two@1/node_modules/two', join(dist, 'node_modules/.pnpm/one@1/node_modules/two'));
    const directory = bundleInto('consumer', { code: JobCode.fromDirectory(dist, { module: 'jobs.js' }) });
    expect(invoke(directory, { jobType: 'a' }).answer).toMatchObject({ handled: ['one', 'two'] });
    expect(existsSync(join(directory, 'code/node_modules'))).toBe(false);
  });

  it('names a package that is not installed, unless the function has it otherwise', () => {
    const dist = temporaryProject({ 'jobs.js': `require('in-a-layer/part'); exports.default = { jobType: 'a' };` });
    const code = JobCode.fromDirectory(dist, { module: 'jobs.js' });
    const content = (externalModules: string[]) => () =>
      functionContent('scanner', FIXTURE_RUNTIME, { code }, { externalModules });
    expect(content([])).toThrow(/package "in-a-layer".*bundling\.externalModules.*\[JobCodePackageNotFound\]/);
    expect(content(['in-a-layer'])).not.toThrow();
    expect(content(['in-*'])).not.toThrow();
  });

  it('lists what a job module may import from this package', () => {
    const dist = temporaryProject({ 'jobs.js': `require('cron-fanout'); exports.default = { jobType: 'a' };` });
    const code = JobCode.fromDirectory(dist, { module: 'jobs.js' });
    expect(() => functionContent('scanner', FIXTURE_RUNTIME, { code }, {})).toThrow(
      /received cron-fanout; allowed: cron-fanout\/job; .*\[UnknownSubpath\]/,
    );
  });

  it('copies named packages beside a bundled job module', () => {
    const project = temporaryProject({
      'jobs.ts': `import { data } from 'reads-a-file'; export default { jobType: 'a', handler: () => data };`,
      ...installed('reads-a-file', `exports.data = require('fs').readFileSync(__dirname + '/data.txt', 'utf8');`, {
        helper: '1',
      }),
      'node_modules/reads-a-file/data.txt': 'data',
      ...installed('helper', ''),
    });
    const directory = bundleInto('consumer', { entry: join(project, 'jobs.ts') }, { copiedModules: ['reads-a-file'] });
    expect(invoke(directory, { jobType: 'a' }).answer).toMatchObject({ handled: 'data' });
    expect(existsSync(join(directory, 'node_modules/helper/index.js'))).toBe(true);
    expect(() =>
      functionContent('scanner', FIXTURE_RUNTIME, { entry: join(project, 'jobs.ts') }, { copiedModules: ['mistyped'] }),
    ).toThrow(/package "mistyped".*bundling\.copiedModules.*\[PackageNotFound\]/);
  });

  it.each([
    ['not-built', 'jobs.js', 'JobCodeNotFound'],
    ['dist', 'other.js', 'JobModuleNotFound'],
    ['dist', '../outside.js', 'JobModuleNotFound'],
    ['dist', 'jobs.ts', 'JobModuleNotBuilt'],
  ])('refuses module %s/%s with the absolute path', (directory, module, code) => {
    const project = temporaryProject({ 'dist/jobs.ts': '', 'outside.js': '' });
    expect(() => JobCode.fromDirectory(join(project, directory), { module })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(project) as string }) as Error,
    );
  });
});
