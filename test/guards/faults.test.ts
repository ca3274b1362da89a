import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const TEST_FOLDERS = ['test', 'examples'];

interface Fault {
  readonly id: string;
  readonly reason: string;
}

/** The rows of test/faults/README.md: the first column is the id, the last the reason why there is no test. */
function listedFaults(): Fault[] {
  const text = readFileSync(join(ROOT, 'test', 'faults', 'README.md'), 'utf8');
  return text
    .split('\n')
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .filter(([, id = '']) => /^B\d\d$/.test(id))
    .map((cells) => ({ id: cells[1] ?? '', reason: cells.at(-2) ?? '' }));
}

/** Ids that a test's name begins with. */
function testedIds(): Set<string> {
  const files = TEST_FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
      .map((file) => readFileSync(join(ROOT, folder, file), 'utf8')),
  );
  return new Set(files.flatMap((text) => [...text.matchAll(/['"`](B\d\d)\b/g)].map((match) => match[1] ?? '')));
}

describe('test/faults/README.md', () => {
  const faults = listedFaults();

  it('lists every fault once', () => {
    expect(faults.length).toBeGreaterThan(50);
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
  });

  it('has a test or a reason for every fault, and never both', () => {
    const tested = testedIds();
    const untested = faults.filter(({ id, reason }) => !tested.has(id) && reason === '').map(({ id }) => id);
    const stale = faults.filter(({ id, reason }) => tested.has(id) && reason !== '').map(({ id }) => id);
    expect({ untested, stale }).toEqual({ untested: [], stale: [] });
  });

  it('lists every fault that a test names', () => {
    const listed = new Set(faults.map(({ id }) => id));
    expect([...testedIds()].filter((id) => !listed.has(id))).toEqual([]);
  });
});
