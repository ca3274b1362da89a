import { NestedStack, Stack } from 'aws-cdk-lib';
import type { App, StackProps } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AttributeType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Alias, Key } from 'aws-cdk-lib/aws-kms';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { CronFanout } from '../../../lib';
import { MINIMAL, resource, statements, synthesized, testApp, testStack, thrownBy, warnings } from '../fanout-stack';
import type { Resource } from '../fanout-stack';

const KEY = 'AWS::KMS::Key';
const KEY_ARN = 'arn:aws:kms:eu-central-1:111122223333:key/11111111-2222-3333-4444-555555555555';
const SEND = ['kms:Decrypt', 'kms:GenerateDataKey'];

/** Actions that a role may do with a key, one list per statement. */
function keyActions(template: Template, role: string, keyArn: unknown): (readonly string[])[] {
  return statements(template, role)
    .filter(({ resources }) => JSON.stringify(resources) === JSON.stringify([keyArn]))
    .map(({ actions }) => actions);
}

interface KeyStatement {
  readonly Principal: { readonly Service?: unknown };
}

/** What the policy of the one key of a template lets services do. */
function serviceStatements(template: Template): KeyStatement[] {
  const { KeyPolicy } = resource(template, KEY).Properties as {
    readonly KeyPolicy: { readonly Statement: readonly KeyStatement[] };
  };
  return KeyPolicy.Statement.filter(({ Principal }) => Principal.Service !== undefined);
}

describe('B08: an encryption key', () => {
  const stack = testStack();
  const key = new Key(stack, 'Key');
  const { template } = synthesized({ encryptionKey: key, enabled: false }, stack);
  const keyArn = stack.resolve(key.keyArn) as unknown;
  const all = (type: string): Resource[] => Object.values(template.findResources(type)) as Resource[];

  it('B08: encrypts queues, table, logs, schedules and the environment of the functions', () => {
    template.allResourcesProperties('AWS::SQS::Queue', {
      KmsMasterKeyId: keyArn,
      SqsManagedSseEnabled: Match.absent(),
    });
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [{ SSESpecification: { KMSMasterKeyId: keyArn } }],
    });
    template.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: keyArn });
    template.allResourcesProperties('AWS::Scheduler::Schedule', { KmsKeyArn: keyArn });
    template.allResourcesProperties('AWS::Lambda::Function', { KmsKeyArn: keyArn });
    expect(
      ['AWS::SQS::Queue', 'AWS::Scheduler::Schedule', 'AWS::Lambda::Function'].map((type) => all(type).length),
    ).toEqual([3, 2, 2]);
  });

  it('B08: leaves nothing out that holds data, also of what is added later', () => {
    /** Where a type has its key; `undefined` for one that holds nothing but settings. */
    const keys: Readonly<Record<string, ((properties: Readonly<Record<string, unknown>>) => unknown) | undefined>> = {
      'AWS::SQS::Queue': ({ KmsMasterKeyId }) => KmsMasterKeyId,
      'AWS::DynamoDB::GlobalTable': ({ Replicas }) =>
        (Replicas as readonly { SSESpecification?: { KMSMasterKeyId: unknown } }[])[0]?.SSESpecification
          ?.KMSMasterKeyId,
      'AWS::Logs::LogGroup': ({ KmsKeyId }) => KmsKeyId,
      'AWS::Scheduler::Schedule': ({ KmsKeyArn }) => KmsKeyArn,
      'AWS::Lambda::Function': ({ KmsKeyArn }) => KmsKeyArn,
      'AWS::CloudWatch::Alarm': undefined,
      'AWS::IAM::Policy': undefined,
      'AWS::IAM::Role': undefined,
      'AWS::KMS::Key': undefined,
      'AWS::Lambda::EventInvokeConfig': undefined,
      'AWS::Lambda::EventSourceMapping': undefined,
      'AWS::SQS::QueuePolicy': undefined,
      'AWS::Scheduler::ScheduleGroup': undefined,
    };
    const { Resources } = template.toJSON() as { readonly Resources: Readonly<Record<string, Resource>> };
    const unencrypted = Object.entries(Resources).filter(([, { Type, Properties }]) => {
      const keyOf = keys[Type];
      return !(Type in keys) || (keyOf !== undefined && JSON.stringify(keyOf(Properties)) !== JSON.stringify(keyArn));
    });
    expect(unencrypted.map(([id, { Type }]) => `${id}: ${Type}`)).toEqual([]);
  });

  it('B08: can be used by the scanner to send, and by the consumer to receive and to send to the dead-letter queue', () => {
    for (const role of ['RemindersScannerRole', 'RemindersConsumerRole']) {
      expect(keyActions(template, role, keyArn)).toContainEqual(SEND);
    }
  });

  it('B08: can be used by both functions for the items of the table and for their environment', () => {
    for (const role of ['RemindersScannerRole', 'RemindersConsumerRole']) {
      expect(keyActions(template, role, keyArn)).toContainEqual(
        expect.arrayContaining(['kms:Encrypt', 'kms:ReEncryptTo']),
      );
      expect(keyActions(template, role, keyArn)).toContainEqual(['kms:Decrypt']);
    }
  });

  it('B08: can be used by the schedules to read their input and to write to the failure queue', () => {
    expect(keyActions(template, 'RemindersScheduleRole', keyArn)).toEqual([SEND, ['kms:Decrypt']]);
  });

  it('names each action: no role may do more with the key than is listed', () => {
    const actions = ['Scanner', 'Consumer', 'Schedule'].flatMap((id) =>
      keyActions(template, `Reminders${id}Role`, keyArn).flat(),
    );
    expect(actions.filter((action) => action.includes('*'))).toEqual([]);
  });

  it('B08: lets CloudWatch Logs encrypt, for log groups of this account and region alone, and no other service', () => {
    expect(serviceStatements(template)).toEqual([
      {
        Effect: 'Allow',
        Principal: { Service: { 'Fn::Join': ['', ['logs.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]] } },
        Action: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
        Resource: '*',
        Condition: {
          ArnLike: {
            'kms:EncryptionContext:aws:logs:arn': {
              'Fn::Join': [
                '',
                [
                  'arn:',
                  { Ref: 'AWS::Partition' },
                  ':logs:',
                  { Ref: 'AWS::Region' },
                  ':',
                  { Ref: 'AWS::AccountId' },
                  ':log-group:*',
                ],
              ],
            },
          },
        },
      },
    ]);
  });

  it('does not grow with each fanout that uses it', () => {
    const shared = testStack();
    const encryptionKey = new Key(shared, 'Key');
    for (let place = 0; place < 5; place++) {
      new CronFanout(shared, `Reminders${place}`, { ...MINIMAL, encryptionKey });
    }
    expect(serviceStatements(Template.fromStack(shared))).toHaveLength(1);
  });

  it('is named by its alias too, when that was made here', () => {
    const other = testStack();
    const target = new Key(other, 'Key');
    const { template: made } = synthesized(
      { encryptionKey: new Alias(other, 'Alias', { aliasName: 'a', targetKey: target }) },
      other,
    );
    made.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: other.resolve(target.keyArn) as unknown });
    expect(keyActions(made, 'RemindersScannerRole', other.resolve(target.keyArn))).toContainEqual(SEND);
  });

  it('is refused as an alias that was imported by its name', () => {
    const other = testStack();
    const error = thrownBy(() =>
      synthesized({ encryptionKey: Alias.fromAliasName(other, 'Alias', 'alias/jobs') }, other),
    );
    expect(error.code).toBe('KeyRequired');
    expect(error.message).toContain('Key.fromKeyArn(scope, id, keyArn)');
  });
});

describe('B08: an encryption key that is imported', () => {
  const stack = testStack();
  const imported = Key.fromKeyArn(stack, 'Key', KEY_ARN);
  const { template } = synthesized({ encryptionKey: imported }, stack);

  it('B08: is allowed to the roles', () => {
    for (const role of ['RemindersScannerRole', 'RemindersConsumerRole', 'RemindersScheduleRole']) {
      expect(keyActions(template, role, KEY_ARN)).toContainEqual(SEND);
    }
  });

  it('B08: has a policy that only its owner can change: a warning says what must be in it', () => {
    const [warning, ...others] = warnings(stack);
    expect(others).toEqual([]);
    expect(warning).toContain('cron-fanout:importedKey');
    expect(warning).toMatch(/kms:EncryptionContext:aws:logs:arn.*log-group:\*/);
  });
});

describe('B08: keys of what is brought', () => {
  const stack = testStack({ env: { account: '111122223333', region: 'eu-central-1' } });
  const keys = Object.fromEntries(
    ['Queue', 'Dead', 'Failure', 'Table', 'Secret'].map((id) => [id, new Key(stack, `${id}Key`)]),
  ) as Readonly<Record<'Queue' | 'Dead' | 'Failure' | 'Table' | 'Secret', Key>>;
  const deadLetterQueue = Queue.fromQueueAttributes(stack, 'Dead', {
    queueArn: 'arn:aws:sqs:eu-central-1:111122223333:dead.fifo',
    keyArn: KEY_ARN,
  });
  const table: Omit<TableV2, 'tableStreamArn'> = new TableV2(stack, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    timeToLiveAttribute: 'expiresAt',
    encryption: TableEncryptionV2.customerManagedKey(keys.Table),
  });
  const { template } = synthesized(
    {
      queue: Queue.fromQueueAttributes(stack, 'Work', {
        queueArn: 'arn:aws:sqs:eu-central-1:111122223333:work.fifo',
        keyArn: keys.Queue.keyArn,
      }),
      deadLetterQueue,
      failureQueue: new Queue(stack, 'Failures', { encryptionMasterKey: keys.Failure }),
      stateTable: table,
      secrets: { DB: new Secret(stack, 'Secret', { encryptionKey: keys.Secret }) as ISecret },
    },
    stack,
  );
  const used = (role: string, key: IKey | string): (readonly string[])[] =>
    keyActions(template, `Reminders${role}Role`, typeof key === 'string' ? key : stack.resolve(key.keyArn));

  it.each([
    ['the work queue', keys.Queue, { Scanner: [SEND], Consumer: [['kms:Decrypt']], Schedule: [] }],
    ['the dead-letter queue', KEY_ARN, { Scanner: [], Consumer: [SEND], Schedule: [] }],
    ['the failure queue', keys.Failure, { Scanner: [SEND], Consumer: [], Schedule: [SEND] }],
    ['a secret', keys.Secret, { Scanner: [['kms:Decrypt']], Consumer: [['kms:Decrypt']], Schedule: [] }],
  ])('B08: that of %s can be used by whoever needs it, for that', (_, key, expected) => {
    expect({ Scanner: used('Scanner', key), Consumer: used('Consumer', key), Schedule: used('Schedule', key) }).toEqual(
      expected,
    );
  });

  it('B08: that of the table can be used by both functions', () => {
    expect(used('Scanner', keys.Table)).toHaveLength(1);
    expect(used('Consumer', keys.Table)).toEqual(used('Scanner', keys.Table));
    expect(used('Schedule', keys.Table)).toEqual([]);
  });

  it('cause a warning where they were imported by an alias, which grants nothing', () => {
    const other = testStack();
    const failureQueue = new Queue(other, 'Failures', {
      encryptionMasterKey: Alias.fromAliasName(other, 'Alias', 'alias/jobs'),
    });
    const made = synthesized({ failureQueue }, other);
    expect(JSON.stringify(statements(made.template, 'Reminders'))).not.toContain('kms:');
    expect(warnings(other)).toEqual([
      expect.stringMatching(/ScannerRole could not be allowed .*Alias: it needs kms:Decrypt, kms:GenerateDataKey/),
      expect.stringMatching(/ScheduleRole could not .*cron-fanout:keyNotGranted/),
    ]);
  });

  it('are not given to a role that nobody may change, and break nothing', () => {
    const other = testStack({ env: { account: '111122223333', region: 'eu-central-1' } });
    const arn = 'arn:aws:iam::111122223333:role/fixed';
    const fixed = Role.fromRoleArn(other, 'Fixed', arn, { mutable: false });
    const encryptionKey = new Key(other, 'Key');
    const roles = { scannerRole: fixed, consumerRole: fixed, scheduleRole: fixed };
    const made = synthesized({ ...roles, encryptionKey }, other).template;
    made.resourceCountIs('AWS::IAM::Policy', 0);
    expect(JSON.stringify(resource(made, KEY))).not.toContain('role/fixed');
  });
});

describe('B09: what stands in another stack', () => {
  interface TwoStacks {
    readonly app: App;
    readonly shared: Stack;
    readonly stack: Stack;
  }
  const twoStacks = (props: StackProps = {}): TwoStacks => {
    const app = testApp();
    return { app, shared: new Stack(app, 'Shared', props), stack: new Stack(app, 'Fanout', props) };
  };

  it.each<[string, StackProps]>([
    ['a stack that knows neither account nor region', {}],
    ['a stack of one account and region', { env: { account: '111122223333', region: 'eu-central-1' } }],
  ])(
    'B09: key, records, queue and secret, in %s: leave only the stack of the fanout depending on the other',
    (_, props) => {
      const { app, shared, stack } = twoStacks(props);
      const key = new Key(shared, 'Key');
      const records = new TableV2(shared, 'Records', {
        partitionKey: { name: 'id', type: AttributeType.STRING },
        ...(props.env === undefined ? {} : { encryption: TableEncryptionV2.customerManagedKey(key) }),
      });
      const fanout = new CronFanout(stack, 'Reminders', {
        ...MINIMAL,
        encryptionKey: key,
        failureQueue: new Queue(shared, 'Failures', { encryptionMasterKey: key }),
        secrets: { DB: new Secret(shared, 'Secret', { encryptionKey: key }) as ISecret },
      });
      records.grantReadData(fanout.scanner);
      app.synth();
      expect(stack.dependencies).toEqual([shared]);
      expect(shared.dependencies).toEqual([]);
    },
  );

  it('B09: key and records in the parent of a nested stack', () => {
    const stack = testStack();
    const key = new Key(stack, 'Key');
    const records = new TableV2(stack, 'Records', { partitionKey: { name: 'id', type: AttributeType.STRING } });
    const nested = new NestedStack(stack, 'Nested');
    const fanout = new CronFanout(nested, 'Reminders', { ...MINIMAL, encryptionKey: key });
    records.grantReadData(fanout.scanner);
    expect(Object.keys(Template.fromStack(stack).findResources('AWS::CloudFormation::Stack'))).toHaveLength(1);
    const parameters = Object.keys(Template.fromStack(nested).toJSON().Parameters as object);
    expect(parameters).toEqual(expect.arrayContaining([expect.stringMatching(/^referencetoBookingsKey/)]));
  });

  it('B09: the Logs that may use a key are those of the account and region of the fanout', () => {
    const stack = testStack({ env: { account: '444455556666', region: 'eu-west-1' } });
    new CronFanout(stack, 'Reminders', { ...MINIMAL, encryptionKey: Key.fromKeyArn(stack, 'Key', KEY_ARN) });
    expect(warnings(stack).join('')).toMatch(/:logs:eu-west-1:444455556666:log-group:\*.*logs\.eu-west-1\./);
  });
});
