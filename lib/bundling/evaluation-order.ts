import { basename } from 'node:path';
import type { Metafile } from 'esbuild';
import type { InMemoryResult } from './esbuild';

type Inputs = Metafile['inputs'];
type Outputs = Metafile['outputs'];

/** Whether it does not matter when an input is evaluated. */
export type OrderFree = (input: string) => boolean;

/**
 * Whether files of a split bundle that are loaded with the first one hold modules whose place in the order of evaluation matters. Only then can
 * the order differ from the source's.
 *
 * @param index the output that is loaded first
 */
export function sharesOrderedModules(metafile: Metafile, index: string, orderFree: OrderFree): boolean {
  const wrapped = wrappedInputs(metafile.inputs);
  const shared = filesLoadedWith(metafile.outputs, index).filter((file) => file !== index);
  const inputs = shared.flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
  return inputs.some((input) => !wrapped.has(input) && !orderFree(input));
}

/**
 * Whether the files of a split bundle evaluate its modules in the order of the source.
 *
 * esbuild puts what a dynamic import shares with the rest into a file of its own, and files are evaluated before what imports them: a module that
 * was to be evaluated second (`import './configure'; import './settings'`) can then come first.
 *
 * @param result a build that is not minified: the order within a file is read from the comments before its modules
 * @param index the output that is loaded first
 */
export function keepsEvaluationOrder(result: InMemoryResult, index: string, orderFree: OrderFree): boolean {
  const { inputs, outputs } = result.metafile;
  const bundled = evaluatedByFiles(result, index).filter((input) => !orderFree(input));
  const present = new Set(bundled);
  const wanted = evaluatedBySource(inputs, outputs[index]?.entryPoint ?? index).filter((input) => present.has(input));
  return wanted.every((input, position) => input === bundled[position]);
}

/** An input and all that it imports, directly or not. */
export function reachedInputs(inputs: Inputs, input: string): ReadonlySet<string> {
  const reached = new Set<string>();
  visit(input, (importer) => importsOf(inputs, importer), reached, new Set());
  return reached;
}

/** Inputs in the order in which the source evaluates them: what a module imports goes before it. */
function evaluatedBySource(inputs: Inputs, entry: string): readonly string[] {
  const order = new Set<string>();
  visit(entry, (input) => importsOf(inputs, input), new Set(), order);
  return [...order];
}

/** Inputs in the order in which the files of the bundle evaluate them. */
function evaluatedByFiles({ metafile, outputFiles }: InMemoryResult, index: string): readonly string[] {
  const { inputs, outputs } = metafile;
  const wrapped = wrappedInputs(inputs);
  const order = new Set<string>();
  const seen = new Set<string>();
  for (const file of filesLoadedWith(outputs, index)) {
    const code = outputFiles.find(({ path }) => basename(path) === file)?.text ?? '';
    for (const input of modulesInCode(code, inputs).filter((candidate) => !wrapped.has(candidate))) {
      // A wrapped module runs where it is called, wherever its code lies.
      visit(input, (caller) => importsOf(inputs, caller).filter((called) => wrapped.has(called)), seen, order);
    }
  }
  return [...order];
}

/** Modules of a file by their last comment: the object with a module's exports may stand before its imports. */
function modulesInCode(code: string, inputs: Inputs): readonly string[] {
  const comments = [...code.matchAll(/^\/\/ (.+)$/gm)].map(([, name]) => name ?? '');
  const backwards = new Set(comments.filter((name) => name in inputs).reverse());
  return [...backwards].reverse();
}

/** Files in the order in which loading one evaluates them, itself last. */
function filesLoadedWith(outputs: Outputs, index: string): readonly string[] {
  const files = new Set<string>();
  visit(index, (output) => fileImportsOf(outputs, output), new Set(), files);
  return [...files];
}

/** Depth first, children before their parent, each once. */
function visit(
  node: string,
  childrenOf: (node: string) => readonly string[],
  seen: Set<string>,
  order: Set<string>,
): void {
  if (!seen.has(node)) {
    seen.add(node);
    childrenOf(node).forEach((child) => {
      visit(child, childrenOf, seen, order);
    });
    order.add(node);
  }
}

/** What evaluating an input evaluates before it, or with it: imports, and the calls of `require` of a CommonJS module. */
function importsOf(inputs: Inputs, input: string): readonly string[] {
  const { imports = [], format } = inputs[input] ?? {};
  const evaluated = format === 'cjs' ? ['import-statement', 'require-call'] : ['import-statement'];
  return imports.filter(({ kind, external }) => external !== true && evaluated.includes(kind)).map(({ path }) => path);
}

function fileImportsOf(outputs: Outputs, output: string): readonly string[] {
  const imports = outputs[output]?.imports ?? [];
  return imports
    .filter(({ kind, external }) => external !== true && kind === 'import-statement')
    .map(({ path }) => path);
}

/** Inputs that esbuild wraps in a function: CommonJS modules, and whatever a call of `require` reaches. */
function wrappedInputs(inputs: Inputs): ReadonlySet<string> {
  const wrapped = new Set<string>();
  for (const [input, { format, imports }] of Object.entries(inputs)) {
    if (format === 'cjs') {
      wrapped.add(input);
    }
    imports
      .filter(({ kind, external }) => kind === 'require-call' && external !== true)
      .forEach(({ path }) => {
        visit(path, (node) => importsOf(inputs, node), wrapped, new Set());
      });
  }
  return wrapped;
}
