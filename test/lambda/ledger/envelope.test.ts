import * as fc from 'fast-check';
import type { DeadEnvelope, Envelope, JsonValue } from '../../../lambda/contract';
import { decodeEnvelope, encodeEnvelope } from '../../../lambda/ledger';

const ENVELOPE: Envelope = {
  v: 1,
  fanout: 'F',
  job: 'booking.reminder',
  run: '2026-01-01T00:00:00Z',
  segment: 0,
  page: 3,
  ordinal: 7,
  key: 'b-1',
  group: 'org-1',
  payload: { id: 'b-1' },
};

/** Every character that SQS accepts in a body. */
const SQS_BODY = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;

/** Any text at all, lone surrogates and noncharacters included. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('\uFFFE', '\uFFFF', '\uD800', '\uDC00', '\u0000', '\u007F', '\u2028', '\u{1FFFE}', '🛫𠜎', '\\uffff'),
);
const anyJson = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

describe('encodeEnvelope', () => {
  it('keeps every payload, key and group, and writes only characters that SQS accepts', () => {
    const text = anyText.filter((value) => value !== '');
    fc.assert(
      fc.property(anyJson, text, text, (payload, key, group) => {
        const envelope = { ...ENVELOPE, payload, key, group };
        const body = encodeEnvelope(envelope);
        expect(body).toMatch(SQS_BODY);
        expect(decodeEnvelope(body)).toEqual({ kind: 'valid', envelope });
      }),
    );
  });

  it('B31: writes the same bytes for the same envelope, whatever the order of its members', () => {
    const shuffled = Object.fromEntries(Object.entries(ENVELOPE).reverse()) as unknown as Envelope;
    expect(encodeEnvelope(shuffled)).toBe(encodeEnvelope(ENVELOPE));
  });

  it('B41: leaves emoji and 4-byte characters unescaped', () => {
    expect(encodeEnvelope({ ...ENVELOPE, payload: '🛫𠜎' })).toContain('"🛫𠜎"');
  });

  it('keeps a trace, and leaves out what is none: it decides over no record', () => {
    const envelope = { ...ENVELOPE, traceparent: '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01' };
    expect(decodeEnvelope(encodeEnvelope(envelope))).toEqual({ kind: 'valid', envelope });
    for (const traceparent of ['00-0', 7, null, {}]) {
      const body = JSON.stringify({ ...ENVELOPE, traceparent });
      expect(decodeEnvelope(body)).toEqual({ kind: 'valid', envelope: ENVELOPE });
    }
  });

  it('keeps why a record died', () => {
    const dead: DeadEnvelope = {
      ...ENVELOPE,
      deathId: 'd1',
      death: {
        cause: 'PermanentError',
        attempts: 1,
        errorName: 'Error',
        errorMessage: 'no',
        firstReceivedAt: '2026-01-01T00:00:00Z',
        diedAt: '2026-01-01T00:00:01Z',
      },
    };
    expect(decodeEnvelope(encodeEnvelope(dead))).toEqual({ kind: 'valid', envelope: dead });
  });
});

describe('decodeEnvelope', () => {
  const withField = (name: string, value: unknown): string => JSON.stringify({ ...ENVELOPE, [name]: value });

  it.each(['{oops', '', 'null', '[]', '42', '"text"', '{}'])(
    'B56: reads %j as unreadable, and does not throw',
    (body) => {
      expect(decodeEnvelope(body)).toMatchObject({ kind: 'unreadable' });
    },
  );

  it.each([undefined, '1', 0, -1, 1.5, null])('B62: does not guess at version %j', (version) => {
    expect(decodeEnvelope(withField('v', version))).toMatchObject({ kind: 'unreadable' });
  });

  it('B62: tells a newer version apart', () => {
    expect(decodeEnvelope(withField('v', 2))).toEqual({
      kind: 'newer',
      version: 2,
      cause: 'envelope version 2 is newer than 1',
    });
  });

  it.each(['fanout', 'job', 'run', 'key', 'group'])('refuses an envelope whose %s is no text', (name) => {
    for (const value of [undefined, '', 1, null]) {
      expect(decodeEnvelope(withField(name, value))).toMatchObject({ cause: expect.stringContaining(name) as unknown });
    }
  });

  it.each(['segment', 'page', 'ordinal'])('refuses an envelope whose %s is no place', (name) => {
    for (const value of [undefined, -1, 0.5, '1']) {
      expect(decodeEnvelope(withField(name, value))).toMatchObject({ cause: expect.stringContaining(name) as unknown });
    }
  });

  it('tells an absent payload from a null one', () => {
    expect(decodeEnvelope(withField('payload', undefined))).toMatchObject({ cause: 'payload is absent' });
    expect(decodeEnvelope(withField('payload', null))).toMatchObject({ kind: 'valid' });
  });

  it('refuses a death without its id', () => {
    expect(decodeEnvelope(withField('death', {}))).toMatchObject({ kind: 'unreadable' });
    expect(decodeEnvelope(withField('deathId', 7))).toMatchObject({ kind: 'unreadable' });
  });

  it('drops members that it does not know', () => {
    expect(decodeEnvelope(withField('later', true))).toEqual({ kind: 'valid', envelope: ENVELOPE });
  });
});

describe('envelope versions', () => {
  /** What the code of version 2 would read: `group` was called `lane` in version 1. */
  const reader = {
    version: 2,
    upgrades: {
      1: ({ lane, ...fields }: Readonly<Record<string, JsonValue | undefined>>) => ({ ...fields, group: lane }),
    },
  };
  const read = (v: unknown, parts: object = {}): unknown =>
    decodeEnvelope(JSON.stringify({ ...ENVELOPE, v, ...parts }), reader);

  it('B62: reads its own version, and the one before through its upgrade', () => {
    const envelope = { ...ENVELOPE, v: 2 };
    expect(read(2)).toEqual({ kind: 'valid', envelope });
    expect(read(1, { group: undefined, lane: 'org-1' })).toEqual({ kind: 'valid', envelope });
  });

  it.each([
    ['of the next version', 3, 'newer'],
    ['of version 0', 0, 'unreadable'],
    ['without a version', undefined, 'unreadable'],
    ['whose version is a text', '1', 'unreadable'],
    ['whose version is a fraction', 1.5, 'unreadable'],
  ])('B62: leaves an envelope %s alone', (_, v, kind) => {
    expect(read(v)).toMatchObject({ kind });
  });

  it('B62: refuses a version that is older than those it can upgrade', () => {
    expect(
      decodeEnvelope(JSON.stringify({ ...ENVELOPE, v: 1 }), { version: 3, upgrades: { 2: (fields) => fields } }),
    ).toEqual({ kind: 'unreadable', cause: 'envelope version 1 is no longer read' });
  });

  it('keeps the version of the payload, and refuses one that is none', () => {
    const envelope = { ...ENVELOPE, payloadVersion: 3 };
    expect(decodeEnvelope(encodeEnvelope(envelope))).toEqual({ kind: 'valid', envelope });
    for (const payloadVersion of ['1', 0, 1.5, null]) {
      expect(decodeEnvelope(JSON.stringify({ ...ENVELOPE, payloadVersion }))).toMatchObject({ kind: 'unreadable' });
    }
  });
});
