import fc from 'fast-check';
import { checkContent, isIdentifier, sizeOf } from '../../../../lambda/simulation/sqs/content';
import { md5, md5OfAttributes } from '../../../../lambda/simulation/sqs';

function isAccepted(body: string): boolean {
  try {
    checkContent({ body, attributes: {} });
    return true;
  } catch (error) {
    expect((error as Error).name).toBe('InvalidMessageContents');
    return false;
  }
}

describe('checkContent', () => {
  it('accepts exactly the characters that SQS documents', () => {
    const legal = (point: number): boolean =>
      [0x9, 0xa, 0xd].includes(point) ||
      (point >= 0x20 && point <= 0xd7ff) ||
      (point >= 0xe000 && point <= 0xfffd) ||
      point >= 0x10000;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x10ffff }), (point) => {
        expect(isAccepted(`a${String.fromCodePoint(point)}b`)).toBe(legal(point));
      }),
      {
        examples: [
          [0x8],
          [0x9],
          [0xb],
          [0xd7ff],
          [0xd800],
          [0xdfff],
          [0xe000],
          [0xfffd],
          [0xfffe],
          [0xffff],
          [0x10000],
          [0x10ffff],
        ],
      },
    );
  });

  it('B41: accepts emoji and characters of four bytes as they are', () => {
    expect(isAccepted('\u{1F389} \u{20BB7} \u{1F468}\u200D\u{1F469}\u200D\u{1F467}')).toBe(true);
  });

  it('says which character is refused and where', () => {
    expect(() => {
      checkContent({ body: 'ab\u0001', attributes: {} });
    }).toThrow(/U\+0001 at 2 of the body/);
  });

  it('refuses a number attribute that is no number', () => {
    const attributes = { n: { dataType: 'Number', stringValue: 'twelve' } };
    expect(() => {
      checkContent({ body: 'a', attributes });
    }).toThrow(/to a number/);
  });

  it('refuses an attribute without a value of its type', () => {
    for (const attribute of [
      { dataType: 'String' },
      { dataType: 'Binary', stringValue: 'x' },
      { dataType: 'Text', stringValue: 'x' },
    ]) {
      expect(() => {
        checkContent({ body: 'a', attributes: { n: attribute } });
      }).toThrow(/message .*attribute/);
    }
  });
});

describe('isIdentifier', () => {
  it('accepts 1 to 128 printable characters of ASCII without the space', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 140 }), (text) => {
        expect(isIdentifier(text)).toBe(
          text.length >= 1 && text.length <= 128 && Buffer.from(text).every((byte) => byte > 0x20 && byte < 0x7f),
        );
      }),
      { examples: [[''], ['a'.repeat(128)], ['a'.repeat(129)], ['a b'], ['a\n'], ['é'], ['~!'], ['\u007f']] },
    );
  });
});

describe('sizeOf', () => {
  it('counts bytes of body and attributes', () => {
    const attributes = {
      ab: { dataType: 'String', stringValue: 'é' },
      c: { dataType: 'Binary', binaryValue: new Uint8Array(5) },
    };
    expect(sizeOf({ body: '\u{1F389}', attributes })).toBe(4 + (2 + 6 + 2) + (1 + 6 + 5));
  });
});

describe('digests', () => {
  it('are those of the service', () => {
    expect(md5('This is a test message')).toBe('fafb00f5732ab283681e124bf8747ed1');
    expect(md5OfAttributes({ timestamp: { dataType: 'Number', stringValue: '1493147359900' } })).toBe(
      '235c5c510d26fb653d073faed50ae77c',
    );
    const ordinal = { dataType: 'Number', stringValue: '1' };
    expect(md5OfAttributes({ ordinal, category: { dataType: 'String', stringValue: 'test' } })).toBe(
      'd21ae90c49061e927f57df5f5d72be1f',
    );
    expect(md5OfAttributes({})).toBeUndefined();
  });
});
