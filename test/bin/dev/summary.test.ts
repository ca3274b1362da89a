import { Progress, progressLine } from '../../../bin/dev/progress';
import { deadRecordsText, summaryText } from '../../../bin/dev/summary';
import type { DeadEnvelope, Envelope } from '../../../lambda/contract';

const COUNTS = { scanned: 20_000, enqueued: 1_500, succeeded: 1_000, retried: 30, dead: 10 };
const SUMMARY = {
  eligible: 1_010,
  enqueued: 1_010,
  duplicate: 0,
  rejected: 0,
  skipped: 0,
  succeeded: 1_000,
  dead: 10,
  cancelled: 0,
  expired: 0,
  obsolete: 0,
  withdrawn: 0,
  retried: 30,
  handlerCalls: 1_040,
  maxConcurrentHandlers: 40,
  outOfOrder: 0,
  handledTwice: 0,
  seconds: 10.1,
};

const dead = (ordinal: number): DeadEnvelope => ({
  v: 1,
  fanout: 'f',
  job: 'booking.reminder',
  run: 'r',
  segment: 0,
  page: 0,
  ordinal,
  key: `B${ordinal}`,
  group: 'DFW',
  payload: {},
  deathId: `d${ordinal}`,
  death: {
    cause: 'AttemptsExhausted',
    attempts: 4,
    errorName: 'Error',
    errorMessage: `452 mailbox\nfull ${'x'.repeat(100)}`,
    firstReceivedAt: '',
    diedAt: '',
  },
});

describe('the summary', () => {
  it('shows the books as sums', () => {
    expect(summaryText(SUMMARY, '2026-01-01T00:00:00Z', 754).split('\n')).toEqual([
      'run 2026-01-01T00:00:00Z: completed in 10.1 s (100 records/s), 12 min 34 s of local time',
      '  eligible 1,010 = enqueued 1,010 + duplicate 0 + rejected 0 + skipped 0',
      '  enqueued 1,010 = succeeded 1,000 + dead 10 + cancelled 0 + expired 0 + obsolete 0 + withdrawn 0',
      '  handler calls 1,040, of them retries 30; at most 40 at once',
      '  out of order 0, handled twice 0',
    ]);
  });

  it('lists the first twenty dead records with their cause on a line each, and counts the rest', () => {
    const lines = deadRecordsText(Array.from({ length: 25 }, (_, place) => dead(place))).split('\n');
    expect(lines).toHaveLength(22);
    expect(lines[0]).toBe('dead records: 25');
    expect(lines[1]).toMatch(
      /^ {2}booking\.reminder {2}DFW {2}B0 {2}AttemptsExhausted after 4 attempts: 452 mailbox full x+\.\.\.$/,
    );
    expect(lines[21]).toBe('  ... and 5 more');
  });

  it('lists a message that SQS itself moved, and says when there are none', () => {
    expect(deadRecordsText([{ ...dead(1), death: undefined } as unknown as Envelope])).toContain('B1  cause unknown');
    expect(deadRecordsText([])).toBe('dead records: none');
  });
});

describe('the progress', () => {
  it('shows counts and rate', () => {
    expect(progressLine(COUNTS, 10)).toBe(
      'scanned 20,000  enqueued 1,500  succeeded 1,000  retried 30  dead 10  101 records/s',
    );
    expect(progressLine(COUNTS, 0)).toContain('0 records/s');
  });

  it.each([
    [true, /^\r\u001b\[2Kscanned .*\n$/],
    [false, /^scanned .*\n$/],
  ])('ends with a whole line (terminal: %s)', (isTTY, expected) => {
    let written = '';
    new Progress({ isTTY, write: (text) => (written += text) }, () => COUNTS).stop();
    expect(written).toMatch(expected);
  });
});
