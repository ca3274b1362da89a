import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutated } from '../../../bin/simulation/bundle';
import { MUTANTS } from '../../../bin/simulation/mutants';
import { scenarioNamed } from '../../../lambda/simulation/scenarios';

const ROOT = join(__dirname, '..', '..', '..');

/** Sections of the protocol whose rules must be switched off. */
const SECTIONS = ['1', '2.1', '2.2', '2.3', '2.4', '2.5', '3.1', '3.2', '3.3', '3.4', '3.5', '3'].concat([
  '4.1',
  '4.2',
  '4.3',
  '4.4',
  '4.5',
  '4.6',
  '4.7',
]);

test.each(MUTANTS.map((mutant) => [mutant.id, mutant] as const))('%s fits the sources as they are', (_, mutant) => {
  for (const file of new Set(mutant.edits.map((edit) => edit.file))) {
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(mutated(source, file, mutant)).not.toBe(source);
  }
});

test('each has a name of its own, a rule, and scenarios that exist', () => {
  expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
  for (const { id, rule, scenarios } of MUTANTS) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(rule).toMatch(/^(DESIGN )?\d/);
    expect(scenarios.map((name) => scenarioNamed(name).name)).not.toEqual([]);
  }
});

test('every section of the protocol is among them', () => {
  const named = new Set(MUTANTS.map(({ rule }) => rule.split(/[ :]/)[0]));
  expect(SECTIONS.filter((section) => !named.has(section))).toEqual([]);
});

test('a mutant that does not fit is told with its file', () => {
  const [first] = MUTANTS;
  expect(() => mutated('', first!.edits[0]!.file, first!)).toThrow(/received 0 places .*; allowed: exactly one/);
});
