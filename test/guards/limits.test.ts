import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LAMBDA, SQS } from '../../lambda/contract';
import { BOUNDS, FIXED } from '../../lib/bounds';
import type { Bound } from '../../lib/bounds';

const README = join(__dirname, '..', '..', 'README.md');
const [BEGIN, END] = [
  '<!-- limits: from lib/bounds.ts, by UPDATE_DOCS=1 npx jest test/guards/limits -->',
  '<!-- end of limits -->',
];

const UNITS = [
  ['day', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

/** A number of seconds as people say it: `90 s`, `15 min`, `4 days`. */
function duration(seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length && seconds % length === 0) ?? ['s', 1];
  const count = seconds / size;
  return `${count} ${unit}${unit === 'day' && count > 1 ? 's' : ''}`;
}

function valueIn(bound: Bound, value: number): string {
  return bound.unit === 'seconds' ? duration(value) : value.toLocaleString('en-US');
}

/** Options of a fanout; those of alarms stand in the table of alarms. */
const options = (Object.entries(BOUNDS) as [string, Bound][])
  .filter(([option]) => !option.startsWith('alarms.'))
  .map(([option, bound]) => {
    const unit = bound.unit === 'seconds' ? '' : ` ${bound.unit}`;
    const value = bound.default === undefined ? '-' : valueIn(bound, bound.default);
    return [`\`${option}\``, `${valueIn(bound, bound.min)} to ${valueIn(bound, bound.max)}${unit}`, value];
  });

const fixed = [
  [
    'one record, as a message',
    `${SQS.messageBytes / 1024 ** 2} MiB with its envelope, less 16 KiB for what its death adds; a larger one is \`rejected\``,
    '-',
  ],
  ['records in flight', `${SQS.inFlight.toLocaleString('en-US')}: SQS hands out none beyond`, '-'],
  ['environment of a function', `${LAMBDA.environmentBytes / 1024} KB`, '-'],
  ['retention of dead records', '-', duration(FIXED.deadLetterRetention)],
  ['what the ledger keeps', `queue and dead-letter queue and ${duration(FIXED.ledgerMargin)}`, '-'],
];

function limitsTable(): string {
  const table = [['limit', 'range', 'default'], ...options, ...fixed];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [header = [], ...body] = table;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

describe('the limits in the README', () => {
  it('are those of lib/bounds.ts', () => {
    const text = readFileSync(README, 'utf8');
    const [before, rest = ''] = text.split(`${BEGIN}\n`);
    const [, after = ''] = rest.split(END);
    const expected = `${before}${BEGIN}\n\n${limitsTable()}\n\n${END}${after}`;
    if (process.env.UPDATE_DOCS === '1') {
      writeFileSync(README, expected);
    }
    expect(readFileSync(README, 'utf8')).toBe(expected);
    expect(after).not.toBe('');
  });

  it.each([
    [45, '45 s'],
    [60, '1 min'],
    [90, '90 s'],
    [3600, '1 h'],
    [86_400, '1 day'],
    [345_600, '4 days'],
    [0, '0 s'],
  ])('say %d seconds as %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
