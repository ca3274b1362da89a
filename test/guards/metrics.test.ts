import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { METRICS } from '../../lambda/contract';
import type { MetricDefinition } from '../../lambda/contract';

const ROOT = join(__dirname, '..', '..');
const SOURCE = 'lambda/contract/metrics.ts';
const PAGE = join(ROOT, 'docs', 'contract', 'metrics.md');
/** Between these lines the test writes. */
const [BEGIN, END] = ['<!-- metrics: begin -->', '<!-- metrics: end -->'];

/** What the doc comment of each metric says, on one line. */
function meanings(): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const source = ts.createSourceFile(SOURCE, readFileSync(join(ROOT, SOURCE), 'utf8'), ts.ScriptTarget.ES2022, true);
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node)) {
      const text = ts.getJSDocCommentsAndTags(node).map((doc) => doc.getText());
      found[node.name.getText()] = text.join(' ').replace(/^\/\*\*\s*|\s*\*\/$/g, '');
    }
    ts.forEachChild(node, visit);
  };
  source.statements
    .filter(ts.isVariableStatement)
    .filter(({ declarationList }) => declarationList.declarations.some(({ name }) => name.getText() === 'METRICS'))
    .forEach(visit);
  return found;
}

function table(): string {
  const told = meanings();
  const rows = Object.entries(METRICS).map(([name, definition]: [string, MetricDefinition]) => [
    `\`${name}\``,
    definition.unit,
    definition.statistic,
    definition.byJob === true ? 'yes' : '',
    told[name] ?? '',
  ]);
  const all = [['metric', 'unit', 'statistic', 'by job', 'what it counts or measures'], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const [header = [], ...body] = all;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

describe('docs/contract/metrics.md', () => {
  it('has the metrics of the contract, in their words', () => {
    const text = readFileSync(PAGE, 'utf8');
    const [before, rest = ''] = text.split(BEGIN);
    const [, after] = rest.split(END);
    const page = `${before}${BEGIN}\n\n${table()}\n\n${END}${after}`;
    if (process.env.UPDATE_DOCS === '1') {
      writeFileSync(PAGE, page);
    }
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });

  it('says how many a fanout with one job has', () => {
    const names = Object.values(METRICS);
    const twice = names.filter((definition) => 'byJob' in definition).length;
    const text = `up to ${names.length + twice} of its own (${names.length} names, ${twice} of them twice)`;
    expect(readFileSync(PAGE, 'utf8')).toContain(text);
  });

  it.each(Object.keys(METRICS))('says what %s is', (name) => {
    expect(meanings()[name]).toMatch(/^[A-Z].{10,}\.$|; 0 where there is none\.$/);
  });
});
