import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { CronFanout, JobCode } from '../../../lib';
import type { CronFanoutProps } from '../../../lib';
import { findEntry } from '../../../lib/bundling/entry';
import { findJobs, knownJobTypes } from '../../../lib/bundling/find-jobs';
import { ENTRY, MINIMAL, testApp, testStack, thrownBy } from '../fanout-stack';
import { temporaryProject } from './temporary-project';

const API = `import { defineJob } from 'cron-fanout/job';\n`;
/** A module that can never run: whoever executes it sees this test fail. */
const NEVER_RUN = `throw new Error('the job module was executed');\n`;

function entryOf(code: string, files: Readonly<Record<string, string>> = {}): string {
  const directory = temporaryProject({ 'package.json': '{}', 'jobs.ts': API + code + '\n' + NEVER_RUN, ...files });
  return join(directory, 'jobs.ts');
}

const typesOf = (code: string, files?: Readonly<Record<string, string>>): readonly string[] | undefined =>
  knownJobTypes({ entry: entryOf(code, files) }, {});
const refusal = (code: string, files?: Readonly<Record<string, string>>) => thrownBy(() => typesOf(code, files));

const TYPES = {
  'types.ts': `export const TYPES = { a: 'one.a', b: 'one.b' } as const;\nexport enum Kind { C = 'one.c' }\n`,
};

describe('the jobs of a module, found without running it', () => {
  it.each<[string, string, readonly string[]]>([
    ['a default export', `export default defineJob({ jobType: 'a' });`, ['a']],
    ['a constant that is exported later', `const job = defineJob({ jobType: 'a' }); export default job;`, ['a']],
    ['named exports', `export const a = defineJob({ jobType: 'a' }), b = defineJob({ jobType: 'b' });`, ['a', 'b']],
    ['one that is exported twice', `export const a = defineJob({ jobType: 'a' }); export default a;`, ['a']],
    ['a list', `const a = defineJob({ jobType: 'a' }); export default [a, defineJob({ jobType: 'b' })];`, ['a', 'b']],
    ['a list in a list', `const l = [defineJob({ jobType: 'a' })]; export default [...l];`, ['a']],
    ['members of an object', `export default { a: defineJob({ jobType: 'a' }), about: 1 };`, ['a']],
    ['types and casts', `export default (defineJob({ jobType: 'a' as const }) satisfies object) as unknown;`, ['a']],
    ['a template', `const t = 'a'; export default defineJob({ jobType: \`x.\${t}.\${'y'}\` });`, ['x.a.y']],
    ['a sum', `const t = 'a'; export default defineJob({ jobType: t + '.b' });`, ['a.b']],
    [
      'constants of another file',
      `import { TYPES } from './types'; export default defineJob({ jobType: TYPES.b });`,
      ['one.b'],
    ],
    ['an enum', `import { Kind } from './types'; export default defineJob({ jobType: Kind.C });`, ['one.c']],
    ['a definition of its own', `const d = { jobType: 'a' }; export default defineJob({ ...d, jobType: 'b' });`, ['b']],
    [
      'beside functions, classes and values',
      `export default defineJob({ jobType: 'a' }); export function f() {} export class K {} export const n = 1, g = () => 1;`,
      ['a'],
    ],
    [
      'beside types',
      `export default defineJob({ jobType: 'a' }); export type T = string; export interface I {}`,
      ['a'],
    ],
    [
      'another name of defineJob',
      `import { defineJob as d } from 'cron-fanout/job'; export default d({ jobType: 'a' });`,
      ['a'],
    ],
    [
      'a member of the whole API',
      `import * as api from 'cron-fanout/job'; export default api.defineJob({ jobType: 'a' });`,
      ['a'],
    ],
    [
      'one that is not exported',
      `const other = defineJob({ jobType: 'x' }); export default defineJob({ jobType: 'a' });`,
      ['a'],
    ],
  ])('are known: %s', (_, code, expected) => {
    expect(typesOf(code, TYPES)).toEqual(expected);
  });

  it('are known from other files of the project', () => {
    const files = { 'more.ts': `${API}export const b = defineJob({ jobType: 'b' });` };
    expect(typesOf(`export * from './more'; export default defineJob({ jobType: 'a' });`, files)).toEqual(['b', 'a']);
  });

  it.each<[string, string]>([
    ['a jobType that is computed', `export default defineJob({ jobType: process.env.JOB ?? 'a' });`],
    ['a jobType that may change', `let t = 'a'; t = 'b#'; export default defineJob({ jobType: t });`],
    ['a jobType of a spread', `const d = { jobType: 'a' }; export default defineJob({ jobType: '#', ...d });`],
    ['a computed property', `const k = 'jobType'; export default defineJob({ jobType: '#', [k]: 'a' });`],
    [
      'a jobType of a list that may change',
      `const t = ['#']; t.push('a'); export default defineJob({ jobType: t[0] });`,
    ],
    [
      'members that may change',
      `const T = { a: '#' }; Object.assign(T, { a: 'a' }); export default defineJob({ jobType: T.a });`,
    ],
    ['members that are assigned', `const T = { a: '#' }; T.a = 'a'; export default defineJob({ jobType: T.a });`],
    ['a helper', `const job = (t: string) => defineJob({ jobType: t }); export default job('#');`],
    [
      'a list that grows',
      `const l = [defineJob({ jobType: 'a' })]; l.push(defineJob({ jobType: 'a' })); export default l;`,
    ],
    [
      'a list that grows under another name',
      `const l = [] as unknown[]; const m = l; m.push(defineJob({ jobType: 'a' })); export default l;`,
    ],
    ['what a loop fills', `const o: Record<string, unknown> = {}; for (o.a of [1]) {} export default o;`],
    ['what a package exports', `export * from 'jobs-of-others';`],
    ['a name of a package', `export { job } from 'jobs-of-others';`],
    ['a defineJob of somebody else', `import { defineJob as d } from 'other'; export default d({ jobType: '#' });`],
    ['an instance', `class Jobs { a = 1 } export default new Jobs();`],
    ['a choice', `export default process.env.X ? defineJob({ jobType: 'a' }) : undefined;`],
  ])('are not known, and nothing is said: %s', (_, code) => {
    expect(typesOf(code)).toBeUndefined();
  });

  it('are not known of what the parser refuses, which is for esbuild to refuse', () => {
    expect(typesOf(`export default defineJob({ jobType: '#', pattern: /(/ });`)).toBeUndefined();
  });

  it('are not known of CommonJS', () => {
    const directory = temporaryProject({
      'package.json': '{}',
      'jobs.cjs': `const { defineJob } = require('cron-fanout/job'); module.exports = defineJob({ jobType: '#' });`,
    });
    expect(knownJobTypes({ entry: join(directory, 'jobs.cjs') }, {})).toBeUndefined();
  });

  it('are known of code that is built already, if it is an ES module', () => {
    const directory = temporaryProject({
      'package.json': '{"type":"module"}',
      'jobs.js': `${API}export default defineJob({ jobType: 'a' });\n${NEVER_RUN}`,
    });
    expect(knownJobTypes({ code: JobCode.fromDirectory(directory, { module: 'jobs.js' }) }, {})).toEqual(['a']);
  });

  it('keep what the bundling options say', () => {
    const files = { 'name.txt': 'from-a-file', 'lib/types.ts': `export const T = 'by.path';` };
    const entry = entryOf(
      `import name from './name.txt'; import { T } from '@types/names'; declare const STAGE: string;
       export const a = defineJob({ jobType: name }), b = defineJob({ jobType: STAGE }), c = defineJob({ jobType: T });`,
      { ...files, 'paths.json': '{"compilerOptions":{"paths":{"@types/names":["./lib/types.ts"]}}}' },
    );
    const options = { define: { STAGE: '"defined"' }, tsconfig: join(entry, '../paths.json') };
    expect(findJobs(findEntry(entry), options).jobs.map(({ jobType }) => jobType)).toEqual([
      'from-a-file',
      'defined',
      'by.path',
    ]);
  });
});

describe('what the functions would refuse when they are loaded', () => {
  it.each<[string, string, string, RegExp]>([
    [
      'no exports',
      `defineJob({ jobType: 'a' });`,
      'NoJobs',
      /^exports of the job module .*jobs\.ts: received nothing .*export default defineJob/,
    ],
    [
      'no job among the exports',
      `export const n = 1; export default () => 1;`,
      'NoJobs',
      /nothing that is made with defineJob/,
    ],
    [
      'a default export that only looks like a job',
      `export default { jobType: 'a', handler: () => 1 };`,
      'NoJobs',
      /defineJob/,
    ],
    ['an empty list', `export default [];`, 'NoJobs', /defineJob/],
    [
      'an illegal jobType',
      `export default defineJob({ jobType: 'a#b' });`,
      'InvalidJobType',
      /jobType in job module .*"a#b".*1 to 64/s,
    ],
    ['a jobType that is empty', `export default defineJob({ jobType: '' });`, 'InvalidJobType', /""/],
    [
      'a jobType of 65 characters',
      `export default defineJob({ jobType: '${'x'.repeat(65)}' });`,
      'InvalidJobType',
      /x{65}/,
    ],
    [
      'an illegal alias',
      `export default defineJob({ jobType: 'a', aliases: ['a b'] });`,
      'InvalidJobType',
      /alias of job "a".*"a b"/s,
    ],
    [
      'the same jobType twice',
      `export const a = defineJob({ jobType: 'a' }); export const b = defineJob({ jobType: 'a' });`,
      'DuplicateJobType',
      /"a"/,
    ],
    [
      'the same jobType twice, with one that is not known',
      `export default [defineJob({ jobType: 'a' }), defineJob({ jobType: process.env.X }), defineJob({ jobType: 'a' })];`,
      'DuplicateJobType',
      /"a"/,
    ],
    [
      'an alias that is a jobType',
      `export const a = defineJob({ jobType: 'a', aliases: ['b'] }); export const b = defineJob({ jobType: 'b' });`,
      'DuplicateAlias',
      /"b", which is also a jobType/,
    ],
    [
      'an alias of two jobs',
      `export const a = defineJob({ jobType: 'a', aliases: ['c'] }); export const b = defineJob({ jobType: 'b', aliases: ['c'] });`,
      'DuplicateAlias',
      /"c", which is also another alias/,
    ],
    [
      'an alias that is its own jobType',
      `export default defineJob({ jobType: 'a', aliases: ['a'] });`,
      'DuplicateAlias',
      /"a"/,
    ],
  ])('is refused: %s', (_, code, expected, message) => {
    const error = refusal(code);
    expect(error.code).toBe(expected);
    expect(error.message).toMatch(message);
  });

  it.each<[string, string, readonly string[]]>([
    ['a jobType of 64 characters', `export default defineJob({ jobType: '${'x'.repeat(64)}' });`, ['x'.repeat(64)]],
    ['an alias of its own', `export default defineJob({ jobType: 'a', aliases: ['b', 'c'] });`, ['a']],
    ['aliases that are not known', `export default defineJob({ jobType: 'a', aliases: [process.env.X, 'a'] });`, ['a']],
    [
      'aliases of a spread',
      `const d = { aliases: ['a'] }; export default defineJob({ aliases: ['#'], ...d, jobType: 'a' });`,
      ['a'],
    ],
  ])('is accepted: %s', (_, code, expected) => {
    expect(typesOf(code)).toEqual(expected);
  });
});

describe('the jobs that a fanout has policies for', () => {
  const BUNDLED = { 'aws:cdk:bundling-stacks': ['**'] };
  const construct = (entry: string, jobs: CronFanoutProps['jobs'] & object, context = BUNDLED): CronFanout =>
    new CronFanout(testStack({}, testApp({ context })), 'Reminders', {
      ...MINIMAL,
      entry,
      jobs,
      bundling: { externalModules: ['cron-fanout/job'] },
    });
  const both = `export const a = defineJob({ jobType: 'a', aliases: ['old'] }); export const b = defineJob({ jobType: 'b' });`;

  it('must be jobs of the module, which are listed', () => {
    const error = thrownBy(() => construct(entryOf(both), { a: {}, c: {} }));
    expect(error.code).toBe('UnknownJobType');
    expect(error.message).toMatch(/^jobs\["c"\]: received a jobType .*allowed: "a", "b"/);
    expect(() => construct(entryOf(both), { a: {}, b: {} })).not.toThrow();
  });

  it('are not aliases, which have the policies of their job', () => {
    expect(thrownBy(() => construct(entryOf(both), { old: {} })).code).toBe('UnknownJobType');
  });

  it('may be any where the jobs are not all known, or nothing is bundled', () => {
    const unknown = entryOf(`export const a = defineJob({ jobType: 'a' }); export * from 'node:path';`);
    expect(() => construct(unknown, { c: {} })).not.toThrow();
    const stack = new Stack(testApp(), 'Skipped');
    const schedule = ScheduleExpression.at(new Date('2030-01-01T00:00:00Z'));
    expect(() => new CronFanout(stack, 'R', { entry: ENTRY, schedule, jobs: { c: {} } })).not.toThrow();
  });

  it('are checked with a module that exports no job', () => {
    expect(thrownBy(() => construct(entryOf(`export const n = 1;`), {})).code).toBe('NoJobs');
  });
});
