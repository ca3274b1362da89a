import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { CronFanout, CronFanoutDefaults, CronFanoutShared } from '../../lib';
import type { CronFanoutProps, CronFanoutSharedProps } from '../../lib';
import { nestedFanouts, resourceCount } from './composition';
import { MINIMAL, statements, testApp, testStack, thrownBy, warnings } from './fanout-stack';

const ALARM = 'AWS::CloudWatch::Alarm';
const HOURLY = ScheduleExpression.rate(Duration.hours(1));
/** Of a stack. @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const CLOUDFORMATION_RESOURCES = 500;
/** What a fanout adds to a stack; documented in docs/composition.md. */
const PER_FANOUT = { alone: { ticks: 27, watchdog: 28 }, sharing: { ticks: 22, watchdog: 23 } };
const PER_SHARED = 7;

const sharedStack = (props: CronFanoutSharedProps = {}): { shared: CronFanoutShared; stack: Stack } => {
  const stack = testStack();
  return { shared: new CronFanoutShared(stack, 'Shared', props), stack };
};
const reminders = (stack: Stack, props: Partial<CronFanoutProps>, id = 'Reminders'): CronFanout =>
  new CronFanout(stack, id, { ...MINIMAL, ...props });

describe('CronFanoutShared', () => {
  it('makes state table, failure queue, schedule group and alarm topic, whose ids stay', () => {
    const { stack, shared } = sharedStack();
    const template = Template.fromStack(stack);
    const resources = template.toJSON().Resources as Readonly<Record<string, { readonly Type: string }>>;
    expect(Object.fromEntries(Object.entries(resources).map(([id, { Type }]) => [id, Type]))).toMatchInlineSnapshot(`
      {
        "SharedAlarmTopicAE74B6D1": "AWS::SNS::Topic",
        "SharedAlarmTopicPolicy6ECAD53D": "AWS::SNS::TopicPolicy",
        "SharedFailureQueue5AE15EB7": "AWS::SQS::Queue",
        "SharedFailureQueueAlarmE2C78BCA": "AWS::CloudWatch::Alarm",
        "SharedFailureQueuePolicy5516D65C": "AWS::SQS::QueuePolicy",
        "SharedScheduleGroup6214ACF7": "AWS::Scheduler::ScheduleGroup",
        "SharedStateTableF2D641AF": "AWS::DynamoDB::GlobalTable",
      }
    `);
    expect(stack.resolve(shared.alarmTopic.topicArn)).toEqual({
      Ref: expect.stringMatching(/^SharedAlarmTopic/) as unknown,
    });
  });

  it('tells the topic when something is in the failure queue', () => {
    const { stack } = sharedStack({ runbookUrl: 'https://wiki.example.com/' });
    Template.fromStack(stack).hasResourceProperties(ALARM, {
      AlarmActions: [{ Ref: Match.stringLikeRegexp('^SharedAlarmTopic') }],
      Dimensions: [
        { Name: 'QueueName', Value: { 'Fn::GetAtt': [Match.stringLikeRegexp('^SharedFailureQueue'), 'QueueName'] } },
      ],
      Threshold: 1,
      AlarmDescription: {
        'Fn::Join': ['', Match.arrayWith([Match.stringLikeRegexp('https://wiki.example.com/failure-queue.md$')])],
      },
    });
  });

  it('has a topic that CloudWatch alone publishes to, for alarms of the account, over TLS', () => {
    const { stack } = sharedStack();
    Template.fromStack(stack).hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
          Match.objectLike({
            Effect: 'Allow',
            Action: 'sns:Publish',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: {
              StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
              ArnLike: { 'aws:SourceArn': { 'Fn::Join': ['', Match.arrayWith([':alarm:*'])] } },
            },
          }),
        ]),
      },
    });
  });

  it('is encrypted with a key that CloudWatch may use for its alarms', () => {
    const stack = testStack({ env: { account: '111122223333', region: 'eu-central-1' } });
    const key = new Key(stack, 'Key');
    new CronFanoutShared(stack, 'Shared', { encryptionKey: key });
    const template = Template.fromStack(stack);
    const used: unknown = { 'Fn::GetAtt': [stack.getLogicalId(key.node.defaultChild as never), 'Arn'] };
    template.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: used });
    template.hasResourceProperties('AWS::SQS::Queue', { KmsMasterKeyId: used });
    template.hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
            Condition: Match.objectLike({ StringEquals: { 'aws:SourceAccount': '111122223333' } }),
          }),
        ]),
      },
    });
  });

  it('says what the owner of a key that is imported has to allow CloudWatch', () => {
    const stack = testStack();
    const key = Key.fromKeyArn(stack, 'Key', 'arn:aws:kms:eu-central-1:111122223333:key/1');
    new CronFanoutShared(stack, 'Shared', { encryptionKey: key });
    expect(warnings(stack)).toEqual([expect.stringMatching(/cloudwatch\.amazonaws\.com.*cron-fanout:importedKey/)]);
  });

  it('takes each part that is brought', () => {
    const stack = testStack();
    const parts = {
      stateTable: new TableV2(stack, 'State', {
        partitionKey: { name: 'pk', type: AttributeType.STRING },
        sortKey: { name: 'sk', type: AttributeType.STRING },
        timeToLiveAttribute: 'expiresAt',
      }) as ITable,
      failureQueue: new Queue(stack, 'Failures'),
      scheduleGroup: ScheduleGroup.fromScheduleGroupName(stack, 'Group', 'ours'),
      alarmTopic: new Topic(stack, 'Topic'),
    };
    const shared = new CronFanoutShared(stack, 'Shared', parts);
    expect(shared).toMatchObject(parts);
    const made = Object.keys(Template.fromStack(stack).toJSON().Resources as object);
    expect(made.filter((id) => id.startsWith('Shared'))).toEqual([expect.stringMatching(/^SharedFailureQueueAlarm/)]);
  });

  it.each<[string, (stack: Stack) => CronFanoutSharedProps, string]>([
    [
      'a FIFO failure queue',
      (stack) => ({ failureQueue: new Queue(stack, 'F', { fifo: true }) }),
      'StandardQueueRequired',
    ],
    [
      'a table with other keys',
      (stack) => ({
        stateTable: new TableV2(stack, 'T', { partitionKey: { name: 'id', type: AttributeType.STRING } }) as ITable,
      }),
      'UnfitStateTable',
    ],
    [
      'a table and its recovery',
      (stack) => ({ stateTable: TableV2.fromTableName(stack, 'T', 't'), pointInTimeRecovery: true }),
      'ConflictingOptions',
    ],
    ['a snapshot', () => ({ removalPolicy: RemovalPolicy.SNAPSHOT }), 'UnsupportedRemovalPolicy'],
    ['a runbook that is no URL', () => ({ runbookUrl: 'wiki' }), 'InvalidRunbookUrl'],
  ])('refuses %s', (_, props, code) => {
    const stack = testStack();
    expect(thrownBy(() => new CronFanoutShared(stack, 'Shared', props(stack))).code).toBe(code);
  });
});

describe('a fanout that shares', () => {
  it('uses the parts, and only touches its own items', () => {
    const { shared, stack } = sharedStack();
    const fanouts = ['Reminders', 'Reviews'].map((id) => reminders(stack, { shared }, id));
    const template = Template.fromStack(stack);
    for (const { stateTable, failureQueue, scheduleGroup, fanoutId, node } of fanouts) {
      expect([stateTable, failureQueue, scheduleGroup]).toEqual([
        shared.stateTable,
        shared.failureQueue,
        shared.scheduleGroup,
      ]);
      const conditions = statements(template, `${node.id}ScannerRole`).flatMap(({ condition }) => condition ?? []);
      expect(JSON.stringify(conditions)).toContain(`["${fanoutId}","${fanoutId}#*"]`);
    }
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
    template.resourceCountIs('AWS::Scheduler::ScheduleGroup', 1);
  });

  it('sends its alarms to the topic, and leaves that on the failure queue to the shared one', () => {
    const { shared, stack } = sharedStack();
    const fanout = reminders(stack, { shared });
    const alarms = Template.fromStack(stack).findResources(ALARM);
    const actions = Object.values(alarms).map(
      ({ Properties }) => (Properties as { AlarmActions?: unknown }).AlarmActions,
    );
    expect(actions).toEqual(Array(8).fill([stack.resolve(shared.alarmTopic.topicArn)]));
    expect(fanout.alarms.failureQueue).toBeUndefined();
  });

  it.each<[string, (stack: Stack) => Partial<CronFanoutProps>]>([
    ['failureQueue', (stack) => ({ failureQueue: new Queue(stack, 'Own') })],
    ['scheduleGroup', (stack) => ({ scheduleGroup: ScheduleGroup.fromScheduleGroupName(stack, 'Own', 'own') })],
    ['stateTable', (stack) => ({ stateTable: TableV2.fromTableName(stack, 'Own', 'own') })],
  ])('keeps %s that is given to itself', (part, own) => {
    const { shared, stack } = sharedStack();
    const props = own(stack);
    const fanout = reminders(stack, { shared, ...props });
    expect(fanout[part as 'failureQueue']).toBe(props[part as 'failureQueue']);
    // A queue of its own has an alarm of its own.
    expect(fanout.alarms.failureQueue !== undefined).toBe(part === 'failureQueue');
  });

  it('keeps actions and alarms that are given to itself, none of them too', () => {
    const { shared, stack } = sharedStack();
    const own = new Topic(stack, 'Own');
    const fanout = reminders(stack, {
      shared,
      pageActions: [new SnsAction(own)],
      ticketActions: [],
      alarms: { failureQueue: { threshold: 5 } },
    });
    const actionsOf = (name: 'oldestMessage' | 'deadRecords'): unknown =>
      stack.resolve((fanout.alarms[name]?.node.defaultChild as { alarmActions?: unknown }).alarmActions);
    expect([actionsOf('oldestMessage'), actionsOf('deadRecords')]).toEqual([[stack.resolve(own.topicArn)], undefined]);
    expect(fanout.alarms.failureQueue).toBeDefined();
  });

  it('can share some parts alone', () => {
    const stack = testStack();
    const failureQueue = new Queue(stack, 'Failures');
    const fanout = reminders(stack, { shared: { failureQueue } });
    expect(fanout.failureQueue).toBe(failureQueue);
    expect(fanout.alarms.failureQueue).toBeDefined();
    Template.fromStack(stack).resourceCountIs('AWS::DynamoDB::GlobalTable', 1);
    const topic = new Topic(stack, 'Topic');
    const other = reminders(stack, { shared: { alarmTopic: topic } }, 'Reviews');
    expect(
      stack.resolve((other.alarms.deadRecords?.node.defaultChild as { alarmActions?: unknown }).alarmActions),
    ).toEqual([stack.resolve(topic.topicArn)]);
  });

  it('is told so for a whole stack by the defaults', () => {
    const { shared, stack } = sharedStack();
    CronFanoutDefaults.of(stack).set({ shared });
    expect(reminders(stack, {}).stateTable).toBe(shared.stateTable);
    const failureQueue = new Queue(stack, 'Own');
    expect(reminders(stack, { failureQueue }, 'Reviews').failureQueue).toBe(failureQueue);
  });

  it('is refused a shared part that is not fit', () => {
    const stack = testStack();
    const failureQueue = new Queue(stack, 'Failures', { fifo: true });
    expect(thrownBy(() => reminders(stack, { shared: { failureQueue } })).code).toBe('StandardQueueRequired');
  });
});

describe('the number of resources', () => {
  const counts = (props: Partial<CronFanoutProps>, sharing: boolean): number => {
    const stack = testStack();
    const shared = sharing ? { shared: new CronFanoutShared(stack, 'Shared') } : {};
    reminders(stack, { ...props, ...shared });
    return resourceCount(stack) - (sharing ? PER_SHARED : 0);
  };

  it('of what is shared', () => {
    expect(resourceCount(sharedStack().stack)).toBe(PER_SHARED);
  });

  it.each<[string, Partial<CronFanoutProps>, boolean, number]>([
    ['alone, with ticks of five minutes', {}, false, PER_FANOUT.alone.ticks],
    ['alone, with a watchdog', { schedule: HOURLY }, false, PER_FANOUT.alone.watchdog],
    ['sharing, with ticks of five minutes', {}, true, PER_FANOUT.sharing.ticks],
    ['sharing, with a watchdog', { schedule: HOURLY }, true, PER_FANOUT.sharing.watchdog],
    ['alone, without alarms', { alarms: { all: { enabled: false } } }, false, PER_FANOUT.alone.ticks - 8],
  ])('of a fanout %s', (_, props, sharing, expected) => {
    expect(counts(props, sharing)).toBe(expected);
  });

  it('is what docs/composition.md says', () => {
    const page = readFileSync(join(__dirname, '../../docs/composition.md'), 'utf8');
    const numbers = [...page.matchAll(/^\| (?:alone|sharing)[^|]*\|\s*(\d+)\s*\|\s*(\d+)\s*\|/gm)].map(([, ...row]) =>
      row.map(Number),
    );
    expect(numbers).toEqual([Object.values(PER_FANOUT.alone), Object.values(PER_FANOUT.sharing)]);
    expect(page).toContain(`${PER_SHARED} resources`);
  });

  it('of 20 fanouts that share, each with a watchdog, all alarms and a grant, is below 500', () => {
    const { shared, stack } = sharedStack();
    const table = new TableV2(stack, 'Bookings', { partitionKey: { name: 'id', type: AttributeType.STRING } });
    for (let number = 1; number <= 20; number++) {
      table.grantReadData(reminders(stack, { shared, schedule: HOURLY }, `Fanout${number}`).scanner);
    }
    expect(resourceCount(stack)).toBe(PER_SHARED + 1 + 20 * (PER_FANOUT.sharing.watchdog + 1));
    expect(resourceCount(stack)).toBeLessThan(CLOUDFORMATION_RESOURCES);
  });

  it('of more fanouts is below 500 in each of their nested stacks', () => {
    const app = testApp();
    const stack = testStack({}, app);
    const shared = new CronFanoutShared(stack, 'Shared');
    const nested = ['First', 'Second', 'Third'].map((id) => nestedFanouts(stack, id, 20, { shared }));
    expect(nested.map(resourceCount)).toEqual(Array(3).fill(20 * PER_FANOUT.sharing.ticks));
    expect(resourceCount(stack)).toBe(PER_SHARED + 3);
    const ids = nested.flatMap((inner) => inner.node.findAll().filter((child) => CronFanout.isCronFanout(child)));
    expect(new Set(ids.map(({ fanoutId }) => fanoutId)).size).toBe(60);
    expect(() => app.synth()).not.toThrow();
  });
});
