import { Agent } from 'node:https';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { MiniStack } from '../setup/ministack';

/** Clients of one MiniStack. */
export interface Clients {
  readonly cloudFormation: CloudFormationClient;
  readonly dynamoDb: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  readonly iam: IAMClient;
  readonly lambda: LambdaClient;
  readonly logs: CloudWatchLogsClient;
  readonly scheduler: SchedulerClient;
  readonly sqs: SQSClient;
  close(): void;
}

/** Makes the clients that tests look with. */
export function createClients({ endpoint, environment, authority }: MiniStack): Clients {
  const settings = {
    ...(authority === undefined
      ? {}
      : { requestHandler: { httpsAgent: new Agent({ ca: authority, keepAlive: true }) } }),
    endpoint,
    region: environment.AWS_REGION ?? '',
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
    },
  };
  const dynamoDb = new DynamoDBClient(settings);
  const clients = {
    cloudFormation: new CloudFormationClient(settings),
    dynamoDb,
    iam: new IAMClient(settings),
    lambda: new LambdaClient(settings),
    logs: new CloudWatchLogsClient(settings),
    scheduler: new SchedulerClient(settings),
    sqs: new SQSClient(settings),
  };
  return {
    ...clients,
    documents: DynamoDBDocumentClient.from(dynamoDb),
    close: () => {
      Object.values(clients).forEach((client) => {
        client.destroy();
      });
    },
  };
}
