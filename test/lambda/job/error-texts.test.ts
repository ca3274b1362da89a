import fc from 'fast-check';
import { CronFanoutError } from '../../../lambda/contract';
import { ErrorTexts } from '../../../lambda/job/error-texts';
import type { AnyJob } from '../../../lambda/job/job';
import { JOB_BRAND } from '../../../lambda/job/job';
import { KnownSecrets } from '../../../lambda/job/known-secrets';
import { collectJobs } from '../../../lambda/job/registry';
import { TellingLogger } from '../../../lambda/job/telling-logger';
import { MemoryLogger } from '../consumer/fakes';

const jobWith = (redact?: unknown, jobType = 'job'): AnyJob =>
  ({ jobType, redact, source: () => [], key: String, handler: () => undefined, [JOB_BRAND]: true }) as never;

const textsOf = (...jobs: AnyJob[]): ErrorTexts => new ErrorTexts(collectJobs({ jobs }));

const noDigits = (text: string): string => text.replaceAll(/\d/g, '#');

describe('redact', () => {
  it('is given name, message and stack, and its answers are what is kept', () => {
    const job = jobWith(noDigits);
    const error = Object.assign(new TypeError('card 4111'), { stack: 'TypeError: card 4111\n    at x.ts:12' });
    expect(textsOf(job).describe(error, job)).toEqual({
      name: 'TypeError',
      message: 'card ####',
      stack: 'TypeError: card ####\n    at x.ts:##',
    });
    expect(textsOf(job).line(error, job)).toBe('TypeError: card ####');
    expect(textsOf(job).line('card 4111', job)).toBe('card ####');
    expect(textsOf(job).text('card 4111', job)).toBe('card ####');
  });

  it('leaves texts as they are where the job has none', () => {
    const job = jobWith();
    expect(textsOf(job).describe(new Error('card 4111'), job)).toMatchObject({ name: 'Error', message: 'card 4111' });
  });

  it.each<[string, string, () => unknown]>([
    [
      'throws',
      'redact of the job threw',
      () => {
        throw new Error('in redact');
      },
    ],
    ['answers undefined', 'redact of the job answered undefined', () => undefined],
    ['answers null', 'redact of the job answered null', () => null],
    ['answers a promise', 'redact of the job answered object', () => Promise.resolve('text')],
  ])('that %s: the name of the error alone is kept', (_, why, redact) => {
    const job = jobWith(redact);
    const texts = textsOf(job);
    expect(texts.describe(new RangeError('card 4111'), job)).toEqual({
      name: 'RangeError',
      message: `(not told: ${why})`,
    });
    // A name that is no name may be data.
    expect(texts.describe({ name: 'card 4111', message: 'm' }, job).name).toBe('Error');
    expect(texts.text('card 4111', job)).toBe(`(not told: ${why})`);
    expect(texts.line(new RangeError('card 4111'), job)).toBe(`RangeError: (not told: ${why})`);
  });

  it('of every job is asked where it is not known whose error it is', () => {
    const jobs = [jobWith(noDigits, 'a'), jobWith(undefined, 'b'), jobWith((text: string) => text.toUpperCase(), 'c')];
    expect(textsOf(...jobs).describe(new Error('card 4111'))).toMatchObject({ message: 'CARD ####' });
    expect(textsOf(...jobs).describe(new Error('card 4111'), jobs[1])).toMatchObject({ message: 'card 4111' });
  });

  it('is given no more than 64 Ki characters, and 16 Ki of its answer are kept', () => {
    const lengths: number[] = [];
    const job = jobWith((text: string) => {
      lengths.push(text.length);
      return text;
    });
    expect(textsOf(job).describe({ message: 'x'.repeat(1_000_000) }, job).message).toHaveLength(16_384);
    expect(Math.max(...lengths)).toBe(65_536);
  });

  it('whatever is thrown, and whatever redact does, something is told and nothing is thrown', () => {
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withBigInt: true }),
        fc.option(fc.func(fc.anything()), { nil: undefined }),
        (thrown, redact) => {
          const job = jobWith(redact);
          const { name, message, stack = '' } = textsOf(job).describe(thrown, job);
          expect([typeof name, typeof message, typeof stack]).toEqual(['string', 'string', 'string']);
          expect(textsOf(job).toThrow(thrown)).toBeInstanceOf(Error);
        },
      ),
    );
  });
});

describe('an error that leaves the function', () => {
  it('has name, message, stack, code and causes as they may be told, and no other member', () => {
    const cause = Object.assign(new TypeError('card 4111'), { detail: 'Key (card)=(4111) exists', code: '23505' });
    const error = new CronFanoutError('SourceFailed', {
      ...{ what: 'source', received: 'card 4111', allowed: 'a source', change: 'mend it' },
      cause,
    });
    const told = textsOf(jobWith(noDigits)).toThrow(error);
    expect(told).toMatchObject({ name: 'CronFanoutError', code: 'SourceFailed' });
    expect(told.message).toBe('source: received card ####; allowed: a source; mend it [SourceFailed]');
    expect(told.cause).toMatchObject({ name: 'TypeError', message: 'card ####' });
    expect(Object.keys(told)).toEqual(['code']);
    expect(Object.keys(told.cause as object)).toEqual([]);
    expect(`${told.stack}${(told.cause as Error).stack}`).not.toContain('4111');
  });

  it('keeps three causes of causes, so that a circle ends', () => {
    const error = new Error('round') as Error & { cause?: unknown };
    error.cause = error;
    let depth = 0;
    for (let at: unknown = textsOf(jobWith()).toThrow(error); at instanceof Error; at = at.cause) {
      depth += 1;
    }
    expect(depth).toBe(4);
  });
});

describe('KnownSecrets', () => {
  const known = async (...values: string[]): Promise<KnownSecrets> => {
    const secrets = new KnownSecrets({ read: (name) => Promise.resolve(values[Number(name)] ?? '') });
    for (const place of values.keys()) {
      await secrets.read(String(place));
    }
    return secrets;
  };

  it('hides what was read, and says which secret it was', async () => {
    const secrets = await known('hunter-22');
    expect(secrets.mask('login with hunter-22 refused: hunter-22')).toBe('login with [secret 0] refused: [secret 0]');
    expect(await secrets.read('0')).toBe('hunter-22');
  });

  it('hides the texts in a secret that is a JSON object, in their escaped form too', async () => {
    const secrets = await known(
      JSON.stringify({ username: 'app_user', password: 'p@ss/word', port: 5432, db: 'shop' }),
    );
    expect(secrets.mask('postgres://app_user:p%40ss%2Fword@db:5432/shop, password p@ss/word')).toBe(
      'postgres://[secret 0.username]:[secret 0.password]@db:5432/shop, password [secret 0.password]',
    );
  });

  it('hides the longer of two that contain each other', async () => {
    expect((await known('secret', 'secret-longer')).mask('a secret-longer b secret')).toBe('a [secret 1] b [secret 0]');
  });

  it('takes values for what they are, whatever they hold', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ minLength: 6 }), fc.string(), fc.string(), async (value, before, after) => {
        const secrets = await known(value);
        expect(secrets.mask(before + value + after)).toContain('[secret 0]');
        const rest = secrets.mask(before + value + after).split('[secret 0]');
        expect(rest.filter((part) => part.includes(value))).toEqual([]);
      }),
    ));

  it('does not look for short texts: they are everywhere', async () => {
    expect((await known('admin', '', 'null', '[]', '"text"')).mask('admin null [] "text"')).toBe(
      'admin null [] [secret 4]',
    );
  });

  it('survives what no URL can hold', async () => {
    expect((await known('half \uD800 pair')).mask('a half \uD800 pair')).toBe('a [secret 0]');
  });

  it('remembers nothing of a read that failed', async () => {
    const secrets = new KnownSecrets({ read: () => Promise.reject(new Error('no such secret')) });
    await expect(secrets.read('DB')).rejects.toThrow('no such secret');
    expect(secrets.mask('no such secret')).toBe('no such secret');
  });

  it('is hidden before redact is asked', async () => {
    const job = jobWith(noDigits);
    const texts = new ErrorTexts(collectJobs({ job }), (await known('hunter-22')).mask);
    expect(texts.describe(new Error('hunter-22'), job).message).toBe('[secret #]');
  });
});

describe('TellingLogger', () => {
  it('writes errors as they may be told, without the members that clients hang on them', () => {
    const inner = new MemoryLogger();
    const log = new TellingLogger(inner, textsOf(jobWith(noDigits)));
    const error = Object.assign(new Error('card 4111'), { config: { headers: { authorization: 'Bearer x' } } });
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      log.with({ failure: error, runId: 'r1' })[level]('said', { error, count: 1 });
      log[level]('alone');
    }
    const told = { name: 'Error', message: 'card ####', stack: expect.any(String) as string };
    expect(inner.lines.map(({ level }) => level)).toEqual(['debug', 'info', 'warn', 'error'].flatMap((l) => [l, l]));
    expect(inner.lines[0]?.fields).toEqual({ failure: told, runId: 'r1', error: told, count: 1 });
    expect(JSON.stringify(inner.lines)).not.toMatch(/Bearer|4111/);
  });
});
