import { z } from 'zod';
import type { KeysItem } from '../../../lambda/contract';
import { Fixture, jobOver, laterTick, queueDyingAt } from './fixture';

interface Invoice {
  readonly id: string;
  readonly customer: string;
  readonly issuedAt: Date;
}

const invoice = (place: number): Invoice => ({
  id: `i${place}`,
  customer: `c${place % 2}`,
  issuedAt: new Date(Date.UTC(2026, 0, 1 + place)),
});

const fixtureOf = (parts: Record<string, unknown>, records: readonly unknown[] = [0, 1, 2].map(invoice)): Fixture =>
  new Fixture({ jobs: [jobOver(() => records, { queuePayload: ({ id }: Invoice) => id, ...parts })] });

const rejectedBy = async (fixture: Fixture): Promise<KeysItem['rejected']> =>
  (await fixture.keysItem(0))?.rejected ?? [];

describe('queuePayload', () => {
  it('is what goes into the queue; key, group and version are those of the record and its job', async () => {
    const group = ({ customer }: Invoice): string => customer;
    const fixture = fixtureOf({ group, payloadVersion: 3 });
    expect(await fixture.invoke()).toMatchObject({ outcome: 'scanned', counts: { enqueued: 3, rejected: 0 } });
    expect(fixture.queue.envelopes()).toEqual([
      expect.objectContaining({ key: 'i0', group: 'c0', payload: 'i0', payloadVersion: 3 }),
      expect.objectContaining({ key: 'i1', group: 'c1', payload: 'i1', payloadVersion: 3 }),
      expect.objectContaining({ key: 'i2', group: 'c0', payload: 'i2', payloadVersion: 3 }),
    ]);
  });

  it('may be null: the key is in the message anyway', async () => {
    const fixture = fixtureOf({ queuePayload: () => null });
    await fixture.invoke();
    expect(fixture.queue.envelopes().map(({ payload }) => payload)).toEqual([null, null, null]);
  });

  it.each<[string, string, unknown]>([
    ['throws', 'queuePayload() throws: TypeError: no such field', new TypeError('no such field')],
    ['throws what is no error', 'queuePayload() throws: {}', Object.create(null)],
  ])('that %s rejects that record alone, with key and cause', async (_, cause, thrown) => {
    const fixture = fixtureOf({
      queuePayload: ({ id }: Invoice) => {
        if (id === 'i1') {
          throw thrown;
        }
        return id;
      },
    });
    expect(await fixture.invoke()).toMatchObject({ outcome: 'scanned', counts: { enqueued: 2, rejected: 1 } });
    expect(fixture.queue.keys()).toEqual(['i0', 'i2']);
    expect(await rejectedBy(fixture)).toEqual([{ key: 'i1', cause }]);
  });

  it.each<[string, string, unknown]>([
    ['nothing', '$: JSON has no undefined here', undefined],
    ['a promise', '$: JSON has no Promise', Promise.resolve('i1')],
    ['a Date', '$.at: JSON has no Date: yield date.toISOString()', { at: new Date(0) }],
    ['too much', 'its message has', 'x'.repeat(1_040_000)],
  ])('that answers %s rejects that record alone', async (_, cause, answer) => {
    const fixture = fixtureOf({ queuePayload: ({ id }: Invoice) => (id === 'i1' ? answer : id) });
    await fixture.invoke();
    expect(fixture.queue.keys()).toEqual(['i0', 'i2']);
    expect(await rejectedBy(fixture)).toEqual([{ key: 'i1', cause: expect.stringContaining(cause) as string }]);
  });

  it('decides over the size: a record may be larger than a message', async () => {
    const records = [{ id: 'large', scan: Buffer.alloc(2_000_000, 'x').toString() }, { id: 'small' }];
    const whole = fixtureOf({ queuePayload: undefined }, records);
    expect((await whole.invoke()).counts).toMatchObject({ enqueued: 1, rejected: 1 });
    const [refused] = await rejectedBy(whole);
    expect(refused?.cause).toMatch(/2000\d+ bytes; allowed: 1032192 \(let queuePayload leave out/);
    expect((await fixtureOf({}, records).invoke()).counts).toMatchObject({ enqueued: 2, rejected: 0 });
  });

  it('is not part of what makes a record the same: one in flight is skipped whatever is queued of it', async () => {
    const records = [invoice(0)];
    const fixture = fixtureOf({ queuePayload: ({ issuedAt }: Invoice) => issuedAt.getTime() }, records);
    await fixture.invoke();
    records[0] = { ...invoice(0), issuedAt: new Date(0) };
    expect((await fixture.invoke(laterTick)).counts).toMatchObject({ enqueued: 0, skipped: 1 });
  });

  it('keeps place and deduplication id when a page is read again, though the payload has changed', async () => {
    const records = [0, 1, 2].map(invoice);
    const fixture = fixtureOf({ queuePayload: ({ customer }: Invoice) => customer }, records);
    await fixture.invoke(undefined, queueDyingAt(fixture, 0)).catch(() => undefined);
    const before = await fixture.keysItem(0);
    records[1] = { ...invoice(1), customer: 'another' };
    expect((await fixture.invoke()).counts).toMatchObject({ enqueued: 3 });
    expect((await fixture.keysItem(0))?.hashes).toEqual(before?.hashes);
    expect(fixture.queue.envelopes().map(({ ordinal, payload }) => [ordinal, payload])).toEqual([
      [0, 'c0'],
      [1, 'another'],
      [2, 'c0'],
    ]);
  });
});

describe('schemas, with a projection', () => {
  it('schema is asked of the source alone, so it need not accept its own result', async () => {
    const schema = z.object({ id: z.string(), issuedAt: z.iso.datetime().transform((text) => new Date(text)) });
    const seen: unknown[] = [];
    const queuePayload = (record: unknown): string => {
      seen.push(record);
      return 'queued';
    };
    const records = [
      { id: 'a', issuedAt: '2026-01-01T00:00:00Z' },
      { id: 'b', issuedAt: 'yesterday' },
    ];
    const fixture = fixtureOf({ schema, queuePayload }, records);
    expect((await fixture.invoke()).counts).toMatchObject({ enqueued: 1, rejected: 1 });
    expect(seen).toEqual([{ id: 'a', issuedAt: new Date(Date.UTC(2026, 0, 1)) }]);
  });

  it('payloadSchema is asked of what is queued, and makes it', async () => {
    const payloadSchema = z.object({ id: z.string().max(2), step: z.number().default(1) });
    const fixture = fixtureOf({ payloadSchema, queuePayload: ({ id }: Invoice) => ({ id }) }, [
      { id: 'a' },
      { id: 'long' },
    ]);
    await fixture.invoke();
    expect(fixture.queue.envelopes().map(({ payload }) => payload)).toEqual([{ id: 'a', step: 1 }]);
    expect(await rejectedBy(fixture)).toEqual([
      { key: 'long', cause: expect.stringMatching(/^the payloadSchema refuses it: id: /) as string },
    ]);
  });

  it('payloadSchema must accept its own result, which the consumer checks again', async () => {
    const payloadSchema = z.object({ id: z.string().transform((id) => id.length) });
    const fixture = fixtureOf({ payloadSchema, queuePayload: ({ id }: Invoice) => ({ id }) }, [{ id: 'a' }]);
    await fixture.invoke();
    expect((await rejectedBy(fixture))[0]?.cause).toMatch(/^the payloadSchema refuses what it made of it itself/);
  });
});
