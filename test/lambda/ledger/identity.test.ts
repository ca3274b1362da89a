import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  HASH_BYTES,
  deathId,
  deduplicationId,
  groupId,
  hashText,
  idempotencyKey,
  keyHash,
  unseenKey,
} from '../../../lambda/ledger';

const place = { fanoutId: 'F', runId: 'tick-1', jobType: 'a', segment: 0, page: 0 };
/** What SQS allows in deduplication and group ids. */
const LEGAL = /^[a-zA-Z0-9!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]{1,128}$/;

describe('deduplicationId and groupId', () => {
  it('B32: are legal and different for long keys that differ only at the end', () => {
    const [a, b] = ['a', 'b'].map((end) => `${'k'.repeat(299)}${end}`) as [string, string];
    for (const [left, right] of [
      [deduplicationId(place, a), deduplicationId(place, b)],
      [groupId('job', a), groupId('job', b)],
    ] as const) {
      expect(left).toMatch(LEGAL);
      expect(left).not.toBe(right);
    }
  });

  it('are legal whatever the key holds, and the same for the same key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 1024 }), (key) => {
        expect(deduplicationId(place, key)).toMatch(LEGAL);
        expect(groupId('job', key)).toMatch(LEGAL);
        expect(deduplicationId({ ...place }, key)).toBe(deduplicationId(place, key));
      }),
    );
  });

  it('differ by every part of the place', () => {
    const places = [
      place,
      { ...place, fanoutId: 'G' },
      { ...place, runId: 'tick-2' },
      { ...place, jobType: 'b' },
      { ...place, segment: 1 },
      { ...place, page: 1 },
    ];
    expect(new Set(places.map((each) => deduplicationId(each, 'k'))).size).toBe(places.length);
    expect(new Set(places.map((each) => deathId(each, 0))).size).toBe(places.length);
  });
});

describe('idempotencyKey', () => {
  it('does not depend on the page, which a re-read may change', () => {
    expect(idempotencyKey({ ...place, page: 7 }, 'k')).toBe(idempotencyKey(place, 'k'));
  });
});

describe('deathId', () => {
  it('is another one after a redrive', () => {
    const first = deathId(place, 3);
    expect(deathId(place, 3)).toBe(first);
    expect(deathId(place, 3, first)).not.toBe(first);
  });
});

describe('unseenKey', () => {
  it('is found again by what docs/redrive.md says', () => {
    const [jobType, key] = ['a', 'k'];
    const digits = createHash('sha256').update(['key', jobType, key].join('\0')).digest('hex').slice(0, 16);
    expect(unseenKey(keyHash(jobType, key))).toBe(`hash:${digits}`);
  });
});

describe('keyHash', () => {
  it('is 8 bytes and has a text form', () => {
    const hash = keyHash('a', 'k');
    expect(hash).toHaveLength(HASH_BYTES);
    expect(hashText(hash)).toBe(hashText(keyHash('a', 'k')));
    expect(hashText(hash)).not.toBe(hashText(keyHash('b', 'k')));
  });
});
