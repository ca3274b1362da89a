import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_TRANSITIONS } from '../../lambda/contract';

const ROOT = join(__dirname, '../..');
/** `state` of a run is set in run-state.ts alone; the others set that of a dead record. */
const SETTERS = ['lambda/consumer/record-shapes.ts', 'lambda/ledger/redrive.ts', 'lambda/ledger/run-state.ts'];

function sourcesOf(directory: string): string[] {
  return readdirSync(join(ROOT, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}/${entry.name}`;
    return entry.isDirectory() ? sourcesOf(path) : path.endsWith('.ts') ? [path] : [];
  });
}

describe('the state of a run', () => {
  it('has one setter', () => {
    const sources = sourcesOf('lambda').filter((path) => !path.startsWith('lambda/simulation/'));
    expect(sources.filter((path) => readFileSync(join(ROOT, path), 'utf8').includes("[['state']"))).toEqual(SETTERS);
  });

  it.each(Object.keys(RUN_TRANSITIONS))('%s is described in prose', (state) => {
    const page = readFileSync(join(ROOT, 'docs/contract/state-table.md'), 'utf8');
    const section = page.slice(page.indexOf('## States of a run'), page.indexOf('## A waiting tick'));
    expect(section).toContain(`\`${state}\``);
  });
});
