import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from './command';
import { copyApp } from './copied-app';
import { ROOT, appFolder, asEsModule, entryPoints, readmeApp } from './places';

/**
 * What careful teams switch on, beside `strict`. The package's own declarations are checked as well; those of aws-cdk-lib do not pass
 * `exactOptionalPropertyTypes` themselves.
 */
const STRICTEST = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  isolatedModules: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2022',
  lib: ['es2022'],
  types: ['node'],
};
/** The release of TypeScript before the native one: the last that knows `node10`. */
const TYPESCRIPT_6 = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const NATIVE = join('node_modules', 'typescript', 'bin', 'tsc');

interface Resolution {
  readonly name: string;
  readonly tsc: string;
  readonly type: 'commonjs' | 'module';
  readonly options: Readonly<Record<string, unknown>>;
}

const VERBATIM = { verbatimModuleSyntax: true };
const RESOLUTIONS: readonly Resolution[] = [
  {
    name: 'node10, TypeScript 6',
    tsc: TYPESCRIPT_6,
    type: 'commonjs',
    options: { module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0', skipLibCheck: true },
  },
  { name: 'node16 from CommonJS', tsc: NATIVE, type: 'commonjs', options: { module: 'node16' } },
  { name: 'node16 from an ES module', tsc: NATIVE, type: 'module', options: { module: 'node16', ...VERBATIM } },
  { name: 'nodenext from CommonJS', tsc: NATIVE, type: 'commonjs', options: { module: 'nodenext' } },
  { name: 'nodenext from an ES module', tsc: NATIVE, type: 'module', options: { module: 'nodenext', ...VERBATIM } },
  {
    name: 'bundler',
    tsc: NATIVE,
    type: 'module',
    options: { module: 'esnext', moduleResolution: 'bundler', ...VERBATIM },
  },
];

let app: string;

beforeAll(async () => {
  app = await copyApp(appFolder('commonjs'));
});

/** The README's example and an import of every entry point, as a project below the app. */
function writeProject(
  name: string,
  { type, options }: Resolution,
  files: Readonly<Record<string, string>> = {},
): string {
  const project = join(app, 'projects', name.replace(/\W+/g, '-'));
  const imports = entryPoints().map((point, place) => `export type * as entryPoint${place} from '${point}';`);
  const all = {
    ...Object.fromEntries([...readmeApp()].map(([file, code]) => [file, type === 'module' ? asEsModule(code) : code])),
    'entry-points.ts': `${imports.join('\n')}\n`,
    'package.json': JSON.stringify({ type, private: true }),
    'tsconfig.json': JSON.stringify({ compilerOptions: { ...STRICTEST, ...options } }),
    ...files,
  };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), text);
  }
  return project;
}

/** Errors in the project and in the declarations of this package. */
async function ownErrors({ tsc }: Resolution, project: string): Promise<string[]> {
  const { stdout } = await attempt(process.execPath, [tsc, '--project', project, '--pretty', 'false'], { cwd: app });
  return stdout
    .split('\n')
    .filter((line) => /^\S.*error TS/.test(line) && !/^node_modules\/(?!cron-fanout\/)/.test(line));
}

describe('the README example type-checks with the strictest options', () => {
  it.each(RESOLUTIONS)('$name', async (resolution) => {
    const project = writeProject(resolution.name, resolution);
    expect(await ownErrors(resolution, project)).toEqual([]);
  });

  it('control: a mistake is seen', async () => {
    const resolution = RESOLUTIONS[3]!;
    const project = writeProject('control', resolution, {
      'mistake.ts': `import type { CronFanoutProps } from 'cron-fanout';
export const wrong: Pick<CronFanoutProps, 'maxConcurrency'> = { maxConcurrency: undefined };`,
      'broken.d.ts': 'export declare const broken: NoSuchType;',
    });
    expect(await ownErrors(resolution, project)).toEqual([
      expect.stringMatching(/broken\.d\.ts.*error TS2304/),
      expect.stringMatching(/mistake\.ts.*error TS2375/),
    ]);
  });
});
