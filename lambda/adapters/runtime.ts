import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { FanoutConfiguration } from '../contract';
import { ENVIRONMENT } from '../contract';
import type { Clock, Logger, MessageQueue, Metrics, Randomness, StateStore, Tracer } from '../ports';
import type { Environment } from './configuration';
import { readConfiguration, readSecretArns, required } from './configuration';
import { DynamoDbStateStore } from './dynamodb-state-store';
import { HashedKeysLogger } from './hashed-keys-logger';
import { PowertoolsLogger } from './powertools-logger';
import { PowertoolsMetrics } from './powertools-metrics';
import { KnownSecrets } from '../job/known-secrets';
import { AmbientTracer } from './ambient-tracer';
import { SecretsManagerSecrets } from './secrets-manager-secrets';
import { clientSettings, explainUnreachable } from './service-client';
import { SqsMessageQueue } from './sqs-message-queue';
import { systemClock } from './system-clock';
import { systemRandomness } from './system-randomness';

/** Every port, wired to AWS: what one execution environment works with. */
export interface Runtime {
  readonly fanoutId: string;
  readonly configuration: FanoutConfiguration;
  readonly store: StateStore;
  /** The FIFO work queue. */
  readonly queue: MessageQueue;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly secrets: KnownSecrets;
  /** The FIFO dead-letter queue. @throws CronFanoutError where the function has none */
  readonly deadLetterQueue: () => MessageQueue;
}

/**
 * Builds the runtime of an execution environment.
 *
 * @throws CronFanoutError `MissingEnvironment` or `InvalidConfiguration`
 */
export function createRuntime(environment: Environment = process.env): Runtime {
  const fanoutId = required(environment, ENVIRONMENT.fanoutId);
  const sqs = explainUnreachable(new SQSClient(clientSettings()));
  const client = DynamoDBDocumentClient.from(explainUnreachable(new DynamoDBClient(clientSettings())), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const configuration = readConfiguration(environment);
  const logger = new PowertoolsLogger().with({ fanoutId });
  return {
    fanoutId,
    configuration,
    store: new DynamoDbStateStore({
      client,
      tableName: required(environment, ENVIRONMENT.stateTable),
      clock: systemClock,
      randomness: systemRandomness,
    }),
    queue: new SqsMessageQueue(sqs, required(environment, ENVIRONMENT.queueUrl)),
    deadLetterQueue: () => new SqsMessageQueue(sqs, required(environment, ENVIRONMENT.deadLetterQueueUrl)),
    clock: systemClock,
    randomness: systemRandomness,
    logger: configuration.logKeys === 'hashed' ? new HashedKeysLogger(logger) : logger,
    metrics: new PowertoolsMetrics({
      fanoutId,
      labels: configuration.labels,
      logLevel: environment.AWS_LAMBDA_LOG_LEVEL,
    }),
    tracer: new AmbientTracer(environment),
    secrets: new KnownSecrets(new SecretsManagerSecrets(readSecretArns(environment))),
  };
}
