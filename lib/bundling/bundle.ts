import { resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import type { RuntimeFiles } from '../runtime-files';
import { canonicalCode, canonicalPath, canonicalSourceMap } from './canonical-paths';
import type { InputRoots } from './canonical-paths';
import { describe, runEsbuild } from './esbuild';
import type { InMemoryBuild, InMemoryResult } from './esbuild';
import type { Entry } from './entry';
import type { BundlingOptions, Role } from './options';
import { INDEX, RUNTIME, renameOutputs, stableOutputNames } from './output-names';

/** The code of one function, in memory. */
export interface Bundle {
  /** Content by path relative to the asset. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** What went in, by canonical path. */
  readonly inputs: readonly string[];
  /** What esbuild warned of in the user's own files. */
  readonly warnings: readonly string[];
}

const GENERATED_ENTRY = 'cron-fanout-entry.mjs';
const FACTORIES = { scanner: 'createScannerHandler', consumer: 'createConsumerHandler' } as const;

/**
 * CommonJS packages in an ES module bundle call `require` for Node's own modules. It is set on the global object because a declaration
 * would clash with one that a job module makes itself (`const require = createRequire(import.meta.url)`).
 */
const REQUIRE_BANNER =
  "import { createRequire as cronFanoutCreateRequire } from 'node:module'; globalThis.require ??= cronFanoutCreateRequire(import.meta.url);";

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
  return bundle({ contents, projectRoot: entry.projectRoot, subject: entry.file, output: INDEX }, runtime, options);
}

/** Bundles the runtime of a function alone, for job modules that are built already. */
export function bundleRuntime(role: Role, runtime: RuntimeFiles, options: BundlingOptions): Bundle {
  const contents = `export { ${FACTORIES[role]} } from ${JSON.stringify(runtime[role])};\n`;
  const subject = runtime[role];
  return bundle({ contents, projectRoot: runtime.root, subject, output: RUNTIME }, runtime, options);
}

interface BundleInput {
  readonly contents: string;
  readonly projectRoot: string;
  /** What is bundled, as the user knows it. */
  readonly subject: string;
  readonly output: string;
}

function bundle(input: BundleInput, runtime: RuntimeFiles, options: BundlingOptions): Bundle {
  const { projectRoot, subject } = input;
  const roots: InputRoots = { projectRoot, runtimeRoot: runtime.root };
  const result = runEsbuild(`job module ${subject}`, esbuildOptions(input, options));
  return {
    files: stableFiles(result, roots, input.output, options),
    inputs: Object.keys(result.metafile.inputs).map((input) => canonicalPath(input, roots)),
    warnings: result.warnings.map((warning) => describe(warning, projectRoot)),
  };
}

function esbuildOptions({ contents, projectRoot, output }: BundleInput, options: BundlingOptions): InMemoryBuild {
  return {
    stdin: { contents, resolveDir: projectRoot, sourcefile: GENERATED_ENTRY },
    absWorkingDir: projectRoot,
    // A virtual place: nothing is written there, but it makes names in source maps relative to the project.
    outdir: projectRoot,
    allowOverwrite: true,
    entryNames: output.replace('.mjs', ''),
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    logLevel: 'silent',
    mainFields: [...(options.mainFields ?? ['module', 'main'])],
    splitting: options.splitting ?? true,
    minify: options.minify ?? true,
    keepNames: options.keepNames ?? true,
    sourcemap: (options.sourceMap ?? true) ? 'linked' : false,
    sourcesContent: false,
    banner: { js: REQUIRE_BANNER },
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename', ...options.define },
    loader: { ...options.loaders },
    external: [...(options.externalModules ?? []), ...(options.copiedModules ?? [])],
    ...(options.tsconfig === undefined ? {} : { tsconfig: resolve(options.tsconfig) }),
  };
}

/** The files of a build, free of anything that depends on where the project lies. */
function stableFiles(
  result: InMemoryResult,
  roots: InputRoots,
  index: string,
  options: BundlingOptions,
): Bundle['files'] {
  const { outputs, inputs } = result.metafile;
  const names = stableOutputNames(outputs, index);
  const labelled = options.minify === false ? Object.keys(inputs) : [];
  const files = result.outputFiles.map(({ path, text, contents }): [string, string | Uint8Array] => {
    const output = outputKey(outputs, path);
    if (output.endsWith('.mjs.map')) {
      const code = output.slice(0, -'.map'.length);
      return [`${names.get(code) ?? code}.map`, canonicalSourceMap(text, roots)];
    }
    return names.has(output) && output.endsWith('.mjs')
      ? [names.get(output) ?? output, renameOutputs(canonicalCode(text, labelled, roots), names)]
      : [output, contents];
  });
  return new Map(files.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Key of an output file in the metafile: its path relative to the output directory, which holds no directories. */
function outputKey(outputs: Metafile['outputs'], path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return name in outputs ? name : path;
}
