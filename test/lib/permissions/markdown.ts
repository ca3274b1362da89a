import { readFileSync, writeFileSync } from 'node:fs';

/** A table as prettier leaves it. */
export function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const [header = [], ...body] = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = header.map((_, column) => Math.max(3, ...[header, ...body].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [header, widths.map((width) => '-'.repeat(width)), ...body].map(line);
}

/** Holds a page to what it has between `<!-- name -->` and `<!-- /name -->`; with `UPDATE_DOCS=1`, writes it there. */
export function holdBlock(file: string, name: string, right: string): void {
  const text = readFileSync(file, 'utf8');
  const block = new RegExp(`(<!-- ${name} -->\\n).*(\\n<!-- /${name} -->)`, 's');
  expect(text).toMatch(block);
  const expected = text.replace(block, (_, start: string, end: string) => `${start}\n${right}\n${end}`);
  if (process.env.UPDATE_DOCS === '1') {
    writeFileSync(file, expected);
  }
  expect(readFileSync(file, 'utf8')).toBe(expected);
}
