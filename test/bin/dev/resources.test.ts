import type { SynthesizedStack } from '../../../bin/dev/assembly';
import { functionNameOf, readResources } from '../../../bin/dev/resources';
import { scheduledEvent } from '../../../bin/dev/scheduled-event';
import { chooseStack } from '../../../bin/dev/stack-choice';
import type { Template } from '../../../bin/dev/template';
import { ENVIRONMENT } from '../../../lambda/contract';

const queueUrl = (name: string): string => `http://127.0.0.1:1/000000000000/${name}`;
const TICK =
  '{"kind":"tick","scheduledTime":"<aws.scheduler.scheduled-time>","scheduleArn":"<aws.scheduler.schedule-arn>","attempt":"<aws.scheduler.attempt-number>"}';
const code = { S3Bucket: 'assets', S3Key: 'hash.zip' };
const TEMPLATE: Template = {
  Resources: {
    Dead: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true, MessageRetentionPeriod: 1_209_600 } },
    Work: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        FifoQueue: true,
        VisibilityTimeout: 360,
        DeduplicationScope: 'messageGroup',
        SqsManagedSseEnabled: true,
        RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 90 },
      },
    },
    State: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
        Replicas: [{ Region: { Ref: 'AWS::Region' } }],
      },
    },
    Scan: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: code,
        Handler: 'index.handler',
        Timeout: 900,
        Environment: { Variables: { [ENVIRONMENT.fanoutId]: 'Demo-f', [ENVIRONMENT.queueUrl]: { Ref: 'Work' } } },
      },
    },
    Consume: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: code,
        Handler: 'index.handler',
        ReservedConcurrentExecutions: 4,
        MemorySize: 512,
        Environment: { Variables: { [ENVIRONMENT.fanoutId]: 'Demo-f' } },
      },
    },
    Other: { Type: 'AWS::Lambda::Function', Properties: { Code: { ZipFile: '' }, Handler: 'index.handler' } },
    Failures: {
      Type: 'AWS::Lambda::EventInvokeConfig',
      Properties: {
        FunctionName: { Ref: 'Scan' },
        Qualifier: '$LATEST',
        MaximumRetryAttempts: 1,
        MaximumEventAgeInSeconds: 300,
        DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Dead', 'Arn'] } } },
      },
    },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        FunctionName: { Ref: 'Consume' },
        EventSourceArn: { 'Fn::GetAtt': ['Work', 'Arn'] },
        BatchSize: 5,
        ScalingConfig: { MaximumConcurrency: 4 },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
    OtherMapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { FunctionName: { Ref: 'Other' }, EventSourceArn: { 'Fn::GetAtt': ['Work', 'Arn'] } },
    },
    Tick: {
      Type: 'AWS::Scheduler::Schedule',
      Properties: {
        ScheduleExpression: 'rate(5 minutes)',
        State: 'ENABLED',
        Target: { Arn: { 'Fn::GetAtt': ['Scan', 'Arn'] }, Input: TICK },
      },
    },
  },
};
const stack = (stackName: string, template = TEMPLATE): SynthesizedStack => ({
  stackName,
  region: 'eu-west-1',
  template,
  constructPath: (logicalId) => `path/of/${logicalId}`,
  assetPath: (key) => `/assets/${key}`,
});

describe('readResources', () => {
  const resources = readResources(stack('Demo'), queueUrl);

  it('gives queues the attributes that CreateQueue takes', () => {
    expect(resources.queues.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['Demo-Dead.fifo', { FifoQueue: 'true', MessageRetentionPeriod: '1209600' }],
      [
        'Demo-Work.fifo',
        {
          DeduplicationScope: 'messageGroup',
          FifoQueue: 'true',
          RedrivePolicy:
            '{"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:000000000000:Demo-Dead.fifo","maxReceiveCount":90}',
          VisibilityTimeout: '360',
        },
      ],
    ]);
  });

  it('B66: makes tables without what the embedded database does not know', () => {
    const [table] = resources.tables;
    expect(table).toMatchObject({ path: 'path/of/State', name: 'Demo-State', input: { TableName: 'Demo-State' } });
    expect(Object.keys(table!.input).sort()).toEqual(['AttributeDefinitions', 'BillingMode', 'KeySchema', 'TableName']);
  });

  it('takes the functions of fanouts alone, with defaults of AWS where the template has none', () => {
    expect(resources.functions).toEqual([
      {
        name: 'Demo-Scan',
        arn: 'arn:aws:lambda:eu-west-1:000000000000:function:Demo-Scan',
        directory: '/assets/hash.zip',
        handler: 'index.handler',
        environment: { [ENVIRONMENT.fanoutId]: 'Demo-f', [ENVIRONMENT.queueUrl]: queueUrl('Demo-Work.fifo') },
        timeoutSeconds: 900,
        memoryMebibytes: 128,
        fanoutId: 'Demo-f',
        asynchronous: {
          retries: 1,
          maximumAgeSeconds: 300,
          failureDestination: 'arn:aws:sqs:eu-west-1:000000000000:Demo-Dead.fifo',
        },
      },
      expect.objectContaining({
        name: 'Demo-Consume',
        timeoutSeconds: 3,
        memoryMebibytes: 512,
        reservedConcurrency: 4,
        asynchronous: { retries: 2, maximumAgeSeconds: 21_600 },
      }) as unknown,
    ]);
  });

  it('takes the mappings and schedules of these functions', () => {
    expect(resources.mappings).toEqual([
      {
        functionName: 'Demo-Consume',
        queueArn: 'arn:aws:sqs:eu-west-1:000000000000:Demo-Work.fifo',
        batchSize: 5,
        maximumConcurrency: 4,
        reportBatchItemFailures: true,
      },
    ]);
    expect(resources.schedules).toMatchObject([{ name: 'Demo-Tick', expression: 'rate(5 minutes)', enabled: true }]);
  });

  it('fills in what the Scheduler fills in', () => {
    expect(scheduledEvent(resources.schedules[0]!, '2026-01-01T00:00:00Z')).toEqual({
      kind: 'tick',
      scheduledTime: '2026-01-01T00:00:00Z',
      scheduleArn: 'arn:aws:scheduler:eu-west-1:000000000000:schedule/default/Demo-Tick',
      attempt: '1',
    });
  });
});

describe('functionNameOf', () => {
  it.each(['f', 'f:live', 'arn:aws:lambda:us-east-1:0:function:f', 'arn:aws:lambda:us-east-1:0:function:f:1'])(
    'reads %s',
    (name) => {
      expect(functionNameOf(name)).toBe('f');
    },
  );
});

describe('chooseStack', () => {
  const empty = stack('Empty', {});
  it('takes the only stack that holds a fanout', () => {
    expect(chooseStack([empty, stack('Demo')]).stackName).toBe('Demo');
  });

  it('takes the stack that is named', () => {
    expect(chooseStack([stack('One'), stack('Two')], 'Two').stackName).toBe('Two');
  });

  it.each<[string, SynthesizedStack[], string | undefined, RegExp]>([
    [
      'an unknown name',
      [stack('One'), empty],
      'Ona',
      /received "Ona"; allowed: a stack of the app: One, Empty; .*UnknownStack/,
    ],
    ['an app without a fanout', [empty], undefined, /received Empty; .*NoFanout/],
    ['several candidates', [stack('One'), stack('Two')], undefined, /received One, Two; .*--stack \[SeveralStacks/],
  ])('rejects %s', (_name, stacks, name, message) => {
    expect(() => chooseStack(stacks, name)).toThrow(message);
  });
});
