import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { ArtifactMetadataEntryType } from 'aws-cdk-lib/cloud-assembly-schema';
import * as cxapi from 'aws-cdk-lib/cx-api';
import { CronFanoutError } from '../../lambda/contract';
import type { Template } from './template';

/** A stack as it was synthesized. */
export interface SynthesizedStack {
  readonly stackName: string;
  /** Region of the stack, or the local one where the stack leaves it open. */
  readonly region: string;
  readonly template: Template;
  /** Construct path within the stack of the resource with a logical id, for example `Bookings`. */
  readonly constructPath: (logicalId: string) => string;
  /**
   * Path of the file asset whose object key is `key`: a directory for a function's code.
   *
   * @throws CronFanoutError `UnknownAsset`
   */
  readonly assetPath: (key: string) => string;
}

/** What an app is synthesized with. */
export interface SynthesisOptions {
  /** The app's command, run through the shell, as the CDK's command line does. */
  readonly app: string;
  /** Directory that the command runs in; its cdk.json and cdk.context.json give the context. */
  readonly directory: string;
  /** Where the cloud assembly is written. */
  readonly output: string;
  readonly signal?: AbortSignal;
}

/** The account in which everything lives locally, and the region of a stack that leaves it open. */
export const LOCAL_ACCOUNT = '000000000000';
export const LOCAL_REGION = 'us-east-1';
/** Lines of an app's error output that an error quotes. */
const QUOTED_LINES = 15;

/**
 * Synthesizes a CDK app as the CDK's command line does: the app runs as a process of its own and leaves a cloud assembly.
 *
 * @throws CronFanoutError `SynthesisFailed`, with the last lines that the app wrote
 */
export async function synthesize(options: SynthesisOptions): Promise<void> {
  const { app, directory, output } = options;
  const binaries = [join(directory, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter);
  const child = spawn(app, {
    shell: true,
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: binaries,
      [cxapi.OUTDIR_ENV]: output,
      [cxapi.CONTEXT_ENV]: JSON.stringify(contextOf(directory)),
      [cxapi.DEFAULT_ACCOUNT_ENV]: LOCAL_ACCOUNT,
      [cxapi.DEFAULT_REGION_ENV]: LOCAL_REGION,
    },
    // A group of its own, so that ending it ends what the shell started as well.
    detached: true,
  });
  const stop = (): void => {
    endGroup(child.pid);
  };
  options.signal?.addEventListener('abort', stop, { once: true });
  let text = '';
  const collect = (chunk: Buffer): void => {
    text += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  try {
    const code = await new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
    if (code !== 0 && options.signal?.aborted !== true) {
      throw synthesisFailed(app, code, text);
    }
  } finally {
    options.signal?.removeEventListener('abort', stop);
  }
}

/**
 * Reads the stacks of a cloud assembly, those of stages included.
 */
export function readStacks(directory: string): SynthesizedStack[] {
  const assembly = new cxapi.CloudAssembly(directory);
  return assembly.stacksRecursively.map((stack) => ({
    stackName: stack.stackName,
    region: stack.environment.region === cxapi.UNKNOWN_REGION ? LOCAL_REGION : stack.environment.region,
    template: stack.template as Template,
    constructPath: pathFinder(stack),
    assetPath: assetFinder(stack),
  }));
}

/** The assembly names the construct of every logical id, whatever metadata its template holds. */
function pathFinder(stack: cxapi.CloudFormationStackArtifact): (logicalId: string) => string {
  const paths = new Map<unknown, string>();
  for (const { path, data } of stack.findMetadataByType(ArtifactMetadataEntryType.LOGICAL_ID)) {
    paths.set(data, path.replace(`/${stack.hierarchicalId}/`, '').replace(/\/Resource$/, ''));
  }
  return (logicalId) => paths.get(logicalId) ?? logicalId;
}

function assetFinder(stack: cxapi.CloudFormationStackArtifact): (key: string) => string {
  const paths = new Map<string, string>();
  for (const dependency of stack.dependencies) {
    if (dependency instanceof cxapi.AssetManifestArtifact) {
      for (const file of Object.values(dependency.contents.files ?? {})) {
        for (const destination of Object.values(file.destinations)) {
          paths.set(destination.objectKey, resolve(dirname(dependency.file), file.source.path ?? ''));
        }
      }
    }
  }
  return (key) => {
    const path = paths.get(key);
    if (path === undefined) {
      throw new CronFanoutError('UnknownAsset', {
        what: `code of a function in stack ${stack.stackName}`,
        received: `object key ${JSON.stringify(key)}`,
        allowed: `a file asset of the stack: ${[...paths.keys()].join(', ') || 'it has none'}`,
        change: 'give the function its code as an asset (the CronFanout construct does)',
      });
    }
    return path;
  };
}

/** The context that the CDK's command line hands to an app. */
function contextOf(directory: string): Record<string, unknown> {
  return {
    ...(readJson(join(directory, 'cdk.context.json')) ?? {}),
    ...((readJson(join(directory, 'cdk.json'))?.context as object | undefined) ?? {}),
    [cxapi.PATH_METADATA_ENABLE_CONTEXT]: true,
    [cxapi.ASSET_RESOURCE_METADATA_ENABLED_CONTEXT]: true,
    [cxapi.BUNDLING_STACKS]: ['**'],
  };
}

/**
 * The command of the app that cdk.json names.
 *
 * @throws CronFanoutError `MissingApp`
 */
export function appCommand(directory: string): string {
  const app = readJson(join(directory, 'cdk.json'))?.app;
  if (typeof app !== 'string') {
    throw new CronFanoutError('MissingApp', {
      what: `app in ${join(directory, 'cdk.json')}`,
      received: app === undefined ? 'nothing' : JSON.stringify(app),
      allowed: 'the command that runs the CDK app, for example "tsx bin/app.ts"',
      change: 'run the command in the directory of the CDK app, or give --app',
    });
  }
  return app;
}

function readJson(path: string): Record<string, unknown> | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : undefined;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) {
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') {
      throw error;
    }
  }
}

function synthesisFailed(app: string, code: number | null, text: string): CronFanoutError {
  const lines = text.trimEnd().split('\n').slice(-QUOTED_LINES);
  return new CronFanoutError('SynthesisFailed', {
    what: `the CDK app ${JSON.stringify(app)}`,
    received: `exit code ${code ?? 'none'}, and last:\n${lines.map((line) => `    ${line}`).join('\n')}\n `,
    allowed: 'exit code 0',
    change: 'mend what the app reports; `npx cdk synth` shows all of it',
  });
}
