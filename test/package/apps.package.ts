import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, run } from './command';
import { contentOf, exportsOf, functionsIn } from './installed-app';
import { ROOT, appFolder, folder, manifestIn } from './places';

/** Apps by what they are, with the folder in which the user of each works. */
const APPS = [
  ['CommonJS app', appFolder('commonjs')],
  ['ES module app, oldest aws-cdk-lib', appFolder('es-module')],
  ['pnpm workspace, job module in another package', join(appFolder('workspace'), 'stacks')],
] as const;
const PNPM = join(ROOT, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');

describe.each(APPS)('%s', (_, app) => {
  it('B22: `npx cdk synth` succeeds, type check of the README example included', async () => {
    const { exitCode, stdout, stderr } = await attempt(
      'npx',
      ['--no-install', 'cdk', 'synth', '--quiet', '--no-notices'],
      {
        cwd: app,
      },
    );
    expect({ exitCode, text: `${stdout}${stderr}` }).toEqual({
      exitCode: 0,
      text: expect.not.stringMatching(/\[Error|docker/i) as string,
    });
  });

  it('B22: both functions have code, which plain Node loads', async () => {
    const functions = functionsIn(join(app, 'cdk.out'), 'Bookings');
    expect(functions.map(({ code }) => existsSync(join(code, 'index.mjs')))).toEqual([true, true]);
    // A copy: nothing of the app's node_modules can be found from there.
    for (const { code, ...rest } of functions) {
      const copy = mkdtempSync(join(folder(), 'function-'));
      cpSync(code, copy, { recursive: true });
      expect(await exportsOf({ ...rest, code: copy }, { cwd: copy })).toContainEqual(['handler', 'function']);
    }
  });

  it('the code of the functions holds neither the CDK nor the simulation', () => {
    const sources = functionsIn(join(app, 'cdk.out'), 'Bookings')
      .flatMap(({ code }) =>
        readdirSync(code)
          .filter((file) => file.endsWith('.map'))
          .map((file) => join(code, file)),
      )
      .flatMap((file) => (JSON.parse(readFileSync(file, 'utf8')) as { sources: string[] }).sources);
    expect(sources.length).toBeGreaterThan(100);
    expect(
      sources.filter((source) => /aws-cdk-lib|node_modules\/constructs|lambda\/simulation|\/test\//.test(source)),
    ).toEqual([]);
  });

  it('the user’s Jest imports every entry point, the job and the stack', async () => {
    const { exitCode, stderr } = await attempt('npm', ['test', '--silent'], { cwd: app });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/Tests: +\d+ passed, \d+ total/) as string,
    });
  });

  it('the command line answers', async () => {
    const { version } = manifestIn(ROOT);
    const npx = (args: readonly string[]): Promise<string> =>
      run('npx', ['--no-install', 'cron-fanout', ...args], { cwd: app });
    expect(await npx(['--help'])).toContain('local [options]');
    expect((await npx(['--version'])).trim()).toBe(version);
  });
});

describe('the three apps together', () => {
  it('have the same code, byte by byte, whatever package manager and version of aws-cdk-lib', () => {
    const [npm, oldest, pnpm] = APPS.map(([, app]) =>
      functionsIn(join(app, 'cdk.out'), 'Bookings').map(({ id, code }) => [id, contentOf(code)] as const),
    );
    expect(npm).toHaveLength(2);
    expect(oldest).toEqual(npm);
    // Source maps name the job module relative to its package, which is another one in the workspace.
    const code = (functions: typeof npm): unknown =>
      functions?.map(([id, { 'index.mjs.map': map, ...files }]) => [id, files, typeof map]);
    expect(code(pnpm)).toEqual(code(npm));
  });
});

describe('B20: one copy of what must be one', () => {
  const names = ['aws-cdk-lib', 'constructs'];

  it.each(['commonjs', 'es-module'] as const)('npm, %s app', async (name) => {
    const output = await run('npm', ['ls', '--all', '--parseable', ...names], { cwd: appFolder(name) });
    const modules = join(appFolder(name), 'node_modules');
    expect(output.trim().split('\n').sort()).toEqual(names.map((each) => join(modules, each)));
  });

  it('pnpm workspace', async () => {
    const workspace = appFolder('workspace');
    const output = await run(process.execPath, [PNPM, '--recursive', 'why', '--json', ...names], { cwd: workspace });
    const copies = JSON.parse(output) as { name: string; dependents: { name: string }[] }[];
    expect(copies.map(({ name }) => name).sort()).toEqual(names);
    expect(copies[0]?.dependents.map(({ name }) => name)).toContain('cron-fanout');
  });
});

describe('the job module’s own package', () => {
  it('type-checks without the CDK', async () => {
    const workspace = appFolder('workspace');
    const tsc = join(workspace, 'stacks', 'node_modules', '.bin', 'tsc');
    expect(existsSync(join(workspace, 'jobs', 'node_modules', 'aws-cdk-lib'))).toBe(false);
    await run(tsc, ['--project', 'jobs'], { cwd: workspace });
  });
});
