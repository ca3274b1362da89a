import { join } from 'node:path';
import { CustomResource, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { DeduplicationScope, FifoThroughputLimit, Queue, type IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { CronFanout, RetryPolicy } from '../../../lib';
import { RECORDS } from './record';

/** What a test changes from one deployment to the next. */
export interface RecordStackOptions {
  /** Id of the fanout. */
  readonly fanout: string;
  /** Version of the handlers. */
  readonly version: 1 | 2;
  readonly maxConcurrency: number;
  readonly scheduleMinutes: number;
  readonly removalPolicy: RemovalPolicy;
  /** The queue is one that the stack brings, instead of the fanout's own. */
  readonly bringsQueue: boolean;
  /** The deployment fails once everything else is there: after the scanner, new already, was called with this tick. */
  readonly failsAfterTick?: string;
}

/** Attempts enough to wait out an update; delays without chance. */
const RETRY = RetryPolicy.fixed({ maxAttempts: 100, delay: Duration.seconds(2), jitter: 0 });
const TIMEOUT = Duration.seconds(10);
const RECEIVES = 1000;

/** A fanout over a table of records. */
export class RecordStack extends Stack {
  constructor(scope: Construct, id: string, options: RecordStackOptions, props?: StackProps) {
    super(scope, id, props);
    const records = this.createRecords();
    const fanout = new CronFanout(this, options.fanout, {
      entry: join(__dirname, `jobs-v${options.version}.ts`),
      schedule: ScheduleExpression.rate(Duration.minutes(options.scheduleMinutes)),
      maxConcurrency: options.maxConcurrency,
      timeout: TIMEOUT,
      retry: RETRY,
      removalPolicy: options.removalPolicy,
      environment: { [RECORDS.variable]: records.tableName },
      ...(options.bringsQueue ? { queue: this.createQueue() } : {}),
    });
    records.grantReadData(fanout.scanner);
    records.grant(fanout.consumer, 'dynamodb:GetItem', 'dynamodb:UpdateItem');
    if (options.failsAfterTick !== undefined) {
      this.failAfterTick(fanout, options.failsAfterTick);
    }
  }

  private createRecords(): TableV2 {
    const { index } = RECORDS;
    return new TableV2(this, RECORDS.id, {
      partitionKey: { name: RECORDS.partitionKey, type: AttributeType.STRING },
      globalSecondaryIndexes: [
        {
          indexName: index.name,
          partitionKey: { name: index.partitionKey, type: AttributeType.STRING },
          sortKey: { name: index.sortKey, type: AttributeType.STRING },
        },
      ],
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  private createQueue(): IQueue {
    const fifo = {
      fifo: true,
      enforceSSL: true,
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
    };
    const deadLetters = new Queue(this, 'OwnDeadLetters', fifo);
    return new Queue(this, 'OwnQueue', {
      ...fifo,
      visibilityTimeout: Duration.seconds(6 * TIMEOUT.toSeconds()),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: RECEIVES },
    });
  }

  /** As a custom resource: what a smoke test in a deployment would be. */
  private failAfterTick(fanout: CronFanout, scheduledTime: string): void {
    const smoke = new Function(this, 'SmokeTest', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      timeout: Duration.minutes(1),
      code: Code.fromInline(SMOKE_TEST),
      environment: { SCANNER: fanout.scanner.functionName },
    });
    fanout.scanner.grantInvoke(smoke);
    const result = new CustomResource(this, 'SmokeTestResult', {
      serviceToken: smoke.functionArn,
      properties: { scheduledTime },
    });
    result.node.addDependency(fanout);
  }
}

/** Calls the scanner, then answers that the resource could not be made. The emulator's functions find no SDK, and it asks for no signature. */
const SMOKE_TEST = `
exports.handler = async (event) => {
  let outcome = 'SUCCESS';
  let reason = 'deleted';
  if (event.RequestType !== 'Delete') {
    const { AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, SCANNER } = process.env;
    const scope = AWS_ACCESS_KEY_ID + '/20260101/' + AWS_REGION + '/lambda/aws4_request';
    const answer = await fetch(AWS_ENDPOINT_URL + '/2015-03-31/functions/' + SCANNER + '/invocations', {
      method: 'POST',
      headers: { authorization: 'AWS4-HMAC-SHA256 Credential=' + scope + ', SignedHeaders=host, Signature=0' },
      body: JSON.stringify({ kind: 'tick', scheduledTime: event.ResourceProperties.scheduledTime }),
    });
    outcome = 'FAILED';
    reason = 'smoke test of the new scanner: ' + (await answer.text());
  }
  const body = JSON.stringify({
    Status: outcome,
    Reason: reason,
    PhysicalResourceId: 'smoke-test',
    StackId: event.StackId,
    RequestId: event.RequestId,
    LogicalResourceId: event.LogicalResourceId,
  });
  await fetch(event.ResponseURL, { method: 'PUT', body });
};
`;
