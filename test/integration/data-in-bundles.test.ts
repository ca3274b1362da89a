import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { startSqsServer, type SqsServer } from '../../bin/dev/sqs-http';
import { systemClock } from '../../lambda/adapters/system-clock';
import { systemRandomness } from '../../lambda/adapters/system-randomness';
import { ENVIRONMENT } from '../../lambda/contract';
import { recordOf } from '../../lambda/simulation/event-source-mapping';
import { receive, SqsEngine } from '../../lambda/simulation/sqs';
import { runtimeFiles } from '../../lib/runtime-files';
import { CONFIGURATION } from '../lambda/consumer/harness';
import { bundleInto, temporaryProject } from '../lib/bundling/temporary-project';
import type { Dynalite } from '../setup/dynalite';
import { startDynalite } from '../setup/dynalite';

const SECRET = 'SECRET-MARK';
const PAYLOAD = 'PAYLOAD-MARK';
const WORD = 'ERROR-MARK';
const XRAY = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
const OF_XRAY = '00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01';

const API = join(__dirname, '..', '..', 'lambda', 'job', 'index.ts');

/** Fails for one record in every way that writes something down; tells its trace for the other. */
const JOB_MODULE = `
import { defineJob, PermanentError } from '${API}';
const fail = (db) => Object.assign(new PermanentError('${WORD}: login with ' + db + ' refused'), { rows: ['${PAYLOAD}'] });
export default defineJob({
  jobType: 'booking.reminder',
  setup: async ({ secret }) => ({ db: JSON.parse(await secret('DB')).password }),
  async *source() {
    yield { records: ['good', 'bad', 'odd'].map((id) => ({ id, text: '${PAYLOAD}', at: new Date(0) })), cursor: null };
  },
  key: ({ id }) => id,
  queuePayload: ({ id, text }) => {
    if (id === 'odd') throw fail('nothing');
    return { id, text };
  },
  load: (payload, { db, log }) => {
    log.warn('loading', { error: fail(db) });
    if (payload.id === 'bad') throw fail(db);
    return { ...payload, loaded: true };
  },
  redact: (text) => text.replaceAll('${WORD}', '[taken out]'),
  handler: ({ id, loaded }, { trace, key }) => {
    process.stdout.write('\\n#handled ' + JSON.stringify({ id, loaded, key, trace }) + '\\n');
  },
});`;

const HOST = `
const { handler } = await import('./index.mjs');
const context = { functionName: 'fn', awsRequestId: 'r', getRemainingTimeInMillis: () => 30000 };
process.stdout.write('\\n#answer ' + JSON.stringify(await handler(JSON.parse(process.env.EVENT), context)) + '\\n');
`;

let dynalite: Dynalite;
let server: SqsServer;
let secrets: Server;

const engine = new SqsEngine({ clock: systemClock, randomness: systemRandomness });
const work = engine.createQueue('work.fifo', { FifoQueue: 'true' });
const dead = engine.createQueue('dead.fifo', { FifoQueue: 'true' });

beforeAll(async () => {
  dynalite = await startDynalite();
  await dynalite.createTable('state');
  server = await startSqsServer({ engine });
  secrets = createServer((_, response) => {
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ ARN: 'arn', SecretString: JSON.stringify({ password: SECRET }) }));
  });
  await new Promise<void>((resolve) => secrets.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await server.close();
  await dynalite.close();
  secrets.closeAllConnections();
  await new Promise((resolve) => secrets.close(resolve));
});

/** Calls a bundle in a process of its own; answers everything that it wrote. */
async function call(directory: string, event: unknown, environment: Record<string, string> = {}): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', HOST], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      AWS_LAMBDA_FUNCTION_NAME: 'fn',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      AWS_ENDPOINT_URL_DYNAMODB: dynalite.endpoint,
      AWS_ENDPOINT_URL_SQS: server.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${(secrets.address() as AddressInfo).port}`,
      EVENT: JSON.stringify(event),
      [ENVIRONMENT.fanoutId]: 'F',
      [ENVIRONMENT.stateTable]: 'state',
      [ENVIRONMENT.queueUrl]: `${server.endpoint}/000000000000/work.fifo`,
      [ENVIRONMENT.deadLetterQueueUrl]: `${server.endpoint}/000000000000/dead.fifo`,
      [ENVIRONMENT.configuration]: JSON.stringify(CONFIGURATION),
      [ENVIRONMENT.secrets]: '{"DB":"arn:aws:secretsmanager:eu-central-1:1:secret:DB"}',
      ...environment,
    },
  });
  return stdout + stderr;
}

test('the bundles write down neither secrets nor payloads, load what was projected, and hand the trace on', async () => {
  const entry = `${temporaryProject({ 'jobs.ts': JOB_MODULE })}/jobs.ts`;
  const [scanner, consumer] = (['scanner', 'consumer'] as const).map((role) =>
    bundleInto(role, { entry }, {}, runtimeFiles()),
  );
  const tick = { kind: 'tick', scheduledTime: '2026-01-01T00:00:00Z', scheduleArn: 'arn', attempt: '1' };
  const scanned = await call(scanner ?? '', tick, { _X_AMZN_TRACE_ID: XRAY });
  expect(scanned).toContain('"enqueued":2,"rejected":1');

  const messages = receive(work, { limit: 10 });
  const Records = messages.map((message) => recordOf(message, work.arn));
  expect(Records.map(({ attributes }) => attributes.AWSTraceHeader)).toEqual([XRAY, XRAY]);
  const consumed = await call(consumer ?? '', { Records });
  expect(consumed).toContain('#answer {"batchItemFailures":[]}');
  const [, handled = ''] = /#handled (.*)/.exec(consumed) ?? [];
  expect(JSON.parse(handled)).toEqual({
    ...{ id: 'good', loaded: true, key: 'good' },
    trace: { traceparent: OF_XRAY, xray: XRAY },
  });

  const written = scanned + consumed;
  expect(['SECRET', 'PAYLOAD', 'ERROR'].filter((mark) => written.includes(`${mark}-MARK`))).toEqual([]);
  expect(written).toContain('[taken out]: login with [secret DB.password] refused');

  const [death] = receive(dead, { limit: 10 }).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(death).toMatchObject({ key: 'bad', payload: { id: 'bad', text: PAYLOAD }, traceparent: OF_XRAY });
  expect(JSON.stringify(death?.death)).not.toMatch(/SECRET-MARK|ERROR-MARK/);
  const { Items = [] } = await dynalite.documents.send(new ScanCommand({ TableName: 'state' }));
  expect(JSON.stringify(Items)).not.toMatch(/-MARK/);
  expect(JSON.stringify(Items)).toContain(
    'queuePayload() throws: PermanentError: [taken out]: login with nothing refused',
  );
}, 60_000);
