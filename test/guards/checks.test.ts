import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Text of all sources whose checks run at synth time. */
const SOURCES = ['lib', 'lambda/schedule'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8')),
);
const PAGE = readFileSync(join(ROOT, 'docs', 'checks.md'), 'utf8');

function found(texts: readonly string[], pattern: RegExp): string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name)))].sort();
}

const codesThrown = (texts: readonly string[]): string[] => found(texts, /new CronFanoutError\(\s*'(\w+)'/g);
const warningsGiven = (texts: readonly string[]): string[] => found(texts, /'(cron-fanout:\w+)'/g);
/** Codes in the tables of the page: names in backquotes that begin with a capital, in a row. */
const rows = PAGE.split('\n').filter((line) => line.startsWith('| '));
const codesDocumented = found(rows, /`([A-Z][A-Za-z]+)`/g).filter((name) => !['SQS', 'Lost'].includes(name));

describe('docs/checks.md', () => {
  it('has every error of the construct, and no other', () => {
    expect(codesThrown(SOURCES).length).toBeGreaterThan(50);
    expect(codesDocumented).toEqual(codesThrown(SOURCES));
  });

  it('has every warning of the construct, and no other', () => {
    expect(warningsGiven(SOURCES).length).toBeGreaterThan(10);
    expect(found(rows, /`(cron-fanout:\w+)`/g)).toEqual(warningsGiven(SOURCES));
  });

  it('is what the README leads to', () => {
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('(docs/checks.md)');
  });

  it('every error is constructed with its code in place, so that it is found here', () => {
    const all = SOURCES.flatMap((text) => [...text.matchAll(/new CronFanoutError\(/g)]).length;
    const named = SOURCES.flatMap((text) => [...text.matchAll(/new CronFanoutError\(\s*'\w+'/g)]).length;
    expect(named).toBe(all);
  });

  it('control: finds what a source throws and warns of', () => {
    const source = `throw new CronFanoutError(\n  'TooLate', {}); warn({ id: 'cron-fanout:late' })`;
    expect([codesThrown([source]), warningsGiven([source])]).toEqual([['TooLate'], ['cron-fanout:late']]);
  });
});
