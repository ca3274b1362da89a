import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '..', '..');

/** What users import, and where it is before it is built. */
const ENTRY_POINTS = {
  'cron-fanout': 'lib/index.ts',
  'cron-fanout/job': 'lambda/job/index.ts',
  'cron-fanout/testing': 'lambda/simulation/index.ts',
};

interface Snippet {
  readonly page: string;
  /** Path that the fence gives (`ts file=...`), or a generated one. */
  readonly file: string;
  readonly code: string;
}

const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Every TypeScript snippet of the README and the guides; one that is not meant to stand alone is fenced as `text`. */
function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```ts(?: file=(\S+))?\n(.*?)^```/gms)].map(([, file, code = ''], place) => ({
    page,
    file: file ?? `${page.replace(/\W/g, '-')}-${place + 1}.ts`,
    code,
  }));
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cron-fanout-snippets-'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"name":"snippets","private":true}');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
        paths: Object.fromEntries(Object.entries(ENTRY_POINTS).map(([name, file]) => [name, [join(ROOT, file)]])),
      },
      include: ['**/*.ts', join(ROOT, 'types')],
      exclude: ['node_modules'],
    }),
  );
  for (const { file, code } of PAGES.flatMap(snippetsOf)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('snippets', () => {
  it('are found in the README', () => {
    expect(snippetsOf('README.md').map(({ file }) => file)).toEqual([
      'jobs/booking-reminders.ts',
      'stacks/bookings.ts',
      'app.ts',
      'jobs/booking-reminders.test.ts',
    ]);
  });

  it('compile, each as it stands', () => {
    const config = ts.getParsedCommandLineOfConfigFile(
      join(folder, 'tsconfig.json'),
      {},
      {
        ...ts.sys,
        onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
          throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
        },
      },
    );
    const program = ts.createProgram(config?.fileNames ?? [], { ...config?.options, noEmit: true });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .filter((problem) => problem.file?.fileName.startsWith(folder) !== false)
      .map((problem) => {
        const line = problem.file?.getLineAndCharacterOfPosition(problem.start ?? 0).line ?? 0;
        return `${problem.file?.fileName ?? ''}:${line + 1} ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`;
      });
    expect(problems).toEqual([]);
  });

  it('that are tests of jobs pass', () => {
    const tests = PAGES.flatMap(snippetsOf).filter(({ file }) => file.endsWith('.test.ts'));
    expect(tests.map(({ page }) => page)).toEqual(['README.md', 'docs/testing.md']);
    const config = {
      rootDir: folder,
      testEnvironment: 'node',
      testMatch: ['<rootDir>/**/*.test.ts'],
      transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
      moduleNameMapper: Object.fromEntries(
        Object.entries(ENTRY_POINTS).map(([name, file]) => [`^${name}$`, join(ROOT, file)]),
      ),
    };
    const jest = join(dirname(require.resolve('jest/package.json')), 'bin/jest.js');
    const results = join(folder, 'results.json');
    const run = spawnSync(
      process.execPath,
      [jest, '--config', JSON.stringify(config), '--runInBand', '--json', '--outputFile', results],
      { cwd: folder, encoding: 'utf8' },
    );
    const { numPassedTests, numTotalTests, testResults } = JSON.parse(readFileSync(results, 'utf8')) as {
      readonly numPassedTests: number;
      readonly numTotalTests: number;
      readonly testResults: readonly { readonly message: string }[];
    };
    expect(testResults.map(({ message }) => message).filter((message) => message !== '')).toEqual([]);
    expect(testResults).toHaveLength(tests.length);
    expect([run.status, numPassedTests]).toEqual([0, numTotalTests]);
  });

  it('of the README synthesize', () => {
    writeFileSync(
      join(folder, 'app.ts'),
      `import { App } from 'aws-cdk-lib';
       import { BookingsStack } from './stacks/bookings';
       const app = new App({ builtinCloudFormationValidation: false });
       new BookingsStack(app, 'Bookings');
       console.log(JSON.stringify(Object.keys(app.synth().getStackByName('Bookings').template.Resources)));`,
    );
    const output = execFileSync(process.execPath, ['--import', 'tsx', 'app.ts'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, TSX_TSCONFIG_PATH: join(folder, 'tsconfig.json'), CDK_OUTDIR: join(folder, 'cdk.out') },
    });
    const resources = JSON.parse(output.trim().split('\n').at(-1) ?? '[]') as string[];
    expect(resources.filter((name) => name.startsWith('BookingReminders')).length).toBeGreaterThan(10);
  });
});
