import { Duration } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { readConfiguration } from '../../../lambda/adapters/configuration';
import { CronFanout, RetryPolicy, SerialFailure } from '../../../lib';
import { readSettings } from '../../../lib/settings';
import { MINIMAL, resource, statements, synthesized, testStack } from '../fanout-stack';
import type { Resource, Statement } from '../fanout-stack';

const FUNCTION = 'AWS::Lambda::Function';
const MAPPING = 'AWS::Lambda::EventSourceMapping';
const INVOKE_CONFIG = 'AWS::Lambda::EventInvokeConfig';
/** A logical id is a path and eight digits; the role of a function begins alike. */
const scannerOf = (template: Template): Resource => resource(template, FUNCTION, 'RemindersScanner');
const consumerOf = (template: Template): Resource => resource(template, FUNCTION, 'RemindersConsumer');
const variablesOf = ({ Properties }: Resource): Readonly<Record<string, unknown>> =>
  (Properties.Environment as { readonly Variables: Readonly<Record<string, unknown>> }).Variables;

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
    expect(scanner.Properties.RecursiveLoop).toBe('Allow');
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
      CRON_FANOUT_CONFIGURATION: variablesOf(scannerOf(standard.template)).CRON_FANOUT_CONFIGURATION,
    });
  });

  it('is told a configuration that the runtime reads', () => {
    const jobs = { review: { retry: RetryPolicy.delays([Duration.seconds(1)]), handlerTimeout: Duration.seconds(5) } };
    const props = { ...MINIMAL, jobs, expiresAfter: Duration.hours(2), maxConcurrency: 1 };
    const variables = variablesOf(consumerOf(synthesized(props).template));
    expect(readConfiguration(variables as Record<string, string>)).toEqual(readSettings(props).configuration);
  });

  it('is told the same configuration as the queue has', () => {
    expect(JSON.parse(String(variablesOf(consumer).CRON_FANOUT_CONFIGURATION))).toMatchObject({
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
    expect(consumerOf(template).Properties.ReservedConcurrentExecutions).toBe(7);
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
    expect(resource(template, MAPPING).Properties.BatchSize).toBe(10);
    expect(variablesOf(consumerOf(template)).CRON_FANOUT_CONFIGURATION).toContain(
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
    expect(resource(template, 'AWS::SQS::Queue', 'RemindersQueue').Properties.VisibilityTimeout).toBe(720);
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
    expect(scannerOf(brought.template).Properties.Role).toBe('arn:aws:iam::111122223333:role/finding');
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
