import type { Metafile } from 'esbuild';

/** The file that Lambda loads. */
export const INDEX = 'index.mjs';

/** The runtime's file, where job modules are packaged as they are. */
export const RUNTIME = 'runtime.mjs';

/**
 * Names for the files of a bundle by what imports them, in place of esbuild's own, whose hash holds where the project lies.
 *
 * Names keep their length, so that positions in source maps stay right.
 *
 * @param outputs the outputs of a build whose output directory is its working directory
 * @param index the output that imports the others; keeps its name
 * @returns new name by old name, the index file included
 */
export function stableOutputNames(outputs: Metafile['outputs'], index: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const visit = (output: string): void => {
    const meta = outputs[output];
    if (meta === undefined || names.has(output)) {
      return;
    }
    names.set(output, output === index ? output : numbered(output, names.size));
    meta.imports
      .filter(({ external }) => external !== true)
      .forEach(({ path }) => {
        visit(path);
      });
  };
  visit(index);
  return names;
}

/** `mailer-6E5P2V6O.mjs` becomes `mailer-00000003.mjs`. */
function numbered(output: string, order: number): string {
  return output.replace(
    /-([A-Z0-9]{8})\.mjs$/,
    (_, hash: string) => `-${String(order).padStart(hash.length, '0')}.mjs`,
  );
}

/** Replaces names of files in code and in source map comments. */
export function renameOutputs(text: string, names: ReadonlyMap<string, string>): string {
  return [...names].reduce((renamed, [from, to]) => (from === to ? renamed : renamed.replaceAll(from, to)), text);
}
