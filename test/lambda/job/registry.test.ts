import { CronFanoutError } from '../../../lambda/contract';
import { defineJob } from '../../../lambda/job';
import { JOB_BRAND } from '../../../lambda/job/job';
import { collectJobs, findJob } from '../../../lambda/job/registry';

const job = (jobType: string) =>
  defineJob({
    jobType,
    async *source() {
      yield { record: { id: 'a' }, cursor: 'a' };
    },
    key: (record) => record.id,
    handler: () => undefined,
  });

const codeOf = (action: () => unknown): string | undefined => {
  try {
    action();
    return undefined;
  } catch (error) {
    return error instanceof CronFanoutError ? error.code : String(error);
  }
};

describe('collectJobs', () => {
  it('finds a default export, named exports and arrays', () => {
    const jobs = collectJobs({ default: [job('a'), job('b')], named: job('c'), other: 42, nothing: null });
    expect([...jobs.keys()]).toEqual(['a', 'b', 'c']);
  });

  it('finds the exports of a CommonJS module that an ES module imports', () => {
    const a = job('a');
    expect([...collectJobs({ default: { default: a, __esModule: true }, a }).keys()]).toEqual(['a']);
  });

  it('counts a job that is exported twice once', () => {
    const a = job('a');
    expect(collectJobs({ default: a, named: a }).size).toBe(1);
  });

  it('recognises a job of another copy of the package by its brand', () => {
    const foreign = { jobType: 'foreign', [Symbol.for('cron-fanout.job')]: true };
    expect([...collectJobs({ foreign }).keys()]).toEqual(['foreign']);
    expect(JOB_BRAND).toBe(Symbol.for('cron-fanout.job'));
  });

  it('rejects two jobs of one jobType', () => {
    expect(codeOf(() => collectJobs({ a: job('same'), b: job('same') }))).toBe('DuplicateJobType');
  });

  it('rejects a module without a job, and lists what it exports', () => {
    expect(codeOf(() => collectJobs({ handler: () => undefined }))).toBe('NoJobs');
    expect(() => collectJobs({ handler: 1, helper: 2 })).toThrow('received handler, helper');
  });

  it.each(['', 'with space', 'with#hash', '.hidden', 'x'.repeat(65)])('rejects the jobType %j', (jobType) => {
    expect(codeOf(() => collectJobs({ a: job(jobType) }))).toBe('InvalidJobType');
  });

  it.each(['a', 'booking.reminder', 'x'.repeat(64), '0-1_2.3'])('accepts the jobType %j', (jobType) => {
    expect(collectJobs({ a: job(jobType) }).has(jobType)).toBe(true);
  });

  it('finds a job by its aliases, and counts it once', () => {
    const renamed = { ...job('new'), aliases: ['old', 'older'] };
    const jobs = collectJobs({ renamed });
    expect([...jobs.keys()]).toEqual(['new']);
    expect(['new', 'old', 'older', 'other'].map((name) => findJob(jobs, name)?.jobType)).toEqual([
      'new',
      'new',
      'new',
      undefined,
    ]);
  });

  it.each([
    ['the jobType of another job', ['b']],
    ['its own jobType', ['a']],
    ['twice the same', ['c', 'c']],
    ['the alias of another job', ['taken']],
  ])('refuses an alias that is %s', (_, aliases) => {
    const jobs = [
      { ...job('b'), aliases: ['taken'] },
      { ...job('a'), aliases },
    ];
    expect(codeOf(() => collectJobs({ jobs }))).toBe('DuplicateAlias');
  });

  it('refuses an alias that can be no jobType', () => {
    expect(codeOf(() => collectJobs({ job: { ...job('a'), aliases: ['b#c'] } }))).toBe('InvalidJobType');
  });

  it.each([
    ['0', { payloadVersion: 0 }],
    ['a fraction', { payloadVersion: 1.5 }],
    ['a text', { payloadVersion: '2' }],
    ['upgrade without a version above 1', { upgrade: () => ({ id: 'a' }) }],
  ])('refuses as payloadVersion: %s', (_, parts) => {
    expect(codeOf(() => collectJobs({ job: { ...job('a'), ...parts } }))).toBe('InvalidPayloadVersion');
  });

  it('refuses payloadSchema without queuePayload, and takes it with one', () => {
    const payloadSchema = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } };
    expect(codeOf(() => collectJobs({ job: { ...job('a'), payloadSchema } }))).toBe('InvalidPayloadSchema');
    const projected = { ...job('a'), payloadSchema, queuePayload: () => 'a' };
    expect([...collectJobs({ projected }).keys()]).toEqual(['a']);
  });
});
