import { createHash } from 'node:crypto';
import { HashedKeysLogger } from '../../../lambda/adapters/hashed-keys-logger';
import { PowertoolsLogger } from '../../../lambda/adapters/powertools-logger';
import { createRuntime } from '../../../lambda/adapters/runtime';
import { ENVIRONMENT } from '../../../lambda/contract';
import { PermanentError } from '../../../lambda/job';
import { CONFIGURATION, Harness, job, JOB, message } from '../consumer/harness';
import { MemoryLogger } from '../consumer/fakes';

/** As somebody would make it who knows a key and looks for its lines. */
const hash = (jobType: string, key: string): string =>
  `hash:${createHash('sha256').update(`key\u0000${jobType}\u0000${key}`).digest('hex').slice(0, 16)}`;

describe('a log with hashed keys', () => {
  it.each(['debug', 'info', 'warn', 'error'] as const)('writes a key as its hash, at %s', (level) => {
    const kept = new MemoryLogger();
    new HashedKeysLogger(kept)[level]('an attempt failed', { runId: 'r', jobType: 'a', key: 'anna@example.com' });
    expect(kept.lines).toEqual([
      { level, message: 'an attempt failed', fields: { runId: 'r', jobType: 'a', key: hash('a', 'anna@example.com') } },
    ]);
  });

  it('knows the job type from the fields that came before', () => {
    const kept = new MemoryLogger();
    const logger = new HashedKeysLogger(kept).with({ jobType: 'a', key: 'outer' });
    logger.with({ runId: 'r' }).info('x', { key: 'inner' });
    expect(kept.lines[0]!.fields).toEqual({ runId: 'r', jobType: 'a', key: hash('a', 'inner') });
    logger.info('x');
    expect(kept.lines[1]!.fields).toMatchObject({ key: hash('a', 'outer') });
  });

  it('finds keys in lists of records, and leaves everything else as it is', () => {
    const kept = new MemoryLogger();
    const error = Object.assign(new Error('no'), { key: 'mine' });
    const fields = {
      first: [{ key: 'x', cause: 'its key is bad' }],
      messages: [{ messageId: 'm', jobType: 'b', key: 'y' }],
      error,
      keys: 3,
      key: 7,
    };
    new HashedKeysLogger(kept).with({ jobType: 'a' }).warn('records were rejected', fields);
    expect(kept.lines[0]!.fields).toEqual({
      jobType: 'a',
      ...fields,
      first: [{ key: hash('a', 'x'), cause: 'its key is bad' }],
      messages: [{ messageId: 'm', jobType: 'b', key: hash('b', 'y') }],
    });
    expect(kept.lines[0]!.fields.error).toBe(error);
  });

  it('gives equal keys of two job types different hashes', () => {
    expect(hash('a', 'x')).not.toBe(hash('b', 'x'));
  });

  it.each([
    ['hashed', HashedKeysLogger],
    [undefined, PowertoolsLogger],
  ] as const)('is what a function has with logKeys %s', (logKeys, expected) => {
    const { logger } = createRuntime({
      [ENVIRONMENT.fanoutId]: 'F',
      [ENVIRONMENT.stateTable]: 'state',
      [ENVIRONMENT.queueUrl]: 'http://127.0.0.1:1/0/work.fifo',
      [ENVIRONMENT.configuration]: JSON.stringify({ ...CONFIGURATION, logKeys }),
    });
    expect(logger).toBeInstanceOf(expected);
  });

  it('is what the handlers of jobs write to as well', async () => {
    const kept = new MemoryLogger();
    const handler = (_: unknown, { log }: { readonly log: { info: (text: string) => void } }): never => {
      log.info('from the job');
      throw new PermanentError('no such address');
    };
    const harness = await new Harness([job(handler)], { logger: new HashedKeysLogger(kept) }).seed([1]);
    await harness.deliver([message({ key: 'anna@example.com' })]);
    expect(kept.lines.map(({ message: text }) => text)).toContain('from the job');
    expect(kept.lines.filter(({ fields }) => fields.key === hash(JOB, 'anna@example.com')).length).toBeGreaterThan(2);
    expect(JSON.stringify(kept.lines)).not.toContain('anna');
  });
});
