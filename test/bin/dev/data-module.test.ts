import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dynalitePath } from '../../../bin/dev/dynamodb';

const ROOT = join(__dirname, '..', '..', '..');
const MODULE = 'export async function load(context: { records: number }) { return { eligible: context.records }; }';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cron-fanout-data-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** What a process of its own, without a loader for TypeScript in it, says of the data module `load.mts`. */
function loadInPlainNode(): string {
  const script = join(folder, 'main.mjs');
  const built = join(folder, 'data-module.cjs');
  const esbuild = join(ROOT, 'node_modules', 'esbuild', 'bin', 'esbuild');
  const source = join(ROOT, 'bin', 'dev', 'data-module.ts');
  execFileSync(esbuild, [source, '--bundle', '--platform=node', `--outfile=${built}`, '--log-level=error']);
  writeFileSync(join(folder, 'load.mts'), MODULE);
  writeFileSync(
    script,
    `import { importLoad } from ${JSON.stringify(built)};
    const outcome = await importLoad(process.argv[2]).then((load) => load({ records: 3 }), ({ code }) => code);
    console.log(JSON.stringify(outcome));`,
  );
  // Node versions that run TypeScript themselves are asked not to: the others are what is looked at.
  const options = process.allowedNodeEnvironmentFlags.has('--no-experimental-strip-types')
    ? ['--no-experimental-strip-types']
    : [];
  return execFileSync(process.execPath, [...options, script, join(folder, 'load.mts')], { encoding: 'utf8' }).trim();
}

describe('a data module in TypeScript', () => {
  it('is run by the tsx beside it where Node does not run it', () => {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(join(ROOT, 'node_modules', 'tsx'), join(folder, 'node_modules', 'tsx'));
    expect(JSON.parse(loadInPlainNode())).toEqual({ eligible: 3 });
  });

  it('is refused with what to install where there is none', () => {
    expect(JSON.parse(loadInPlainNode())).toBe('DataModuleNeedsLoader');
  });
});

describe('dynalite', () => {
  it('is found where one of the directories sees it', () => {
    expect(dynalitePath([folder, ROOT])).toContain(join('node_modules', 'dynalite'));
  });

  it('is asked for where none does', () => {
    expect(() => dynalitePath([folder])).toThrow(
      expect.objectContaining({
        code: 'MissingDynalite',
        message: expect.stringContaining('npm install --save-dev dynalite@4') as string,
      }) as Error,
    );
  });
});
