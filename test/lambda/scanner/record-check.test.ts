import { z } from 'zod';
import { ErrorTexts } from '../../../lambda/job/error-texts';
import { keyHash } from '../../../lambda/ledger';
import { checkRecord, textOf } from '../../../lambda/scanner/record-check';
import { jobOver } from './fixture';

const check = (parts: Record<string, unknown>, record: unknown = { id: 'a' }) =>
  checkRecord(
    jobOver(() => [], parts),
    record,
    new ErrorTexts(new Map()),
  );
const throwing = (): never => {
  throw new TypeError('no id');
};

describe('checkRecord', () => {
  it('gives key, group and hash; the group is the key by default', async () => {
    expect(await check({})).toMatchObject({ kind: 'keyed', key: 'a', group: 'a', hash: keyHash('job', 'a') });
    expect(await check({ group: () => 'g' })).toMatchObject({ key: 'a', group: 'g' });
  });

  it.each([
    ['key() throws: TypeError: no id', throwing],
    ['key() returns number; allowed: a string', () => 7],
    ['key() returns undefined; allowed: a string', () => undefined],
    ['key() returns null; allowed: a string', () => null],
    ['key() returns object; allowed: a string', () => Promise.resolve('a')],
    ['key() returns 0 characters; allowed: 1 to 1024', () => ''],
    ['key() returns 1025 characters; allowed: 1 to 1024', () => 'x'.repeat(1025)],
    ['key() returns half of a surrogate pair', () => 'a\uD800'],
  ])('refuses a record: %s', async (cause, key) => {
    expect(await check({ key })).toEqual({ kind: 'refused', cause });
  });

  it('refuses a bad group, and tells the key', async () => {
    expect(await check({ group: () => '' })).toMatchObject({
      key: 'a',
      cause: 'group() returns 0 characters; allowed: 1 to 1024',
    });
    expect(await check({ group: throwing })).toEqual({
      kind: 'refused',
      key: 'a',
      cause: 'group() throws: TypeError: no id',
    });
  });

  it('accepts a key of 1,024 characters, emoji included', async () => {
    expect(await check({ key: () => '🛫'.repeat(512) })).toMatchObject({ kind: 'keyed' });
  });

  it('refuses what the schema refuses, with key, path and message', async () => {
    const schema = z.object({ id: z.string(), seats: z.object({ row: z.number() }) });
    const result = await check({ schema }, { id: 'a', seats: { row: 'x' } });
    expect(result).toMatchObject({ kind: 'refused', key: 'a' });
    expect('cause' in result && result.cause).toMatch(/^the schema refuses it: seats\.row: /);
  });

  it('hands on what the schema made of a record', async () => {
    const schema = z.object({ id: z.string().trim(), seats: z.number().default(1) });
    expect(await check({ schema }, { id: ' a ', more: true })).toMatchObject({
      key: 'a',
      payload: { id: 'a', seats: 1 },
    });
  });

  it('refuses a record whose schema cannot take its own result: the consumer checks again', async () => {
    const schema = z.object({ id: z.string(), seats: z.string().transform(Number) });
    const result = await check({ schema }, { id: 'a', seats: '3' });
    expect('cause' in result && result.cause).toMatch(/^the schema refuses what it made of it itself.*seats: /);
  });

  it('awaits an asynchronous schema, and survives one that throws', async () => {
    const standard = (validate: unknown): unknown => ({ '~standard': { version: 1, vendor: 'test', validate } });
    expect(await check({ schema: standard(async () => ({ value: { id: 'b' } })) })).toMatchObject({ key: 'b' });
    expect(await check({ schema: standard(throwing) })).toMatchObject({
      key: 'a',
      cause: 'the schema throws: TypeError: no id',
    });
    const issues = [{ message: 'one' }, { message: 'two', path: [{ key: 'x' }, 0] }];
    expect(await check({ schema: standard(() => ({ issues })) })).toMatchObject({
      cause: 'the schema refuses it: one; x.0: two',
    });
  });

  it('refuses a record without a key where schema and key() both fail', async () => {
    const result = await check({ schema: z.string(), key: throwing }, 7);
    expect(result).toMatchObject({ kind: 'refused' });
    expect(result).not.toHaveProperty('key');
  });

  it('cuts a long cause', async () => {
    const schema = z.string().refine(() => false, 'x'.repeat(5000));
    const result = await check({ schema, key: () => 'a' }, 'a');
    expect('cause' in result && result.cause.length).toBe(300);
  });
});

describe('textOf', () => {
  it.each([
    ['TypeError: no', new TypeError('no')],
    ['undefined', undefined],
    ['text', 'text'],
    ['a value that has no text', Object.create(null) as unknown],
  ])('says %s', (text, thrown) => {
    expect(textOf(thrown)).toBe(text);
  });
});
