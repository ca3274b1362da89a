/**
 * The part of the build that tsc does not do: joins the runtime's own modules into one file per function, and gives ES module users of the
 * package's subpaths real ES modules. Packages stay imports: they are dependencies of this package, resolved when a job module is bundled.
 *
 * Usage: node scripts/build-runtime.mjs [output directory, default dist]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = resolve(process.argv[2] ?? join(root, 'dist'));

/** Output below the output directory, by the module it is made from. */
const MODULES = {
  'runtime/scanner.mjs': 'lambda/scanner/entry.ts',
  'runtime/consumer.mjs': 'lambda/consumer/entry.ts',
  'esm/job.mjs': 'lambda/job/index.ts',
  'esm/testing.mjs': 'lambda/simulation/index.ts',
};

/** What ends up in functions, whose traces name files and lines by these maps. The rest is read as it is. */
const DEPLOYED = /^runtime\/|^esm\/job\.mjs$/;

for (const [file, entry] of Object.entries(MODULES)) {
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    sourcemap: DEPLOYED.test(file) ? 'linked' : false,
    sourcesContent: false,
    write: false,
  });
  for (const { path, text } of outputFiles) {
    const absolute = join(output, dirname(file), path.split(/[\\/]/).at(-1));
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, text);
  }
}

// ES module types: those of the CommonJS build under a name that TypeScript takes for an ES module.
for (const file of Object.keys(MODULES).filter((name) => name.startsWith('esm/'))) {
  const types = MODULES[file].replace(/\.ts$/, '.js');
  writeFileSync(join(output, file.replace(/\.mjs$/, '.d.mts')), `export * from '../${types}';\n`);
}
