import { relative, resolve } from 'node:path';

/** Where the inputs of a bundle lie. */
export interface InputRoots {
  /** Directory that esbuild names its inputs relative to. */
  readonly projectRoot: string;
  /** Directory whose `lambda` and `runtime` hold this package's runtime files. */
  readonly runtimeRoot: string;
}

/**
 * The name of an input that does not depend on where project and packages lie: it is what ends up in source maps, and so in traces.
 *
 * A file of a package is named from its last `node_modules` on, a file of the runtime after this package, anything else relative to the project.
 *
 * @param input path relative to the project root, with forward slashes, as esbuild gives it
 */
export function canonicalPath(input: string, roots: InputRoots): string {
  if (isRuntimeInput(input, roots)) {
    return `cron-fanout/${relativeToRuntime(input, roots)}`;
  }
  const packageStart = input.lastIndexOf('node_modules/');
  return packageStart === -1 ? input : input.slice(packageStart);
}

/** Whether an input is one of this package's runtime files. */
export function isRuntimeInput(input: string, roots: InputRoots): boolean {
  return /^(lambda|runtime)\//.test(relativeToRuntime(input, roots));
}

function relativeToRuntime(input: string, roots: InputRoots): string {
  return relative(roots.runtimeRoot, resolve(roots.projectRoot, input)).replaceAll('\\', '/');
}

/**
 * Gives the inputs of a source map their canonical names. Mappings stay as they are.
 *
 * @param map the source map as JSON
 */
export function canonicalSourceMap(map: string, roots: InputRoots): string {
  const parsed = JSON.parse(map) as { sources: string[] };
  return JSON.stringify({ ...parsed, sources: parsed.sources.map((source) => canonicalPath(source, roots)) });
}

/**
 * Gives the inputs of code their canonical names. Code that is not minified holds them in two places: the comment before a module and the
 * function around a CommonJS module.
 *
 * @param inputs the inputs of the build; other texts of that form are left alone
 */
export function canonicalCode(code: string, inputs: readonly string[], roots: InputRoots): string {
  const known = new Set(inputs);
  return code.replaceAll(/^(\/\/ | {2}")(.+?)(?=$|"\()/gm, (whole, before: string, input: string) =>
    known.has(input) ? before + canonicalPath(input, roots) : whole,
  );
}
