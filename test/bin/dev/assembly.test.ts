import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appCommand, synthesize } from '../../../bin/dev/assembly';
import { Cleanup } from '../../../bin/dev/cleanup';
import { importLoad } from '../../../bin/dev/data-module';

describe('synthesize', () => {
  const directory = mkdtempSync(join(tmpdir(), 'assembly-'));
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });
  const script = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return `node ${name}`;
  };
  const run = (app: string, signal?: AbortSignal): Promise<void> =>
    synthesize({ app, directory, output: join(directory, 'cdk.out'), ...(signal !== undefined && { signal }) });

  it('runs the command as the CDK does: output directory, account, region and context in the environment', async () => {
    writeFileSync(join(directory, 'cdk.json'), '{"app":"node app.js","context":{"tier":"test"}}');
    const app = script(
      'app.js',
      `const context = JSON.parse(process.env.CDK_CONTEXT_JSON);
       const right = process.env.CDK_OUTDIR.endsWith('cdk.out') && process.env.CDK_DEFAULT_REGION === 'us-east-1' && context.tier === 'test' && context['aws:cdk:bundling-stacks'][0] === '**';
       process.exit(right ? 0 : 1);`,
    );
    expect(appCommand(directory)).toBe(app);
    await expect(run(app)).resolves.toBeUndefined();
  });

  it('quotes what a failing app wrote last', async () => {
    const app = script('broken.js', `console.error('maxConcurrency: received 0'); process.exit(3);`);
    await expect(run(app)).rejects.toMatchObject({
      code: 'SynthesisFailed',
      message: expect.stringMatching(/"node broken\.js".*exit code 3.*maxConcurrency: received 0/s) as string,
    });
  });

  it('ends the app when it is stopped', async () => {
    const stop = new AbortController();
    const synthesis = run(script('endless.js', 'setInterval(() => {}, 1000);'), stop.signal);
    stop.abort();
    await expect(synthesis).resolves.toBeUndefined();
  });

  it('rejects a directory without an app', () => {
    expect(() => appCommand(tmpdir())).toThrow(/MissingApp/);
  });
});

describe('importLoad', () => {
  it('rejects a module that exports no load', async () => {
    await expect(importLoad(__filename.replace(/[^/]*$/, 'fixture-without-load.ts'))).rejects.toMatchObject({
      code: 'DataModuleNotFound',
    });
    await expect(importLoad('bin/dev/progress.ts')).rejects.toMatchObject({ code: 'InvalidDataModule' });
  });
});

describe('Cleanup', () => {
  it('undoes in reverse order, whatever fails, once', async () => {
    const cleanup = new Cleanup();
    const undone: string[] = [];
    cleanup.add(() => undone.push('first'));
    cleanup.add(async () => {
      undone.push('second');
      throw new Error('port in use');
    });
    cleanup.add(() => undone.push('third'));
    await expect(Promise.all([cleanup.run(), cleanup.run()])).rejects.toThrow('port in use');
    expect(undone).toEqual(['third', 'second', 'first']);
  });
});
