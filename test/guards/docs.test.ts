import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '..', '..');
/** What users import from. */
const ENTRY_POINTS = ['lib/index.ts', 'lambda/job/index.ts', 'lambda/simulation/index.ts'];
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

/** Names that users import. */
function publicNames(): Set<string> {
  const exported = ENTRY_POINTS.flatMap((file) => read(file).source.statements.filter(ts.isExportDeclaration));
  const names = exported.flatMap(({ exportClause }) =>
    exportClause !== undefined && ts.isNamedExports(exportClause)
      ? exportClause.elements.map(({ name }) => name.text)
      : [],
  );
  return new Set(names);
}

interface Member {
  readonly name: string;
  readonly docs: string;
  readonly optional: boolean;
}

/** Members of those interfaces of a file whose name is in a set. */
function membersOf({ file, source }: SourceText, names: ReadonlySet<string>): Member[] {
  return source.statements
    .filter(ts.isInterfaceDeclaration)
    .filter(({ name }) => names.has(name.text))
    .flatMap(({ name, members }) =>
      members.map((member) => ({
        name: `${file}: ${name.text}.${member.name?.getText() ?? ''}`,
        docs: docsOf(member),
        optional: member.questionToken !== undefined && OPTIONS_NAME.test(name.text),
      })),
    );
}

const withoutDocs = (members: readonly Member[]): string[] =>
  members.filter(({ docs }) => docs === '').map(({ name }) => name);
/** Options that can be left out, and whose doc comment does not say what is done then. */
const withoutDefault = (members: readonly Member[]): string[] =>
  members.filter(({ optional, docs }) => optional && !/@default\s+\S/.test(docs)).map(({ name }) => name);

describe('doc comments', () => {
  const sources = ['lib', 'lambda'].flatMap(sourcesBelow);
  const members = sources.flatMap((source) => membersOf(source, publicNames()));

  it('are on every exported symbol', () => {
    expect(sources.flatMap(undocumented)).toEqual([]);
  });

  it('are on every member of an interface that users import', () => {
    expect(members.length).toBeGreaterThan(60);
    expect(withoutDocs(members)).toEqual([]);
  });

  it('say what is done without an option that can be left out', () => {
    expect(withoutDefault(members)).toEqual([]);
  });

  it('control: are missed where there are none', () => {
    const sample = read(
      'sample.ts',
      `/** @module */
      export const a = 1;
      /** Documented. */
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
      export function b(): void {}`,
    );
    expect(undocumented(sample)).toEqual(['sample.ts: a', 'sample.ts: b']);
    const found = membersOf(sample, new Set(['WaitProps']));
    expect([withoutDocs(found), withoutDefault(found)]).toEqual(Array(2).fill(['sample.ts: WaitProps.seconds']));
  });
});
