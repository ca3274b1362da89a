import { InvokeCommand, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import type { InvocationResult } from '../../../bin/dev/function-pool';
import type { LambdaApi } from '../../../bin/dev/lambda-api';
import { startLambdaApi } from '../../../bin/dev/lambda-api';

describe('the Lambda API', () => {
  let api: LambdaApi;
  let client: LambdaClient;
  let result: InvocationResult;
  const accepted: unknown[] = [];
  beforeAll(async () => {
    api = await startLambdaApi((name) =>
      name === 'scan'
        ? {
            invoke: () => Promise.resolve(result),
            accept: (event) => accepted.push(event),
          }
        : undefined,
    );
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    client = new LambdaClient({ endpoint: api.endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  });
  afterAll(async () => {
    client.destroy();
    await api.stop();
  });
  const invoke = async (
    FunctionName: string,
    payload: string,
    InvocationType: 'Event' | 'RequestResponse' = 'RequestResponse',
  ) => {
    const answer = await client.send(
      new InvokeCommand({ FunctionName, InvocationType, Payload: Buffer.from(payload) }),
    );
    return { ...answer, text: Buffer.from(answer.Payload ?? []).toString() };
  };

  it('answers what a function answers', async () => {
    result = { status: 'succeeded', requestId: 'r', payload: { outcome: 'scanned' } };
    expect(await invoke('scan', '{}')).toMatchObject({ StatusCode: 200, text: '{"outcome":"scanned"}' });
  });

  it('marks the error of a function', async () => {
    result = { status: 'failed', requestId: 'r', error: { errorType: 'TypeError', errorMessage: 'no' } };
    expect(await invoke('scan', '{}')).toMatchObject({
      FunctionError: 'Unhandled',
      text: '{"errorType":"TypeError","errorMessage":"no"}',
    });
  });

  it.each([
    'scan',
    'scan:live',
    'arn:aws:lambda:us-east-1:000000000000:function:scan',
    'arn:aws:lambda:us-east-1:000000000000:function:scan:live',
  ])('accepts an event for %s without waiting', async (name) => {
    expect(await invoke(name, '{"hops":1}', 'Event')).toMatchObject({ StatusCode: 202, text: '' });
    expect(accepted.at(-1)).toEqual({ hops: 1 });
  });

  it('refuses a function that is not there, a throttle, and an event that is not JSON', async () => {
    await expect(invoke('other', '{}')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    result = { status: 'throttled' };
    await expect(invoke('scan', '{}')).rejects.toMatchObject({ name: 'TooManyRequestsException' });
    await expect(invoke('scan', '{"a"')).rejects.toMatchObject({ name: 'InvalidRequestContentException' });
  });

  it('says of any other call that it is not served', async () => {
    await expect(client.send(new ListFunctionsCommand({}))).rejects.toThrow(/has no embedded service/);
  });
});
