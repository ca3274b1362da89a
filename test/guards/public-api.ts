import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** The repository. */
export const ROOT = join(__dirname, '..', '..');

/** An exported symbol, or a member of one, that users see. */
export interface PublicSymbol {
  /** `CronFanout`, or `CronFanout.schedule`. */
  readonly name: string;
  /** Source file relative to the repository. */
  readonly file: string;
  /** Text of the doc comment, tags left out. */
  readonly docs: string;
  /** Text of its `@default`. */
  readonly defaultValue?: string;
  /** Whether it can be left out. */
  readonly optional: boolean;
  /** Type as it is written. */
  readonly type: string;
}

/** An exported symbol with its members. */
export interface PublicExport extends PublicSymbol {
  readonly kind: 'class' | 'interface' | 'other';
  /** Members declared by it, in their order. */
  readonly members: readonly PublicSymbol[];
  /** Names of what it extends, as far as that is exported too. */
  readonly bases: readonly string[];
}

/** Source files of the package's entry points, by what users import. */
export function entryPointFiles(): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, unknown>;
  };
  const declarations = Object.entries(exports).filter(([subpath]) => subpath !== './package.json');
  return new Map(
    declarations.map(([subpath, target]) => {
      const source = /"types":"\.\/dist\/((?:lib|lambda)\/[^"]+)\.d\.ts"/.exec(JSON.stringify(target))?.[1];
      if (source === undefined) {
        throw new Error(`exports["${subpath}"] of package.json names no CommonJS types below dist`);
      }
      return [subpath.replace(/^\./, 'cron-fanout'), `${source}.ts`];
    }),
  );
}

/** All that a source file exports, re-exports followed, with its members. Other packages are not read: what is inherited from them is theirs. */
export function publicExports(file: string, sources: ReadonlyMap<string, string> = new Map()): PublicExport[] {
  const program = ownProgram(join(ROOT, file), sources);
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(ROOT, file))!);
  const exported = (module === undefined ? [] : checker.getExportsOfModule(module)).map((symbol) => ({
    name: symbol.name,
    symbol: (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol),
  }));
  const names = new Set(exported.map(({ name }) => name));
  return exported.map(({ name, symbol }) => {
    const declarations = symbol.getDeclarations() ?? [];
    const own = declarations.filter((each) => ts.isClassLike(each) || ts.isInterfaceDeclaration(each));
    return {
      ...describe(checker, name, symbol),
      kind: own.some(ts.isClassLike) ? 'class' : own.length > 0 ? 'interface' : 'other',
      members: declarations.flatMap(memberNodes).flatMap((member) => memberOf(checker, name, member)),
      bases: own.flatMap(({ heritageClauses = [] }) =>
        heritageClauses
          .flatMap(({ types }) => types.map(({ expression }) => expression.getText()))
          .filter((base) => names.has(base)),
      ),
    };
  });
}

function ownProgram(file: string, sources: ReadonlyMap<string, string>): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    noLib: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  host.readFile = (path) => sources.get(relative(ROOT, path)) ?? readFile(path);
  host.fileExists = (path) => sources.has(relative(ROOT, path)) || (!path.includes('node_modules') && fileExists(path));
  // Folders of sources in memory are nowhere.
  delete host.directoryExists;
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (path, version) => {
    const text = sources.get(relative(ROOT, path));
    return text === undefined ? getSourceFile(path, version) : ts.createSourceFile(path, text, version);
  };
  return ts.createProgram([file], options, host);
}

/** Members that users see: of classes, interfaces, enums and object types. */
function memberNodes(declaration: ts.Declaration): readonly ts.Declaration[] {
  if (ts.isTypeAliasDeclaration(declaration)) {
    return objectTypesIn(declaration.type).flatMap(({ members }) => [...members]);
  }
  if (ts.isEnumDeclaration(declaration) || ts.isInterfaceDeclaration(declaration)) {
    return [...declaration.members];
  }
  return ts.isClassLike(declaration) ? declaration.members.filter(isVisible) : [];
}

/** Object types that a type is, or is a union or an intersection of. */
function objectTypesIn(type: ts.TypeNode): ts.TypeLiteralNode[] {
  if (ts.isTypeLiteralNode(type)) {
    return [type];
  }
  return ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type) ? type.types.flatMap(objectTypesIn) : [];
}

function isVisible(member: ts.ClassElement): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const named = member.name !== undefined && !ts.isPrivateIdentifier(member.name);
  return named && (ts.getCombinedModifierFlags(member) & hidden) === 0;
}

/** Brands, whose name is a symbol, are not for users. */
function memberOf(checker: ts.TypeChecker, owner: string, member: ts.Declaration): PublicSymbol[] {
  const name = ts.getNameOfDeclaration(member);
  if (name !== undefined && ts.isComputedPropertyName(name)) {
    return [];
  }
  const symbol = name === undefined ? undefined : checker.getSymbolAtLocation(name);
  return symbol === undefined ? [] : [describe(checker, `${owner}.${symbol.name}`, symbol, member)];
}

function describe(checker: ts.TypeChecker, name: string, symbol: ts.Symbol, member?: ts.Declaration): PublicSymbol {
  const declaration = member ?? symbol.getDeclarations()?.[0];
  const defaultTag = symbol.getJsDocTags(checker).find((tag) => tag.name === 'default');
  const { questionToken, type } = (declaration ?? {}) as { questionToken?: ts.Node; type?: ts.TypeNode };
  return {
    name,
    file: relative(ROOT, declaration?.getSourceFile().fileName ?? ''),
    docs: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
    ...(defaultTag === undefined ? {} : { defaultValue: ts.displayPartsToString(defaultTag.text) }),
    optional: questionToken !== undefined,
    type: type?.getText() ?? '',
  };
}
