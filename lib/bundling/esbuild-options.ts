import type { InMemoryBuild } from './esbuild';
import type { BundlingOptions } from './options';

/** What is bundled. */
export interface BundleInput {
  /** Statements of the generated module that joins the rest. */
  readonly contents: string;
  /** Directory that inputs are named relative to. */
  readonly projectRoot: string;
  /** What is bundled, as the user knows it. */
  readonly subject: string;
  /** Name of the file that is loaded first. */
  readonly output: string;
}

const GENERATED_ENTRY = 'cron-fanout-entry.mjs';

/**
 * CommonJS packages in an ES module bundle call `require` for Node's own modules. It is set on the global object because a declaration
 * would clash with one that a job module makes itself (`const require = createRequire(import.meta.url)`).
 */
const REQUIRE_BANNER =
  "import { createRequire as cronFanoutCreateRequire } from 'node:module'; globalThis.require ??= cronFanoutCreateRequire(import.meta.url);";

/** The options of one build of a function's code. */
export function esbuildOptions(
  { contents, projectRoot, output }: BundleInput,
  options: BundlingOptions,
): InMemoryBuild {
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
    ...(options.tsconfig === undefined ? {} : { tsconfig: options.tsconfig }),
  };
}
