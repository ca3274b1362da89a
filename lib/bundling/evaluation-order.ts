import type { Metafile } from 'esbuild';

type Inputs = Metafile['inputs'];
type Outputs = Metafile['outputs'];

/**
 * Whether the files of a split bundle evaluate its modules in the order of the source.
 *
 * esbuild puts what a dynamic import shares with the rest into a file of its own, and files are evaluated before what imports them: a module that
 * was to be evaluated second (`import './configure'; import './settings'`) can then come first.
 *
 * @param index the output that is loaded first
 * @param orderFree whether it does not matter when an input is evaluated
 */
export function keepsEvaluationOrder(
  metafile: Metafile,
  index: string,
  orderFree: (input: string) => boolean,
): boolean {
  const entry = metafile.outputs[index]?.entryPoint;
  if (entry === undefined || fileImportsOf(metafile.outputs, index).length === 0) {
    return true;
  }
  const bundled = evaluatedByOutputs(metafile, index).filter((input) => !orderFree(input));
  const present = new Set(bundled);
  const wanted = evaluatedBySource(metafile.inputs, entry).filter((input) => present.has(input));
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
function evaluatedByOutputs({ inputs, outputs }: Metafile, index: string): readonly string[] {
  const files = new Set<string>();
  visit(index, (output) => fileImportsOf(outputs, output), new Set(), files);
  const wrapped = wrappedInputs(inputs);
  const order = new Set<string>();
  const seen = new Set<string>();
  for (const file of files) {
    for (const input of Object.keys(outputs[file]?.inputs ?? {}).filter((candidate) => !wrapped.has(candidate))) {
      // A wrapped module runs where it is called, wherever its code lies.
      visit(input, (caller) => importsOf(inputs, caller).filter((called) => wrapped.has(called)), seen, order);
    }
  }
  return [...order];
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
