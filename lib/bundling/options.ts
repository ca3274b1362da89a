import type { Loader } from 'esbuild';
import type { JobCode } from './job-code';

/** How the job module and the runtime are joined into the code of the two functions. */
export interface BundlingOptions {
  /**
   * Whether the code is minified. Names of functions and classes survive (see `keepNames`), and with source maps so do traces; a smaller file
   * starts faster.
   *
   * @default true
   */
  readonly minify?: boolean;
  /**
   * Whether source maps are packaged, without the sources themselves. With them (and `--enable-source-maps`, which the construct sets) traces
   * in the logs name your file and line.
   *
   * @default true
   */
  readonly sourceMap?: boolean;
  /**
   * Whether `name` of functions and classes stays what the source says, minified or not.
   *
   * @default true
   */
  readonly keepNames?: boolean;
  /**
   * Whether a module that is only imported dynamically (`await import('./mailer')`) becomes a file of its own, loaded when the import runs: the
   * scanner then never loads what only a handler needs. Where splitting would change the order in which modules are evaluated, everything
   * stays in one file, whatever is set here.
   *
   * @default true
   */
  readonly splitting?: boolean;
  /**
   * Path of the TypeScript configuration to use, absolute or relative to the working directory.
   *
   * @default - the tsconfig.json nearest to each source file
   */
  readonly tsconfig?: string;
  /**
   * Identifiers and dotted names that are replaced by a constant, as esbuild's `define`: values are JSON or an identifier
   * (`{ 'process.env.STAGE': '"test"' }`).
   *
   * @default - nothing is replaced
   */
  readonly define?: Readonly<Record<string, string>>;
  /**
   * What to do with a file by its extension, as esbuild's `loader` (`{ '.sql': 'text' }`).
   *
   * @default - esbuild's own choice for .ts, .tsx, .js, .jsx, .mjs, .cjs, .json, .css and .txt; others are refused
   */
  readonly loaders?: Readonly<Record<string, Loader>>;
  /**
   * Fields of a dependency's package.json that name its entry point, most wanted first; `exports` goes before all of them.
   *
   * @default - `module`, `main`: ES modules let esbuild drop what is not used, which makes the AWS SDK about a third of its size
   */
  readonly mainFields?: readonly string[];
  /**
   * Modules that are neither bundled nor packaged, because the function has them otherwise (a layer) or never loads them. Names of packages
   * or import paths, `*` for any text.
   *
   * @default - everything is bundled, the AWS SDK too
   */
  readonly externalModules?: readonly string[];
  /**
   * Packages that are copied into `node_modules` with their dependencies, as they are installed here, instead of being bundled: for packages
   * that read files beside themselves or hold native code. Native code must be built for the functions' system (Linux) and architecture.
   *
   * @default - no package is copied; with `code`, the packages which its modules import
   */
  readonly copiedModules?: readonly string[];
}

/** Where the job module comes from: a source file that is bundled, or code that the user built. */
export type JobSource =
  | {
      /** Path of the job module, absolute, a `file:` URL, or relative to the working directory: TypeScript or JavaScript. */
      readonly entry: string;
      readonly code?: undefined;
    }
  | {
      /** Job modules that are built already. */
      readonly code: JobCode;
      readonly entry?: undefined;
    };

/** The two functions that are bundled. */
export type Role = 'scanner' | 'consumer';
