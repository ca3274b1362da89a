import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import type { CronFanoutProps } from '../../../lib';
import { resource, synthesized, testStack, thrownBy } from '../fanout-stack';
import type { Resource } from '../fanout-stack';

const QUEUE = 'AWS::SQS::Queue';
const TABLE = 'AWS::DynamoDB::GlobalTable';
const standard = synthesized();
const queueOf = (id: string, template = standard.template): Resource => resource(template, QUEUE, `Reminders${id}`);

describe('the queues', () => {
  it('are a FIFO queue, its FIFO dead-letter queue, and a standard queue for failures', () => {
    standard.template.resourceCountIs(QUEUE, 3);
    expect(queueOf('Queue').Properties).toEqual({
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
      VisibilityTimeout: 360,
      MessageRetentionPeriod: 345_600,
      SqsManagedSseEnabled: true,
      RedrivePolicy: {
        deadLetterTargetArn: standard.stack.resolve(standard.fanout.deadLetterQueue.queueArn) as unknown,
        maxReceiveCount: 550,
      },
    });
  });

  it('B04: have a FIFO dead-letter queue, which keeps the dead for 14 days', () => {
    expect(queueOf('DeadLetterQueue').Properties).toMatchObject({
      FifoQueue: true,
      MessageRetentionPeriod: 1_209_600,
      SqsManagedSseEnabled: true,
    });
  });

  it('aws-cdk#8550: have a standard failure queue, where neither FifoQueue nor anything of it is set', () => {
    expect(queueOf('FailureQueue').Properties).toEqual({
      MessageRetentionPeriod: 1_209_600,
      SqsManagedSseEnabled: true,
    });
  });

  it('B06: leave their names to CloudFormation, however long the name of the stack is', () => {
    const { template } = synthesized({}, testStack({ stackName: `S${'x'.repeat(109)}` }));
    template.allResourcesProperties(QUEUE, { QueueName: Match.absent() });
  });

  it('B21: set scope and limit of high throughput together', () => {
    for (const { Properties } of Object.values(standard.template.findResources(QUEUE)) as Resource[]) {
      expect(Properties.FifoThroughputLimit === undefined).toBe(Properties.DeduplicationScope === undefined);
    }
  });

  it('refuse whoever comes without TLS', () => {
    const policies = Object.values(standard.template.findResources('AWS::SQS::QueuePolicy')) as Resource[];
    expect(policies).toHaveLength(3);
    for (const { Properties } of policies) {
      expect(Properties.PolicyDocument).toMatchObject({
        Statement: [{ Effect: 'Deny', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
      });
    }
  });

  it('keep messages as long as the user wants, and the ledger longer than queue and dead-letter queue together', () => {
    const { template } = synthesized({ queueRetention: Duration.days(10) });
    expect(queueOf('Queue', template).Properties.MessageRetentionPeriod).toBe(864_000);
    expect(JSON.stringify(template.toJSON())).toContain(`\\"ledgerRetention\\":${(10 + 14 + 1) * 86_400}`);
  });
});

describe('the state table', () => {
  it('has string keys and a time to live, and is paid by request', () => {
    expect(resource(standard.template, TABLE).Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
  });

  it.each([true, false])('has point-in-time recovery %s when asked to', (pointInTimeRecovery) => {
    const { template } = synthesized({ pointInTimeRecovery });
    template.hasResourceProperties(TABLE, {
      Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: pointInTimeRecovery } }],
    });
  });
});

describe('removalPolicy', () => {
  const holders = [TABLE, QUEUE, 'AWS::Logs::LogGroup'];
  const policiesOf = (props: Partial<CronFanoutProps>): Set<string | undefined> => {
    const { template } = synthesized(props);
    const resources = holders.flatMap((type) => Object.values(template.findResources(type)) as Resource[]);
    expect(resources).toHaveLength(6);
    return new Set(resources.flatMap((made) => [made.DeletionPolicy, made.UpdateReplacePolicy]));
  };

  it('keeps everything that holds data, unless the user wants it gone', () => {
    expect(policiesOf({})).toEqual(new Set(['Retain']));
    expect(policiesOf({ removalPolicy: RemovalPolicy.DESTROY })).toEqual(new Set(['Delete']));
  });

  it('rejects snapshots, which none of it has', () => {
    expect(thrownBy(() => synthesized({ removalPolicy: RemovalPolicy.SNAPSHOT })).code).toBe(
      'UnsupportedRemovalPolicy',
    );
  });
});
