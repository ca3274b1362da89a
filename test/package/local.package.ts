import { writeFileSync } from 'node:fs';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from './command';
import { ROOT, appFolder } from './places';

/** The data module of the guide. */
function dataModule(): string {
  const guide = readFileSync(join(ROOT, 'docs', 'local.md'), 'utf8');
  const code = /^```ts file=load\.ts\n(.*?)^```/ms.exec(guide)?.[1];
  if (code === undefined) {
    throw new Error('docs/local.md shows no load.ts');
  }
  return code;
}

describe('`npx cron-fanout local` in an installed app', () => {
  it('runs the app with the data of the guide', async () => {
    const app = appFolder('commonjs');
    // Addresses that the job refuses itself: a test sends nothing to anywhere.
    writeFileSync(join(app, 'load.ts'), dataModule().replaceAll('@example.com', ' at nowhere'));
    const { exitCode, stdout, stderr } = await attempt(
      'npx',
      ['--no-install', 'cron-fanout', 'local', '--data', 'load.ts', '--records', '50', '--json'],
      { cwd: app },
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) as string });
    expect(JSON.parse(stdout)).toMatchObject({ eligible: 50, dead: 50 });
  });

  it('says what to install where dynalite is not, before it does anything else', async () => {
    const app = appFolder('es-module');
    writeFileSync(join(app, 'load.mjs'), 'export const load = () => ({ eligible: 1 });\n');
    const { exitCode, stdout, stderr } = await attempt(
      'npx',
      ['--no-install', 'cron-fanout', 'local', '--data', 'load.mjs'],
      { cwd: app },
    );
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: dynalite.*npm install --save-dev dynalite@4/) as string,
    });
  });
});
