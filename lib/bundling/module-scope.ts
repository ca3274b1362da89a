import { parse } from 'acorn';
import type {
  AnyNode,
  Expression,
  Identifier,
  ImportDeclaration,
  Literal,
  ModuleDeclaration,
  Program,
  Statement,
} from 'acorn';

/** A name that a module imports: from where, and what of it (`*` for all of it, as an object). */
export interface ImportedName {
  readonly from: string;
  readonly name: string;
}

/** What can be said of the top level of an ES module without running it. */
export interface ModuleScope {
  /** Imported names by their local name. */
  readonly imports: ReadonlyMap<string, ImportedName>;
  /** Names that always have one value, with the expression that gives it; `undefined` for functions and classes. */
  readonly constants: ReadonlyMap<string, Expression | undefined>;
  /** Exported values; `undefined` for those that are functions or classes. */
  readonly exports: readonly (Expression | undefined)[];
  /** Whether `exports` are all of them: `export *` from elsewhere adds some that are not known. */
  readonly closed: boolean;
}

interface Draft {
  readonly imports: Map<string, ImportedName>;
  readonly constants: Map<string, Expression | undefined>;
  readonly exports: (Expression | undefined)[];
  closed: boolean;
}

/** Reads the top level of a module; throws what the parser throws where the code is not one. */
export function moduleScope(code: string): ModuleScope {
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  const draft: Draft = { imports: new Map(), constants: new Map(), exports: [], closed: true };
  program.body.forEach((statement) => {
    readStatement(statement, draft);
  });
  for (const name of changedNames(program, draft.constants)) {
    draft.constants.delete(name);
  }
  return draft;
}

function readStatement(statement: Statement | ModuleDeclaration, draft: Draft): void {
  if (statement.type === 'ImportDeclaration') {
    readImport(statement, draft);
  } else if (statement.type === 'VariableDeclaration') {
    for (const { id, init } of statement.declarations) {
      if (id.type === 'Identifier' && init) {
        draft.constants.set(id.name, init);
      }
    }
  } else if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') {
    draft.constants.set(statement.id.name, undefined);
  } else if (statement.type === 'ExportDefaultDeclaration') {
    const { declaration } = statement;
    const isValue = declaration.type !== 'FunctionDeclaration' && declaration.type !== 'ClassDeclaration';
    draft.exports.push(isValue ? declaration : undefined);
  } else if (statement.type === 'ExportNamedDeclaration') {
    // The bundler gathers all exports in one list at the end; what comes from another module is none of its names.
    draft.closed &&= !statement.declaration && !statement.source;
    statement.specifiers.forEach(({ local }) => {
      draft.exports.push(local.type === 'Identifier' ? local : undefined);
    });
  } else if (statement.type === 'ExportAllDeclaration') {
    draft.closed = false;
  }
}

const WHOLE = { ImportDefaultSpecifier: 'default', ImportNamespaceSpecifier: '*' } as const;

function readImport({ specifiers, source }: ImportDeclaration, draft: Draft): void {
  for (const specifier of specifiers) {
    const name = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : WHOLE[specifier.type];
    draft.imports.set(specifier.local.name, { from: String(source.value), name });
  }
}

const nameOf = (name: Identifier | Literal): string => (name.type === 'Identifier' ? name.name : String(name.value));

/**
 * Names that do not stay what they are declared with: those that are assigned to anywhere, and lists and objects that some call may change, by a method of theirs or because it is handed them.
 */
function changedNames(program: Program, constants: ReadonlyMap<string, Expression | undefined>): Set<string> {
  const [assigned, handedOut] = [new Set<string>(), new Set<string>()];
  visit(program, (node) => {
    assignedBy(node).forEach((target) => {
      namesIn(target, assigned);
    });
    handedOutBy(node).forEach((value) => {
      namesIn(value, handedOut);
    });
  });
  for (const name of handedOut) {
    const value = constants.get(name);
    if (value?.type === 'Identifier') {
      handedOut.add(value.name);
    } else if (value?.type === 'ArrayExpression' || value?.type === 'ObjectExpression') {
      assigned.add(name);
    }
  }
  return assigned;
}

function assignedBy(node: AnyNode): AnyNode[] {
  if (node.type === 'AssignmentExpression' || node.type === 'ForInStatement' || node.type === 'ForOfStatement') {
    return node.left.type === 'VariableDeclaration' ? [] : [node.left];
  }
  const deletes = node.type === 'UnaryExpression' && node.operator === 'delete';
  return deletes || node.type === 'UpdateExpression' ? [node.argument] : [];
}

function handedOutBy(node: AnyNode): AnyNode[] {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') {
    return [];
  }
  const { callee } = node;
  const inner = node.arguments.filter(({ type }) => type === 'Identifier');
  return callee.type === 'MemberExpression' ? [callee.object, ...inner] : inner;
}

/** All names in an expression: each may be what is changed. */
function namesIn(target: AnyNode, names: Set<string>): void {
  visit(target, (node) => {
    if (node.type === 'Identifier') {
      names.add(node.name);
    }
  });
}

function visit(node: AnyNode, seen: (node: AnyNode) => void): void {
  seen(node);
  for (const child of Object.values(node).flat() as unknown[]) {
    if (typeof child === 'object' && child !== null && typeof (child as Partial<AnyNode>).type === 'string') {
      visit(child as AnyNode, seen);
    }
  }
}
