import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ReceiveMessageCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { SecretsManagerSecrets } from '../../../lambda/adapters/secrets-manager-secrets';
import { clientSettings, explainUnreachable } from '../../../lambda/adapters/service-client';
import { CronFanoutError } from '../../../lambda/contract';
import { dynamoDbSource } from '../../../lambda/job';
import { fullPort, refusingPort, silentPort } from '../../setup/deaf-server';
import type { DeafPort } from '../../setup/deaf-server';

/** Short enough for a test: what is waited for never comes. */
const SHORT = { connectionTimeout: 60, requestTimeout: 250, maxAttempts: 2 };
const CREDENTIALS = { credentials: { accessKeyId: 'test', secretAccessKey: 'test' }, region: 'eu-west-1' };

let open: DeafPort[] = [];
const port = async (made: Promise<DeafPort>): Promise<number> => {
  const deaf = await made;
  open.push(deaf);
  return deaf.port;
};
afterEach(async () => {
  await Promise.all(open.map((deaf) => deaf.close()));
  open = [];
});

const settings = (at: number) => ({ ...CREDENTIALS, ...clientSettings(SHORT), endpoint: `http://127.0.0.1:${at}` });
const sqsAt = (at: number): SQSClient => explainUnreachable(new SQSClient(settings(at)));
const receive = (at: number): Promise<unknown> =>
  sqsAt(at).send(new ReceiveMessageCommand({ QueueUrl: `http://127.0.0.1:${at}/1/queue` }));

async function errorOf(call: Promise<unknown>): Promise<CronFanoutError> {
  const error: unknown = await call.then(
    () => new Error('it was answered'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CronFanoutError);
  return error as CronFanoutError;
}

describe('a service that cannot be reached', () => {
  it.each([
    ['refuses the connection', refusingPort, /received connect ECONNREFUSED 127\.0\.0\.1:\d+, 2 times/],
    ['does not take the connection', fullPort, /did not establish a connection .* within .* 60 ms, 2 times/],
    ['takes the connection and does not answer', silentPort, /exceeded the configured 250 ms requestTimeout, 2 times/],
  ])('is named by the error when it %s, with what to change', async (_, make, received) => {
    const at = await port(make());
    const error = await errorOf(receive(at));
    expect(error.code).toBe('ServiceUnreachable');
    expect(error.message).toContain(`SQS (ReceiveMessageCommand) at 127.0.0.1:${at}, region eu-west-1`);
    expect(error.message).toMatch(received);
    expect(error.message).toMatch(/NAT gateway.*VPC endpoint for SQS.*security groups/);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it.each([
    [
      'DynamoDB',
      (at: number) =>
        explainUnreachable(new DynamoDBClient(settings(at))).send(new GetItemCommand({ TableName: 't', Key: {} })),
    ],
    [
      'DynamoDB',
      (at: number) =>
        DynamoDBDocumentClient.from(explainUnreachable(new DynamoDBClient(settings(at)))).send(
          new GetCommand({ TableName: 't', Key: {} }),
        ),
    ],
    [
      'Lambda',
      (at: number) => explainUnreachable(new LambdaClient(settings(at))).send(new InvokeCommand({ FunctionName: 'f' })),
    ],
    [
      'SQS',
      (at: number) =>
        sqsAt(at).send(
          new SendMessageBatchCommand({
            QueueUrl: `http://127.0.0.1:${at}/1/queue`,
            Entries: [{ Id: '0', MessageBody: 'a' }],
          }),
        ),
    ],
  ])('is named: %s', async (service, call) => {
    const error = await errorOf(call(await port(refusingPort())));
    expect(error.code).toBe('ServiceUnreachable');
    expect(error.message.startsWith(`${service} (`)).toBe(true);
  });

  it('is named when a name leads nowhere', async () => {
    const sqs = explainUnreachable(new SQSClient({ ...settings(1), endpoint: 'http://sqs.invalid' }));
    const error = await errorOf(sqs.send(new ReceiveMessageCommand({ QueueUrl: 'http://sqs.invalid/1/queue' })));
    expect(error.message).toMatch(/at sqs\.invalid, region eu-west-1: received getaddrinfo (ENOTFOUND|EAI_AGAIN)/);
  });
});

describe('other errors of a service', () => {
  it('stay what they are', async () => {
    const sqs = explainUnreachable(new SQSClient(settings(1)));
    sqs.middlewareStack.add(() => () => Promise.reject(Object.assign(new Error('no'), { name: 'AccessDenied' })), {
      step: 'deserialize',
    });
    await expect(sqs.send(new ReceiveMessageCommand({ QueueUrl: 'http://127.0.0.1:1/1/queue' }))).rejects.toMatchObject(
      {
        name: 'AccessDenied',
      },
    );
  });

  it('stay what they are where the caller ended the call', async () => {
    const signal = AbortSignal.abort();
    const call = sqsAt(await port(silentPort())).send(
      new ReceiveMessageCommand({ QueueUrl: 'http://127.0.0.1:1/1/q' }),
      {
        abortSignal: signal,
      },
    );
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it.each(['ECONNRESET', 'EPIPE'])('stay what they are where a connection stood and broke: %s', async (code) => {
    const sqs = explainUnreachable(new SQSClient(settings(1)));
    const broken = Object.assign(new Error('broken'), { name: 'TimeoutError', code });
    sqs.middlewareStack.add(() => () => Promise.reject(broken), { step: 'deserialize' });
    await expect(sqs.send(new ReceiveMessageCommand({ QueueUrl: 'http://127.0.0.1:1/1/q' }))).rejects.toBe(broken);
  });
});

describe('the clients of the runtime', () => {
  it('wait two seconds for a connection and ten for an answer, four times, and fail instead of warning', () => {
    expect(clientSettings()).toEqual({
      maxAttempts: 4,
      requestHandler: { connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
    });
  });

  const withEndpoint = async (name: string, at: number, call: () => Promise<unknown>): Promise<CronFanoutError> => {
    process.env[name] = `http://127.0.0.1:${at}`;
    try {
      return await errorOf(call());
    } finally {
      Reflect.deleteProperty(process.env, name);
    }
  };

  it('name Secrets Manager when a secret cannot be read', async () => {
    const secrets = new SecretsManagerSecrets({ DB: 'arn:aws:secretsmanager:eu-west-1:1:secret:DB' }, SHORT);
    const error = await withEndpoint('AWS_ENDPOINT_URL_SECRETS_MANAGER', await port(refusingPort()), () =>
      secrets.read('DB'),
    );
    expect(error.code).toBe('ServiceUnreachable');
    expect(error.message).toMatch(/^Secrets Manager \(GetSecretValueCommand\).*VPC endpoint for Secrets Manager/);
  });

  it('name DynamoDB when a source that was given no client cannot read', async () => {
    const source = dynamoDbSource<{ readonly id: string }>({ tableName: 'records' });
    const records = source({
      tick: { scheduledTime: '2027-01-01T00:00:00Z' },
      cursor: undefined,
      segment: { index: 0, count: 1 },
      signal: new AbortController().signal,
    } as never) as AsyncGenerator;
    const error = await withEndpoint('AWS_ENDPOINT_URL_DYNAMODB', await port(refusingPort()), () => records.next());
    expect(error.message).toMatch(/^DynamoDB \(ScanCommand\)/);
  });
});
