import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import type { RuntimeFiles } from '../runtime-files';
import { canonicalCode, canonicalPath, canonicalSourceMap, isRuntimeInput } from './canonical-paths';
import type { InputRoots } from './canonical-paths';
import { describe, runEsbuild } from './esbuild';
import type { InMemoryResult } from './esbuild';
import { esbuildOptions } from './esbuild-options';
import type { BundleInput } from './esbuild-options';
import { keepsEvaluationOrder, reachedInputs, sharesOrderedModules } from './evaluation-order';
import type { OrderFree } from './evaluation-order';
import { nearestPackageRoot } from './entry';
import type { Entry } from './entry';
import type { BundlingOptions, Role } from './options';
import { INDEX, RUNTIME, renameOutputs, stableOutputNames } from './output-names';

/** The code of one function, in memory. */
export interface Bundle {
  /** Content by path relative to the asset. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** What went in, by canonical path. */
  readonly inputs: readonly string[];
  /** What is left to be found when it runs: Node's own modules, and what the options leave out. */
  readonly imports: readonly string[];
  /** What esbuild warned of in the user's own files. */
  readonly warnings: readonly string[];
}

const FACTORIES = { scanner: 'createScannerHandler', consumer: 'createConsumerHandler' } as const;

/** Statements of the module that Lambda loads. */
export function indexModule(role: Role, jobModule: string, runtimeModule: string): string {
  const factory = FACTORIES[role];
  return [
    `import * as jobs from ${JSON.stringify(jobModule)};`,
    `import { ${factory} } from ${JSON.stringify(runtimeModule)};`,
    `export const handler = ${factory}(jobs);`,
    '',
  ].join('\n');
}

/** Bundles a job module with the runtime of a function. */
export function bundleEntry(role: Role, entry: Entry, runtime: RuntimeFiles, options: BundlingOptions): Bundle {
  const contents = indexModule(role, entry.file, runtime[role]);
  return bundle(
    { contents, projectRoot: entry.projectRoot, subject: entry.file, output: INDEX },
    role,
    runtime,
    options,
  );
}

/** Bundles the runtime of a function alone, for job modules that are built already. */
export function bundleRuntime(role: Role, runtime: RuntimeFiles, options: BundlingOptions): Bundle {
  const contents = `export { ${FACTORIES[role]} } from ${JSON.stringify(runtime[role])};\n`;
  const subject = runtime[role];
  return bundle({ contents, projectRoot: runtime.root, subject, output: RUNTIME }, role, runtime, options);
}

function bundle(input: BundleInput, role: Role, runtime: RuntimeFiles, options: BundlingOptions): Bundle {
  const { projectRoot, output } = input;
  const roots: InputRoots = { projectRoot, runtimeRoot: runtime.root };
  const result = build(input, runtime[role], roots, options);
  return {
    files: stableFiles(result, roots, output, options.minify ?? true),
    inputs: Object.keys(result.metafile.inputs).map((name) => canonicalPath(name, roots)),
    imports: externalImports(result.metafile),
    warnings: result.warnings.map((warning) => describe(warning, projectRoot)),
  };
}

/** Builds with dynamic imports in files of their own, or without where that would change the order of evaluation. */
function build(input: BundleInput, runtimeFile: string, roots: InputRoots, options: BundlingOptions): InMemoryResult {
  const esbuild = (changes: BundlingOptions): InMemoryResult =>
    runEsbuild(`job module ${input.subject}`, esbuildOptions(input, { ...options, ...changes }));
  const result = esbuild({});
  const orderFree = orderFreeInputs(result.metafile, relative(input.projectRoot, runtimeFile), roots);
  if (!sharesOrderedModules(result.metafile, input.output, orderFree)) {
    return result;
  }
  const readable = options.minify === false ? result : esbuild({ minify: false });
  return keepsEvaluationOrder(readable, input.output, orderFree) ? result : esbuild({ splitting: false });
}

/** Inputs that neither set nor read anything when they are evaluated: the runtime, what it imports, and packages that say so. */
function orderFreeInputs({ inputs }: Metafile, runtimeFile: string, roots: InputRoots): OrderFree {
  const ofRuntime = reachedInputs(inputs, runtimeFile.replaceAll('\\', '/'));
  return (input) =>
    ofRuntime.has(input) || isRuntimeInput(input, roots) || isSideEffectFree(resolve(roots.projectRoot, input));
}

/** Whether a file belongs to an installed package that says of itself that its modules have no side effects. */
function isSideEffectFree(file: string): boolean {
  const root = file.includes('node_modules') ? nearestPackageRoot(file) : undefined;
  return (
    root !== undefined &&
    (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { sideEffects?: unknown }).sideEffects === false
  );
}

function externalImports({ outputs }: Metafile): readonly string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  return [...new Set(imports.filter(({ external }) => external === true).map(({ path }) => path))].sort();
}

/** The files of a build, free of anything that depends on where the project lies. */
function stableFiles(result: InMemoryResult, roots: InputRoots, index: string, minified: boolean): Bundle['files'] {
  const { outputs, inputs } = result.metafile;
  const names = stableOutputNames(outputs, index);
  const labelled = minified ? [] : Object.keys(inputs);
  const files = result.outputFiles.flatMap(({ path, text, contents }): [string, string | Uint8Array][] => {
    const output = outputKey(outputs, path);
    const code = output.replace(/\.map$/, '');
    if (!code.endsWith('.mjs')) {
      return [[output, contents]];
    }
    const name = names.get(code);
    if (name === undefined) {
      // Only a function that was left out would have imported it. Its name and content hold where the project lies.
      return [];
    }
    return code === output
      ? [[name, renameOutputs(canonicalCode(text, labelled, roots), names)]]
      : [[`${name}.map`, canonicalSourceMap(text, roots)]];
  });
  return new Map(files.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Key of an output file in the metafile: its path relative to the output directory, which holds no directories. */
function outputKey(outputs: Metafile['outputs'], path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return name in outputs ? name : path;
}
