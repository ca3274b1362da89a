import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Template } from 'aws-cdk-lib/assertions';
import { ENVIRONMENT } from '../../lambda/contract';
import { CronFanout } from '../../lib';
import { runtimeFiles } from '../../lib/runtime-files';
import { bundleInto, temporaryProject } from '../lib/bundling/temporary-project';
import { MINIMAL, testStack } from '../lib/fanout-stack';
import { CONFIGURATION } from '../lambda/consumer/harness';
import type { Dynalite } from '../setup/dynalite';
import { startDynalite } from '../setup/dynalite';

const run = promisify(execFile);
const ENTRY = join(__dirname, '..', 'lib', 'fixtures', 'booking-jobs.ts');
const TABLE = 'state';

/** What is handed to a function, and what it answers when nothing is to be done. */
const CALLS = {
  scanner: { event: { kind: 'watchdog' }, answer: { outcome: 'idle' } },
  consumer: { event: { Records: [] }, answer: { batchItemFailures: [] } },
} as const;

let dynalite: Dynalite;
beforeAll(async () => {
  dynalite = await startDynalite();
  await dynalite.createTable(TABLE);
});
afterAll(() => dynalite.close());

/** Does what Lambda's runtime does: loads the handler by the name in `_HANDLER`, and calls it; once again while it is warm. */
const HOST = `
import { pathToFileURL } from 'node:url';
const [file, name] = process.env._HANDLER.split(/\\.(?=[^.]*$)/);
const { [name]: handler } = await import(pathToFileURL(file + '.mjs').href);
const context = { functionName: 'fn', awsRequestId: 'r', invokedFunctionArn: 'arn:aws:lambda:eu-central-1:1:function:fn', getRemainingTimeInMillis: () => 30000 };
const event = JSON.parse(process.env.EVENT);
const answers = [await handler(event, context), await handler(event, context)];
process.stdout.write('\\n#answers ' + JSON.stringify(answers) + '\\n');
`;

interface Loaded {
  readonly answers: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Loads a bundle under plain node, in the environment that the construct and a layer make together. */
async function load(
  role: keyof typeof CALLS,
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<Loaded> {
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', HOST], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      LAMBDA_TASK_ROOT: directory,
      AWS_LAMBDA_FUNCTION_NAME: 'fn',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_DYNAMODB: dynalite.endpoint,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      NODE_OPTIONS: '--enable-source-maps',
      EVENT: JSON.stringify(CALLS[role].event),
      [ENVIRONMENT.fanoutId]: 'Shop-Reminders-1a2b3c4d',
      [ENVIRONMENT.stateTable]: TABLE,
      [ENVIRONMENT.queueUrl]: 'http://127.0.0.1:1/0/work.fifo',
      [ENVIRONMENT.deadLetterQueueUrl]: 'http://127.0.0.1:1/0/dead.fifo',
      [ENVIRONMENT.configuration]: JSON.stringify(CONFIGURATION),
      ...environment,
    },
  });
  const [, answers] = stdout.split('\n#answers ');
  return { answers: JSON.parse(answers ?? 'null') as unknown, stdout, stderr };
}

describe.each(['scanner', 'consumer'] as const)('the bundle of the %s', (role) => {
  const directory = bundleInto(role, { entry: ENTRY }, {}, runtimeFiles());
  const twice = [CALLS[role].answer, CALLS[role].answer];

  it('answers by itself', async () => {
    const { answers, stdout } = await load(role, directory, { _HANDLER: join(directory, 'index.handler') });
    expect(answers).toEqual(twice);
    expect(stdout.includes('"Namespace":"CronFanout"')).toBe(role === 'scanner');
  });

  it('answers when the Datadog construct has put its own handler before it', async () => {
    const datadog = require.resolve('datadog-lambda-js').replace(/index\.js$/, 'handler.handler');
    const { answers, stdout } = await load(role, directory, {
      _HANDLER: datadog,
      DD_LAMBDA_HANDLER: 'index.handler',
      DD_TRACE_ENABLED: 'false',
      DD_FLUSH_TO_LOG: 'true',
      DD_ENHANCED_METRICS: 'true',
    });
    expect(answers).toEqual(twice);
    // Control: it was Datadog's handler that was called.
    expect(stdout).toContain('aws.lambda.enhanced.invocations');
  });

  it('answers when an OpenTelemetry layer replaces the export by its instrumented one', async () => {
    const preload = join(temporaryProject({ 'preload.mjs': PRELOAD }), 'preload.mjs');
    const { answers, stderr } = await load(role, directory, {
      _HANDLER: join(directory, 'index.handler'),
      // What the wrapper script of such a layer adds to what the construct has set.
      NODE_OPTIONS: `--enable-source-maps --import ${pathToFileURL(preload).href}`,
    });
    expect(answers).toEqual(twice);
    expect(stderr.match(/instrumented call/g)).toHaveLength(2);
  });
});

/** How OpenTelemetry instruments ES modules: a loader whose hook replaces what a module exports. */
const PRELOAD = `
import { register } from 'node:module';
import { Hook } from ${JSON.stringify(pathToFileURL(require.resolve('import-in-the-middle')).href)};
register(${JSON.stringify(pathToFileURL(require.resolve('import-in-the-middle').replace(/index\.js$/, 'hook.mjs')).href)});
new Hook((exported, name) => {
  if (name.endsWith('index.mjs') && name.includes(process.env.LAMBDA_TASK_ROOT)) {
    const { handler } = exported;
    exported.handler = async (...parameters) => {
      console.error('instrumented call');
      return handler(...parameters);
    };
  }
});
`;

describe('the construct', () => {
  it('lets a monitoring construct change handler, layers and environment of the functions', () => {
    const stack = testStack();
    const { scanner, consumer } = new CronFanout(stack, 'Reminders', MINIMAL);
    for (const made of [scanner, consumer]) {
      const resource = made.node.defaultChild as CfnFunction;
      made.addEnvironment('DD_LAMBDA_HANDLER', String(resource.handler));
      made.addEnvironment('AWS_LAMBDA_EXEC_WRAPPER', '/opt/datadog_wrapper');
      resource.handler = '/opt/nodejs/node_modules/datadog-lambda-js/handler.handler';
    }
    Template.fromStack(stack).allResourcesProperties('AWS::Lambda::Function', {
      Handler: '/opt/nodejs/node_modules/datadog-lambda-js/handler.handler',
      Environment: {
        Variables: { DD_LAMBDA_HANDLER: 'index.handler', AWS_LAMBDA_EXEC_WRAPPER: '/opt/datadog_wrapper' },
      },
    });
  });
});
