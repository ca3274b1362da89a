import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { entryPointFiles, publicExports, ROOT } from './public-api';
import type { PublicExport, PublicSymbol } from './public-api';

/** Names of interfaces that users fill in. */
const OPTIONS_NAME = /(Props|Options|Definition)$/;

interface SourceText {
  readonly file: string;
  readonly source: ts.SourceFile;
}

function sourcesBelow(folder: string): SourceText[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
    .map((file) => read(join(folder, file)));
}

function read(file: string, text = readFileSync(join(ROOT, file), 'utf8')): SourceText {
  return { file, source: ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true) };
}

function isExported(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  );
}

function nameOf(node: ts.Statement): string {
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.map(({ name }) => name.getText()).join(', ');
  }
  return (node as ts.Statement & { readonly name?: ts.Identifier }).name?.text ?? '(default)';
}

/** Doc comments before a node; those of a file (with `@module`) are not its own. */
function docsOf(node: ts.Node): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .map((doc) => doc.getText())
    .filter((text) => !text.includes('@module'))
    .join('\n');
}

/** Exported declarations without a doc comment. An overload after the first shares its comment. */
function undocumented({ file, source }: SourceText): string[] {
  const documented = new Set<string>();
  return source.statements.filter(isExported).flatMap((statement) => {
    const name = nameOf(statement);
    if (docsOf(statement) !== '') {
      documented.add(name);
    }
    return documented.has(name) ? [] : [`${file}: ${name}`];
  });
}

/** What users import, member by member, from every entry point of package.json. */
const api = [...entryPointFiles()].map(([entryPoint, file]) => [entryPoint, publicExports(file)] as const);

const withMembers = (exported: readonly PublicExport[]): PublicSymbol[] =>
  exported.flatMap((symbol) => [symbol, ...symbol.members]);
const withoutDocs = (exported: readonly PublicExport[]): string[] =>
  withMembers(exported)
    .filter(({ docs }) => docs === '')
    .map(({ name, file }) => `${file}: ${name}`);
/** Options that can be left out, and whose doc comment does not say what is done then. */
const withoutDefault = (exported: readonly PublicExport[]): string[] =>
  exported
    .filter(({ name }) => OPTIONS_NAME.test(name))
    .flatMap(({ members }) => members)
    .filter(({ optional, defaultValue }) => optional && !/\S/.test(defaultValue ?? ''))
    .map(({ name, file }) => `${file}: ${name}`);

describe('doc comments', () => {
  const sources = ['lib', 'lambda'].flatMap(sourcesBelow);

  it('are on every exported symbol', () => {
    expect(sources.flatMap(undocumented)).toEqual([]);
  });

  it.each(api)('are on everything that %s exports, and on all members of it', (_, exported) => {
    expect(withMembers(exported).length).toBeGreaterThan(60);
    expect(withoutDocs(exported)).toEqual([]);
  });

  it.each(api)('say what is done without an option of %s that can be left out', (_, exported) => {
    expect(exported.filter(({ name }) => OPTIONS_NAME.test(name)).length).toBeGreaterThan(1);
    expect(withoutDefault(exported)).toEqual([]);
  });

  it('control: are missed where there are none', () => {
    const sample = read(
      'sample.ts',
      `/** @module */
      export const a = 1;
      /** Documented. */
      export interface WaitProps {
        readonly seconds?: number;
      }
      export function b(): void {}`,
    );
    expect(undocumented(sample)).toEqual(['sample.ts: a', 'sample.ts: b']);
  });

  it('control: are missed on members, through re-exports', () => {
    const files = new Map([
      [
        'control/index.ts',
        `export * from './wait'; export { Waiter as Renamed } from './waiter'; export type { Hidden } from './wait';`,
      ],
      [
        'control/wait.ts',
        `/** Documented. */
        export interface WaitProps {
          readonly seconds?: number;
          /**
           * Times.
           *
           * @default 1
           */
          readonly times?: number;
          /** Needed. */
          readonly needed: number;
        }
        export type Hidden = { readonly secret: string } | {
          /** Seen. */
          readonly seen: string;
        };`,
      ],
      [
        'control/waiter.ts',
        `/** Documented. */
        export class Waiter {
          static of(): Waiter { return new Waiter(); }
          private readonly hidden = 1;
          #own = 2;
          /** Documented. */
          wait(): number { return this.hidden + this.#own; }
        }`,
      ],
    ]);
    const found = publicExports('control/index.ts', files);
    expect(withoutDocs(found).sort()).toEqual([
      'control/wait.ts: Hidden',
      'control/wait.ts: Hidden.secret',
      'control/wait.ts: WaitProps.seconds',
      'control/waiter.ts: Renamed.of',
    ]);
    expect(withoutDefault(found)).toEqual(['control/wait.ts: WaitProps.seconds']);
  });
});
