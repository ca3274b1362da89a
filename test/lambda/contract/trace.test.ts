import fc from 'fast-check';
import { isTraceparent, isXrayHeader, traceContext, traceparentOf, xrayHeaderOf } from '../../../lambda/contract';

const XRAY = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
const TRACEPARENT = '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01';

describe('a trace', () => {
  it('is the same in both forms', () => {
    expect(traceparentOf(XRAY)).toBe(TRACEPARENT);
    expect(xrayHeaderOf(TRACEPARENT)).toBe(XRAY);
    expect(traceparentOf(XRAY.replace('Sampled=1', 'Sampled=0'))).toBe(TRACEPARENT.replace(/1$/, '0'));
    expect(xrayHeaderOf(TRACEPARENT.replace(/1$/, '2'))).toBe(XRAY.replace('Sampled=1', 'Sampled=0'));
  });

  it('goes through both forms and back', () => {
    const hex = (length: number): fc.Arbitrary<string> =>
      fc
        .string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: length, maxLength: length })
        .filter((text) => /[^0]/.test(text));
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (trace, parent, isSampled) => {
        const traceparent = `00-${trace}-${parent}-${isSampled ? '01' : '00'}`;
        const header = xrayHeaderOf(traceparent) ?? '';
        expect(isXrayHeader(header)).toBe(true);
        expect(traceparentOf(header)).toBe(traceparent);
      }),
    );
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a number', 7],
    ['a trace of zeros', `00-${'0'.repeat(32)}-53995c3f42cd8ad8-01`],
    ['a parent of zeros', `00-5759e988bd862e3fe1be46a994272793-${'0'.repeat(16)}-01`],
    ['version ff', TRACEPARENT.replace(/^00/, 'ff')],
    ['capitals', TRACEPARENT.toUpperCase()],
    ['more behind it', `${TRACEPARENT}-more`],
    ['a line break behind it', `${TRACEPARENT}\n`],
  ])('is no traceparent: %s', (_, value) => {
    expect(isTraceparent(value)).toBe(false);
  });

  it.each<[string, boolean, unknown]>([
    [
      'with a lineage and fields of callers',
      true,
      `Self=1-67891234-12456789abcdef012345678;${XRAY};Lineage=1:0a1b:0;App=x`,
    ],
    ['that names the root alone', true, 'Root=1-5759e988-bd862e3fe1be46a994272793'],
    ['without a root', false, 'Parent=53995c3f42cd8ad8;Sampled=1'],
    ['with a root that is none', false, 'Root=1-5759e988'],
    ['with control characters', false, `${XRAY};A=b\u0000`],
    ['with a line break', false, `${XRAY}\n`],
    ['that is long', false, `${XRAY};A=${'b'.repeat(1000)}`],
    ['that is no text', false, {}],
  ])('an X-Ray header %s: %s', (_, isOne, value) => {
    expect(isXrayHeader(value)).toBe(isOne);
  });

  it('of what is known of it: each form stands in for the other, and what is not valid is left out', () => {
    expect(traceContext({})).toEqual({});
    expect(traceContext({ xray: XRAY })).toEqual({ xray: XRAY, traceparent: TRACEPARENT });
    expect(traceContext({ traceparent: TRACEPARENT })).toEqual({ xray: XRAY, traceparent: TRACEPARENT });
    const other = TRACEPARENT.replace('5759e988', 'aaaaaaaa');
    expect(traceContext({ traceparent: other, xray: XRAY })).toEqual({ xray: XRAY, traceparent: other });
    expect(traceContext({ traceparent: 'x', xray: 'y' })).toEqual({});
    expect(traceContext({ traceparent: 'x', xray: XRAY })).toEqual({ xray: XRAY, traceparent: TRACEPARENT });
    const rootAlone = 'Root=1-5759e988-bd862e3fe1be46a994272793';
    expect(traceContext({ xray: rootAlone })).toEqual({ xray: rootAlone });
  });

  it('whatever is given, it is a trace or none, and never an error', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (traceparent, xray) => {
        const trace = traceContext({ traceparent, xray });
        expect(trace.traceparent === undefined || isTraceparent(trace.traceparent)).toBe(true);
        expect(trace.xray === undefined || isXrayHeader(trace.xray)).toBe(true);
      }),
    );
  });
});
