import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { RUN_VARIABLE } from '../setup/external-run';
import { REGION, type MiniStack } from '../setup/ministack';

const ROOT = join(__dirname, '..', '..');
const CLI = join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');
const BIN = join(ROOT, 'node_modules', '.bin');

/** How a command of the CDK CLI ended. */
export interface CdkResult {
  readonly exitCode: number | null;
  /** What it wrote, errors included. */
  readonly output: string;
}

/** Part of a resource of a template that tests read. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, string>>;
}

/** Part of a synthesized template that tests read. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
}

/** The CDK CLI of this package, with one MiniStack for the cloud, and with a home, a cache and an output folder of its own. */
export class CdkCli {
  private readonly output: string;

  /** @param app command that runs the app */
  constructor(
    private readonly cloud: MiniStack,
    private readonly app: string,
  ) {
    this.output = join(cloud.folder, 'cdk.out');
  }

  /** Prepares the account; needs no app. */
  async bootstrap(): Promise<void> {
    check('bootstrap', await this.run(['bootstrap', `aws://${this.cloud.account}/${REGION}`], {}, this.cloud.folder));
  }

  /** Deploys the app's only stack. */
  async deploy(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    check('deploy', await this.tryDeploy(environment));
  }

  /** Like {@link deploy}, for a deployment that may fail. */
  tryDeploy(environment: Readonly<Record<string, string>> = {}): Promise<CdkResult> {
    return this.run(
      ['deploy', '--all', '--require-approval', 'never', '--progress', 'events', ...this.where],
      environment,
    );
  }

  /** Deletes the stack, as the app described it at the last deployment. */
  async destroy(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    check('destroy', await this.run(['destroy', '--all', '--force', ...this.where], environment));
  }

  /** The template of the last deployment. */
  template(stackName: string): Template {
    return JSON.parse(readFileSync(join(this.output, `${stackName}.template.json`), 'utf8')) as Template;
  }

  private get where(): readonly string[] {
    return ['--app', this.app, '--output', this.output];
  }

  private run(
    parameters: readonly string[],
    environment: Readonly<Record<string, string>>,
    cwd = ROOT,
  ): Promise<CdkResult> {
    const { folder, environment: cloud } = this.cloud;
    const cli = spawn(process.execPath, [CLI, ...parameters, '--no-notices', '--ci'], {
      cwd,
      env: {
        PATH: `${BIN}${delimiter}${process.env.PATH ?? ''}`,
        HOME: folder,
        TMPDIR: folder,
        [RUN_VARIABLE]: process.env[RUN_VARIABLE],
        CDK_DISABLE_CLI_TELEMETRY: 'true',
        ...cloud,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    cli.stdout.on('data', collect);
    cli.stderr.on('data', collect);
    return new Promise((resolve, reject) => {
      cli.once('error', reject);
      cli.once('close', (exitCode) => {
        resolve({ exitCode, output });
      });
    });
  }
}

function check(command: string, { exitCode, output }: CdkResult): void {
  if (exitCode !== 0) {
    throw new Error(`cdk ${command} ended with exit code ${exitCode ?? 'none'}:\n${output}`);
  }
}
