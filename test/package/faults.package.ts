import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from './command';
import type { CommandResult } from './command';
import { copyApp } from './copied-app';
import { contentOf } from './installed-app';
import { appFolder, folder } from './places';

/** The smallest app, in JavaScript: what is left out is not missed by TypeScript tools, which bring an esbuild of their own. */
const PLAIN_APP = `const { join } = require('node:path');
const { App, Duration, Stack } = require('aws-cdk-lib');
const { ScheduleExpression } = require('aws-cdk-lib/aws-scheduler');
const { CronFanout } = require('cron-fanout');
const stack = new Stack(new App(), 'Bookings');
new CronFanout(stack, 'BookingReminders', {
  entry: join(__dirname, 'jobs/booking-reminders.ts'),
  schedule: ScheduleExpression.rate(Duration.minutes(5)),
});
stack.node.root.synth();
`;

/** A PATH with Node and a Docker that only says that it was called. */
function pathWithDocker(): { readonly path: string; readonly wasCalled: () => boolean } {
  const path = mkdtempSync(join(folder(), 'path-'));
  const mark = join(path, 'called');
  symlinkSync(process.execPath, join(path, 'node'));
  writeFileSync(join(path, 'docker'), `#!/bin/sh\necho "$@" >> '${mark}'\nexit 1\n`);
  chmodSync(join(path, 'docker'), 0o755);
  return { path, wasCalled: () => existsSync(mark) };
}

/** Runs the plain app of a folder. */
async function synthesize(app: string, env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  const output = join(app, 'cdk.out');
  rmSync(output, { recursive: true, force: true });
  writeFileSync(join(app, 'plain-app.cjs'), PLAIN_APP);
  return attempt(process.execPath, ['plain-app.cjs'], { cwd: app, env: { CDK_OUTDIR: output, ...env } });
}

let app: string;

beforeAll(async () => {
  app = await copyApp(appFolder('commonjs'));
});

describe('B23: the tool that bundles', () => {
  it('is the package’s own: synthesizes with neither Docker nor esbuild on the PATH, and calls no Docker', async () => {
    const { path, wasCalled } = pathWithDocker();
    const { exitCode, stderr } = await synthesize(app, { PATH: path });
    expect({ exitCode, stderr, docker: wasCalled() }).toEqual({
      exitCode: 0,
      stderr: expect.any(String) as string,
      docker: false,
    });
    expect(existsSync(join(app, 'cdk.out', 'Bookings.template.json'))).toBe(true);
  });

  it.each([
    ['esbuild', 'esbuild is not installed'],
    ['@esbuild', 'its binary for this system is not installed, as with --omit=optional'],
  ])('without node_modules/%s the error names esbuild and the change: %s', async (name) => {
    const modules = join(app, 'node_modules');
    renameSync(join(modules, name), join(modules, 'hidden'));
    const { path, wasCalled } = pathWithDocker();
    const { exitCode, stderr } = await synthesize(app, { PATH: path });
    renameSync(join(modules, 'hidden'), join(modules, name));
    expect({ exitCode, stderr, docker: wasCalled() }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/esbuild, which bundles the job module.*npm install/) as string,
      docker: false,
    });
  });
});

describe('B24: lock files', () => {
  it('make no difference: one, two of different package managers, none but another one above', async () => {
    const layouts: (() => void)[] = [
      () => undefined,
      () => {
        writeFileSync(join(app, 'yarn.lock'), '');
      },
      () => {
        rmSync(join(app, 'yarn.lock'));
        rmSync(join(app, 'package-lock.json'));
        writeFileSync(join(dirname(app), 'pnpm-lock.yaml'), ':');
      },
    ];
    const outputs: unknown[] = [];
    for (const arrange of layouts) {
      arrange();
      const { exitCode, stderr } = await synthesize(app);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringMatching(/lock/i) as string });
      outputs.push(contentOf(join(app, 'cdk.out')));
    }
    const [first, ...others] = outputs;
    expect(Object.keys(first as object).length).toBeGreaterThan(10);
    expect(others).toEqual([first, first]);
  });
});
