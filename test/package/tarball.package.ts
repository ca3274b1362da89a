import { readFileSync, readdirSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, dirname, normalize } from 'node:path';
import { attempt, run } from './command';
import { ROOT, appFolder, manifestIn, tarball } from './places';

/** The installed package: what was in the tarball. */
const PACKAGE = join(appFolder('commonjs'), 'node_modules', 'cron-fanout');
/** KiB that the tarball may have, and the installed package. More is to be noticed, not forbidden: raise it together with a reason. */
const MAX_PACKED = 1_500;
const MAX_UNPACKED = 6_000;

const files = (): string[] =>
  readdirSync(PACKAGE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(PACKAGE.length + 1))
    .filter((file) => !file.startsWith('node_modules/'));

const read = (file: string): string => readFileSync(join(PACKAGE, file), 'utf8');

describe('the tarball', () => {
  it('holds what it should, and nothing else', () => {
    expect(files()).toEqual(
      expect.arrayContaining([
        'CHANGELOG.md',
        'SECURITY.md',
        'LICENSE',
        'README.md',
        'package.json',
        'docs/options.md',
        'dist/lib/index.js',
        'dist/lib/index.d.ts',
        'dist/runtime/scanner.mjs',
        'dist/runtime/consumer.mjs',
        'dist/bin/cron-fanout.js',
      ]),
    );
    expect(files().filter((file) => !/^(dist\/(bin|esm|lambda|lib|runtime)|docs)\/|^[^/]+$/.test(file))).toEqual([]);
    expect(files().filter((file) => /\.test\.|\.env|docs\/api|(?<!\.d)\.m?ts$|tsbuildinfo/.test(file))).toEqual([]);
    expect(read('LICENSE')).toContain('Apache License');
  });

  it(`is small: ${MAX_PACKED} KiB at most, and ${MAX_UNPACKED} installed`, () => {
    const installed = files().reduce((sum, file) => sum + statSync(join(PACKAGE, file)).size, 0);
    expect(statSync(tarball()).size / 1024).toBeLessThan(MAX_PACKED);
    expect(installed / 1024).toBeLessThan(MAX_UNPACKED);
  });

  it('has every page that its pages link to', () => {
    const pages = files().filter((file) => file.endsWith('.md'));
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)].map(([, link = '']) =>
        normalize(join(dirname(page), link)),
      ),
    );
    expect(links.length).toBeGreaterThan(20);
    // Links to tests and sources lead into the repository.
    const missing = links.filter(
      (link) => !/^(test|lib|lambda|bin|examples|CONTRIBUTING)/.test(link) && !files().includes(link),
    );
    expect(missing.filter((link) => !files().some((file) => file.startsWith(`${link.replace(/\/$/, '')}/`)))).toEqual(
      [],
    );
  });

  it('has source maps for what ends up in functions, and for nothing else', () => {
    const maps = files().filter((file) => file.endsWith('.map'));
    expect(maps.sort()).toEqual([
      'dist/esm/job.mjs.map',
      'dist/runtime/consumer.mjs.map',
      'dist/runtime/scanner.mjs.map',
    ]);
  });

  it('needs no script to be installed', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
  });

  it('imports only what it depends on', () => {
    const { dependencies, peerDependencies } = manifestIn(PACKAGE);
    const known = new Set([
      ...Object.keys(dependencies),
      ...Object.keys(peerDependencies),
      ...builtinModules,
      'cron-fanout',
    ]);
    const imported = files()
      .filter((file) => /^dist\/.*\.(m?js|d\.m?ts)$/.test(file))
      .flatMap((file) =>
        [...read(file).matchAll(/(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*["']([^."'][^"'\n]*)["']/g)].map(
          ([, name = '']) => packageOf(name),
        ),
      );
    expect(imported.length).toBeGreaterThan(100);
    expect([...new Set(imported)].filter((name) => !known.has(name))).toEqual([]);
  });

  it('runs neither test code nor simulation in the functions', () => {
    for (const file of ['dist/runtime/scanner.mjs', 'dist/runtime/consumer.mjs']) {
      const { sources } = JSON.parse(read(`${file}.map`)) as { sources: string[] };
      expect(sources.length).toBeGreaterThan(20);
      expect(sources.filter((source) => !/\/lambda\/(?!simulation)/.test(source))).toEqual([]);
    }
  });
});

describe('types and formats', () => {
  it('are right by publint, suggestions included', async () => {
    const publint = join(ROOT, 'node_modules', 'publint', 'src', 'cli.js');
    const { stdout, stderr } = await attempt(process.execPath, [publint, 'run', tarball(), '--strict'], { cwd: ROOT });
    expect(`${stdout}${stderr}`.trim().split('\n').at(-1)).toBe('All good!');
  });

  it('are right by are-the-types-wrong, for every way to resolve modules', async () => {
    const attw = join(ROOT, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
    const output = await run(process.execPath, [attw, tarball(), '--format', 'json'], { cwd: ROOT });
    const { analysis } = JSON.parse(output) as {
      analysis: { problems: unknown[]; entrypoints: Record<string, unknown> };
    };
    expect(analysis.problems).toEqual([]);
    expect(Object.keys(analysis.entrypoints)).toEqual(Object.keys(manifestIn(ROOT).exports));
  });
});

/** `@scope/name` of `@scope/name/path`; Node's own modules without their prefix. */
function packageOf(specifier: string): string {
  return specifier
    .replace(/^node:/, '')
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
