import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { systemRandomness } from '../../lambda/adapters/system-randomness';
import { SqsEngine } from '../../lambda/simulation/sqs';
import { LOCAL_ACCOUNT } from './assembly';
import type { Cleanup } from './cleanup';
import { startDynamoDb } from './dynamodb';
import type { InvokableFunction, LambdaApi } from './lambda-api';
import { startLambdaApi } from './lambda-api';
import { LocalClock } from './local-clock';
import { startSqsServer } from './sqs-http';

/** What stands in for AWS: on loopback only, in memory, on local time. */
export interface EmbeddedServices {
  readonly clock: LocalClock;
  readonly engine: SqsEngine;
  readonly sqs: SQSClient;
  readonly dynamodb: DynamoDBDocumentClient;
  /** The client under `dynamodb`. */
  readonly database: DynamoDBClient;
  /** Functions that the Lambda API calls, by name. */
  readonly functions: Map<string, InvokableFunction>;
  /** Variables that point the AWS SDK of a function here, with credentials that open nothing. */
  readonly environment: Readonly<Record<string, string>>;
  /** Directory for files of this run alone. */
  readonly scratch: string;
  readonly queueUrl: (queueName: string) => string;
}

/** What the embedded services are started with. */
export interface ServiceOptions {
  readonly region: string;
  /** Called with every line that a service writes. */
  readonly onLine: (source: string, line: string) => void;
}

const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Makes a directory for files of one local run. */
export function makeScratch(cleanup: Cleanup): string {
  const scratch = mkdtempSync(join(tmpdir(), 'cron-fanout-'));
  cleanup.add(() => {
    rmSync(scratch, { recursive: true, force: true });
  });
  return scratch;
}

/** Starts SQS, DynamoDB and Lambda's Invoke API, each on a free port of loopback; `cleanup` ends them. */
export async function startServices(
  scratch: string,
  { region, onLine }: ServiceOptions,
  cleanup: Cleanup,
): Promise<EmbeddedServices> {
  const clock = new LocalClock();
  cleanup.add(() => {
    clock.stop();
  });
  const database = await startDynamoDb(scratch, (line) => {
    onLine('dynamodb', line);
  });
  cleanup.add(() => database.stop());
  const engine = new SqsEngine({ clock, randomness: systemRandomness, region });
  const sqsServer = await startSqsServer({
    engine,
    onInternalError: (error) => {
      onLine('sqs', String(error));
    },
  });
  cleanup.add(() => {
    engine.close();
    return sqsServer.close();
  });
  const functions = new Map<string, InvokableFunction>();
  const lambdaApi = await startLambdaApi((name) => functions.get(name));
  cleanup.add(() => lambdaApi.stop());
  const sqs = new SQSClient({ region, endpoint: sqsServer.endpoint, credentials: CREDENTIALS });
  const client = new DynamoDBClient({ region, endpoint: database.endpoint, credentials: CREDENTIALS });
  cleanup.add(() => {
    sqs.destroy();
    client.destroy();
  });
  return {
    clock,
    engine,
    sqs,
    database: client,
    dynamodb: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    functions,
    environment: {
      ...environmentOf(region, sqsServer.endpoint, database.endpoint, lambdaApi),
      // The user's own profiles must not have a say in it.
      AWS_CONFIG_FILE: join(scratch, 'no-aws-config'),
      AWS_SHARED_CREDENTIALS_FILE: join(scratch, 'no-aws-credentials'),
    },
    scratch,
    queueUrl: (queueName) => `${sqsServer.endpoint}/${LOCAL_ACCOUNT}/${queueName}`,
  };
}

function environmentOf(region: string, sqs: string, dynamodb: string, lambdaApi: LambdaApi): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    // Nobody makes metrics of log lines here.
    POWERTOOLS_METRICS_DISABLED: 'true',
    AWS_ENDPOINT_URL_SQS: sqs,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
    AWS_ENDPOINT_URL_LAMBDA: lambdaApi.endpoint,
    // Every other service: the Lambda API answers that it is not here, so that no call leaves the machine.
    AWS_ENDPOINT_URL: lambdaApi.endpoint,
  };
}
