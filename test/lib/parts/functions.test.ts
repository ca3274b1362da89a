import { CfnParameter, Duration } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Port, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ApplicationLogLevel, Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { CronFanout, SerialFailure } from '../../../lib';
import { readSettings } from '../../../lib/settings';
import { MINIMAL, resource, statements, synthesized, testApp, testStack, thrownBy } from '../fanout-stack';
import type { Resource, Statement } from '../fanout-stack';

const FUNCTION = 'AWS::Lambda::Function';
const MAPPING = 'AWS::Lambda::EventSourceMapping';
const INVOKE_CONFIG = 'AWS::Lambda::EventInvokeConfig';
/** A logical id is a path and eight digits; the role of a function begins alike. */
const scannerOf = (template: Template): Resource => resource(template, FUNCTION, 'RemindersScanner');
const consumerOf = (template: Template): Resource => resource(template, FUNCTION, 'RemindersConsumer');
const variablesOf = ({ Properties }: Resource): Readonly<Record<string, unknown>> =>
  (Properties['Environment'] as { readonly Variables: Readonly<Record<string, unknown>> }).Variables;

const standard = synthesized();

describe('the scanner', () => {
  const scanner = scannerOf(standard.template);

  it('runs on Node.js 24 for up to 15 minutes and logs JSON', () => {
    expect(scanner.Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['x86_64'],
      Handler: 'index.handler',
      Timeout: 900,
      MemorySize: 512,
      LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'INFO' },
    });
  });

  it('may invoke itself beyond the bound that Lambda sets to chains; the consumer may not', () => {
    expect(scanner.Properties['RecursiveLoop']).toBe('Allow');
    expect(consumerOf(standard.template).Properties).not.toHaveProperty('RecursiveLoop');
  });

  it('is told who it is, and where queue and table are, but not where the dead-letter queue is', () => {
    const { fanout, stack } = standard;
    expect(Object.keys(variablesOf(scanner)).sort()).toEqual([
      'CRON_FANOUT_CONFIGURATION',
      'CRON_FANOUT_ID',
      'CRON_FANOUT_QUEUE_URL',
      'CRON_FANOUT_STATE_TABLE',
      'NODE_OPTIONS',
    ]);
    expect(variablesOf(scanner)).toMatchObject({
      CRON_FANOUT_ID: fanout.fanoutId,
      CRON_FANOUT_QUEUE_URL: stack.resolve(fanout.queue.queueUrl) as unknown,
      CRON_FANOUT_STATE_TABLE: stack.resolve(fanout.stateTable.tableName) as unknown,
      NODE_OPTIONS: '--enable-source-maps',
    });
  });

  it('B13: has its retries and the age of its events set for the qualifier that is invoked, and failures kept', () => {
    const { fanout, stack, template } = standard;
    template.resourceCountIs(INVOKE_CONFIG, 1);
    expect(resource(template, INVOKE_CONFIG).Properties).toEqual({
      FunctionName: stack.resolve(fanout.scanner.functionName) as unknown,
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 2,
      MaximumEventAgeInSeconds: 300,
      DestinationConfig: { OnFailure: { Destination: stack.resolve(fanout.failureQueue.queueArn) as unknown } },
    });
  });

  it.each([
    [1, 300],
    [60, 3600],
    [1440, 21_600],
  ])('gives up an event of a schedule of %d minutes after %d seconds', (minutes, seconds) => {
    const schedule = ScheduleExpression.rate(Duration.minutes(minutes));
    expect(readSettings({ ...MINIMAL, schedule }).schedule.scannerEventAge).toBe(seconds);
  });

  it('is updated after the consumer and its mapping', () => {
    expect(scanner.DependsOn).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^RemindersConsumer[0-9A-F]{8}$/),
        expect.stringMatching(/^RemindersMapping[0-9A-F]{8}$/),
      ]),
    );
  });
});

describe('the consumer', () => {
  const consumer = consumerOf(standard.template);

  it('has a minute for a batch, and is told where the dead-letter queue is', () => {
    const { fanout, stack } = standard;
    expect(consumer.Properties).toMatchObject({ Runtime: 'nodejs24.x', Timeout: 60, MemorySize: 512 });
    expect(variablesOf(consumer)).toMatchObject({
      CRON_FANOUT_ID: fanout.fanoutId,
      CRON_FANOUT_DEAD_LETTER_QUEUE_URL: stack.resolve(fanout.deadLetterQueue.queueUrl) as unknown,
      CRON_FANOUT_CONFIGURATION: variablesOf(scannerOf(standard.template))['CRON_FANOUT_CONFIGURATION'],
    });
  });

  it('is told the same configuration as the queue has', () => {
    expect(JSON.parse(String(variablesOf(consumer)['CRON_FANOUT_CONFIGURATION']))).toMatchObject({
      lanes: 'group',
      serialFailure: 'block',
      visibilityTimeout: 360,
      maxReceiveCount: 550,
      queueRetention: 345_600,
      ledgerRetention: 345_600 + 1_209_600 + 86_400,
      pageSize: 250,
      lease: 60,
      jobs: {},
    });
  });

  it('B05: is fed without a batching window, by ten at most, and answers for each message', () => {
    expect(resource(standard.template, MAPPING).Properties).toEqual({
      BatchSize: 10,
      EventSourceArn: standard.stack.resolve(standard.fanout.queue.queueArn) as unknown,
      FunctionName: standard.stack.resolve(standard.fanout.consumer.functionName) as unknown,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 2 },
    });
  });

  it('B01: is limited by its mapping, and has no reserved concurrency', () => {
    const { template, fanout } = synthesized({ maxConcurrency: 45 });
    expect(resource(template, MAPPING).Properties).toMatchObject({
      BatchSize: 9,
      ScalingConfig: { MaximumConcurrency: 5 },
    });
    expect(fanout.effectiveConcurrency).toBe(45);
    for (const { Properties } of Object.values(template.findResources(FUNCTION))) {
      expect(Properties).not.toHaveProperty('ReservedConcurrentExecutions');
    }
  });

  it('B01: has the reserved concurrency that the user wants, if the mapping fits into it', () => {
    const { template } = synthesized({ reservedConcurrentExecutions: 7 });
    expect(consumerOf(template).Properties['ReservedConcurrentExecutions']).toBe(7);
    expect(scannerOf(template).Properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it('B01: is refused reserved concurrency below the mapping when it is set past the options', () => {
    const stack = testStack();
    const { fanout } = { fanout: new CronFanout(stack, 'Reminders', { ...MINIMAL, maxConcurrency: 50 }) };
    (fanout.consumer.node.defaultChild as CfnFunction).reservedConcurrentExecutions = 2;
    expect(() => Template.fromStack(stack)).toThrow(/received 2, and 5 invocations at once/);
  });

  it('B02: with maxConcurrency 1 has no maximum at its mapping, which could not be below 2', () => {
    const { template, fanout } = synthesized({
      maxConcurrency: 1,
      serialFailure: SerialFailure.DEAD_LETTER_AND_CONTINUE,
    });
    expect(resource(template, MAPPING).Properties).not.toHaveProperty('ScalingConfig');
    expect(resource(template, MAPPING).Properties['BatchSize']).toBe(10);
    expect(variablesOf(consumerOf(template))['CRON_FANOUT_CONFIGURATION']).toContain(
      '"lanes":"single","serialFailure":"deadLetterAndContinue"',
    );
    expect(fanout.effectiveConcurrency).toBe(1);
  });

  it('says at synth when it runs fewer handlers at once than were asked for', () => {
    const { stack } = synthesized({ maxConcurrency: 7 });
    Annotations.fromStack(stack).hasInfo('/Bookings/Reminders', Match.stringLikeRegexp('maxConcurrency 7 gives 6'));
    expect(Annotations.fromStack(standard.stack).findInfo('*', Match.anyValue())).toEqual([]);
  });

  it('B03: has a queue with six times its timeout', () => {
    const { template } = synthesized({ timeout: Duration.seconds(120) });
    expect(resource(template, 'AWS::SQS::Queue', 'RemindersQueue').Properties['VisibilityTimeout']).toBe(720);
  });

  it('B03: is refused a queue whose visibility timeout is set below its own timeout', () => {
    const stack = testStack();
    const fanout = new CronFanout(stack, 'Reminders', MINIMAL);
    (fanout.queue.node.defaultChild as CfnQueue).visibilityTimeout = 59;
    expect(() => Template.fromStack(stack)).toThrow(/received 59 seconds, with a consumer timeout of 60 seconds/);
  });
});

describe('the roles of the functions', () => {
  const { template, fanout, stack } = standard;
  const arn = (construct: { readonly queueArn: string }): unknown => stack.resolve(construct.queueArn);
  const ownItems: Statement = {
    actions: [
      'dynamodb:BatchGetItem',
      'dynamodb:DeleteItem',
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:Query',
      'dynamodb:UpdateItem',
    ],
    resources: [stack.resolve(fanout.stateTable.tableArn)],
    condition: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [fanout.fanoutId, `${fanout.fanoutId}#*`] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  };
  const logs = (id: string): Statement => ({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [{ 'Fn::GetAtt': [expect.stringMatching(new RegExp(`^Reminders${id}Logs`)), 'Arn'] }],
  });

  it('let the scanner send to its queue, touch its own items, log, continue itself, and nothing else', () => {
    expect(statements(template, 'RemindersScannerRole')).toEqual([
      { actions: ['sqs:SendMessage'], resources: [arn(fanout.queue)] },
      { actions: ['sqs:SendMessage'], resources: [arn(fanout.failureQueue)] },
      ownItems,
      logs('Scanner'),
      { actions: ['lambda:InvokeFunction'], resources: [stack.resolve(fanout.scanner.functionArn)] },
    ]);
  });

  it('let the consumer consume its queue, send to its dead-letter queue, touch its own items, log, and nothing else', () => {
    expect(statements(template, 'RemindersConsumerRole')).toEqual([
      {
        actions: ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
        resources: [arn(fanout.queue)],
      },
      { actions: ['sqs:SendMessage'], resources: [arn(fanout.deadLetterQueue)] },
      ownItems,
      logs('Consumer'),
    ]);
  });

  it('have no managed policies, and wildcards nowhere', () => {
    for (const { Properties } of Object.values(template.findResources('AWS::IAM::Role')) as Resource[]) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
    }
    const resources = ['ScannerRole', 'ConsumerRole', 'ScheduleRole'].flatMap((id) =>
      statements(template, `Reminders${id}`).flatMap((statement) => statement.resources),
    );
    expect(JSON.stringify(resources)).not.toContain('*');
  });

  it('keep the self-invocation out of the policy that the scanner depends on, which would be a cycle', () => {
    const continuation = Object.keys(template.findResources('AWS::IAM::Policy')).find((id) =>
      id.includes('Continuation'),
    );
    expect(continuation).toBeDefined();
    expect(scannerOf(template).DependsOn).not.toContain(continuation);
  });

  it('can be brought, and are given the same', () => {
    const other = testStack();
    const role = (id: string): Role => new Role(other, id, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const brought = synthesized({ scannerRole: role('Finding'), consumerRole: role('Handling') }, other);
    expect(statements(brought.template, 'Finding')).toHaveLength(5);
    expect(statements(brought.template, 'Handling')).toHaveLength(4);
    expect(Object.keys(brought.template.findResources('AWS::IAM::Role'))).toHaveLength(3);
  });

  it('can be brought as they are, when the user grants everything', () => {
    const other = testStack();
    const scannerRole = Role.fromRoleArn(other, 'Finding', 'arn:aws:iam::111122223333:role/finding', {
      mutable: false,
    });
    const brought = synthesized({ scannerRole }, other);
    expect(scannerOf(brought.template).Properties['Role']).toBe('arn:aws:iam::111122223333:role/finding');
    expect(
      Object.keys(brought.template.findResources('AWS::IAM::Policy')).filter((id) => /Scanner|Finding/.test(id)),
    ).toEqual([]);
  });

  it('take what users grant to the functions', () => {
    const other = testStack();
    const fanoutToGrant = new CronFanout(other, 'Reminders', MINIMAL);
    new Bucket(other, 'Records').grantRead(fanoutToGrant.scanner);
    expect(JSON.stringify(statements(Template.fromStack(other), 'RemindersScannerRole'))).toContain('s3:GetObject*');
  });
});

describe('the environment', () => {
  it('has what the user wants in it, in both functions', () => {
    const { template } = synthesized({ environment: { STAGE: 'test', NODE_OPTIONS: '--max-old-space-size=400' } });
    for (const made of [scannerOf(template), consumerOf(template)]) {
      expect(variablesOf(made)).toMatchObject({
        STAGE: 'test',
        NODE_OPTIONS: '--max-old-space-size=400 --enable-source-maps',
      });
    }
  });

  it('names source maps once', () => {
    const { template } = synthesized({ environment: { NODE_OPTIONS: '--enable-source-maps --trace-warnings' } });
    expect(variablesOf(scannerOf(template))['NODE_OPTIONS']).toBe('--enable-source-maps --trace-warnings');
  });

  it.each([
    'CRON_FANOUT_ID',
    'CRON_FANOUT_ANYTHING',
    'AWS_REGION',
    'AWS_LAMBDA_LOG_GROUP_NAME',
    '_HANDLER',
    'A-B',
    '1A',
    '',
  ])('rejects the name %j', (name) => {
    const error = thrownBy(() => synthesized({ environment: { [name]: 'x' } }));
    expect(error.code).toBe('InvalidEnvironmentName');
    expect(error.message).toContain(`received ${JSON.stringify(name)}`);
  });

  /** Bytes that a variable of the user can have beside the fanout's own, in the consumer. */
  const room = 4096 - known(variablesOf(consumerOf(standard.template))) - 'LARGE'.length;

  it('fits into 4 KB to the byte', () => {
    expect(() => synthesized({ environment: { LARGE: 'x'.repeat(room) } })).not.toThrow();
    expect(() => synthesized({ environment: { LARGE: 'x'.repeat(room + 1) } })).toThrow(
      /environment of Bookings\/Reminders\/Consumer: received 4097 bytes or more \(LARGE: \d+/,
    );
  });

  it('is measured at synth time, with what was added later, in bytes', () => {
    const stack = testStack();
    const { scanner } = new CronFanout(stack, 'Reminders', MINIMAL);
    scanner.addEnvironment('LARGE', 'ü'.repeat(2048));
    expect(() => Template.fromStack(stack)).toThrow(/environment of Bookings\/Reminders\/Scanner/);
  });

  it('takes what is not known at synth time for nothing', () => {
    const stack = testStack();
    const parameter = new CfnParameter(stack, 'Long');
    expect(() => synthesized({ environment: { LONG: `${parameter.valueAsString}-suffix` } }, stack)).not.toThrow();
  });
});

describe('secrets', () => {
  it('are named to both functions, which may read them', () => {
    const stack = testStack();
    const secret = new Secret(stack, 'Database');
    const { template } = synthesized({ secrets: { DB: secret } }, stack);
    for (const [made, role] of [
      [scannerOf(template), 'RemindersScannerRole'],
      [consumerOf(template), 'RemindersConsumerRole'],
    ] as const) {
      expect(variablesOf(made)['CRON_FANOUT_SECRETS']).toEqual({
        'Fn::Join': ['', ['{"DB":"', { Ref: expect.stringMatching(/^Database/) as unknown }, '"}']],
      });
      expect(statements(template, role)).toContainEqual({
        actions: ['secretsmanager:GetSecretValue', 'secretsmanager:DescribeSecret'],
        resources: [{ Ref: expect.stringMatching(/^Database/) as unknown }],
      });
    }
  });

  it('are refused without a name', () => {
    const stack = testStack();
    const error = thrownBy(() => synthesized({ secrets: { ' ': new Secret(stack, 'Database') } }, stack));
    expect(error.code).toBe('InvalidSecretName');
  });
});

describe('logs', () => {
  it.each([true, false])('B18: have one group per function, with the feature flag for it %s', (flag) => {
    const app = testApp({ context: { '@aws-cdk/aws-lambda:useCdkManagedLogGroup': flag } });
    const { template } = synthesized({ logRetention: RetentionDays.ONE_WEEK }, testStack({}, app));
    template.resourceCountIs('AWS::Logs::LogGroup', 2);
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7, LogGroupName: Match.absent() });
    template.resourceCountIs('Custom::LogRetention', 0);
    expect(JSON.stringify(template.toJSON())).not.toContain('/aws/lambda/');
  });

  it('are kept for a month, longer than any record takes', () => {
    standard.template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  });
});

describe('properties of both functions', () => {
  it('are those that the user chooses', () => {
    const { template } = synthesized({
      runtime: Runtime.NODEJS_22_X,
      architecture: Architecture.ARM_64,
      memorySize: 1024,
      scannerMemorySize: 2048,
      scannerTimeout: Duration.minutes(5),
      logLevel: ApplicationLogLevel.DEBUG,
    });
    template.allResourcesProperties(FUNCTION, {
      Runtime: 'nodejs22.x',
      Architectures: ['arm64'],
      LoggingConfig: { ApplicationLogLevel: 'DEBUG' },
    });
    expect(scannerOf(template).Properties).toMatchObject({ MemorySize: 2048, Timeout: 300 });
    expect(consumerOf(template).Properties).toMatchObject({ MemorySize: 1024 });
  });

  it.each([Runtime.NODEJS_18_X, Runtime.PYTHON_3_13, Runtime.PROVIDED_AL2023])(
    'reject the runtime $name',
    (runtime) => {
      expect(thrownBy(() => synthesized({ runtime })).message).toMatch(
        /runtime: received .*; allowed: nodejs20\.x or newer/,
      );
    },
  );

  it('put both into a VPC, each with a security group of its own, without a managed policy', () => {
    const stack = testStack();
    const vpc = new Vpc(stack, 'Vpc', { natGateways: 1, maxAzs: 2, restrictDefaultSecurityGroup: false });
    const { template, fanout } = synthesized({ vpc }, stack);
    template.resourceCountIs('AWS::EC2::SecurityGroup', 2);
    template.allResourcesProperties(FUNCTION, { VpcConfig: { SubnetIds: Match.anyValue() } });
    expect(fanout.connections.securityGroups).toHaveLength(2);
    for (const role of ['RemindersScannerRole', 'RemindersConsumerRole']) {
      expect(statements(template, role)).toContainEqual({
        actions: expect.arrayContaining(['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface']) as string[],
        resources: ['*'],
      });
    }
    expect(
      JSON.stringify(template.findResources('AWS::IAM::Role', { Properties: { ManagedPolicyArns: Match.anyValue() } })),
    ).toBe('{}');
  });

  it('share the security group that is brought, which can be let in once', () => {
    const stack = testStack();
    const vpc = new Vpc(stack, 'Vpc', { natGateways: 1, maxAzs: 2, restrictDefaultSecurityGroup: false });
    const [securityGroup, database] = ['Jobs', 'Database'].map((id) => new SecurityGroup(stack, id, { vpc }));
    const fanout = new CronFanout(stack, 'Reminders', { ...MINIMAL, vpc, securityGroups: [securityGroup!] });
    database!.connections.allowFrom(fanout, Port.POSTGRES);
    expect(fanout.connections.securityGroups).toEqual([securityGroup]);
    Template.fromStack(stack).resourceCountIs('AWS::EC2::SecurityGroupIngress', 1);
  });
});

function known(variables: Readonly<Record<string, unknown>>): number {
  return Object.entries(variables)
    .map(([name, value]) => Buffer.byteLength(name) + (typeof value === 'string' ? Buffer.byteLength(value) : 0))
    .reduce((sum, bytes) => sum + bytes, 0);
}
