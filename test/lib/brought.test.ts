import { CfnParameter, Duration, Stack, Stage } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, Table, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IQueue, QueueProps } from 'aws-cdk-lib/aws-sqs';
import { CronFanout } from '../../lib';
import type { CronFanoutProps } from '../../lib';
import { MINIMAL, resource, statements, synthesized, testStack, thrownBy, warnings } from './fanout-stack';

/** Of a queue that is imported. */
const ARN = 'arn:aws:sqs:eu-central-1:111122223333:bookings.fifo';
const QUEUE = 'AWS::SQS::Queue';
const TABLE = 'AWS::DynamoDB::GlobalTable';

const fifo = (stack: Stack, id: string, props: QueueProps = {}): Queue =>
  new Queue(stack, id, { fifo: true, ...props });
const fit = (stack: Stack, props: QueueProps = {}): Queue =>
  fifo(stack, 'Work', {
    visibilityTimeout: Duration.seconds(360),
    deadLetterQueue: { queue: fifo(stack, 'Dead', { retentionPeriod: Duration.days(14) }), maxReceiveCount: 550 },
    ...props,
  });

describe('a queue that is brought', () => {
  const bring = (queue: IQueue, stack: Stack, more: Partial<CronFanoutProps> = {}): CronFanout =>
    new CronFanout(stack, 'Reminders', { ...MINIMAL, queue, ...more });

  it('is used with its own dead-letter queue, and what is known of it is told to the functions', () => {
    const stack = testStack();
    const queue = fit(stack, { retentionPeriod: Duration.days(1), visibilityTimeout: Duration.minutes(10) });
    const fanout = bring(queue, stack);
    expect([fanout.queue, fanout.deadLetterQueue]).toEqual([queue, queue.deadLetterQueue?.queue]);
    const template = Template.fromStack(stack);
    template.resourceCountIs(QUEUE, 3);
    const configuration = JSON.stringify(template.findResources('AWS::Lambda::Function'));
    expect(configuration).toContain('\\"visibilityTimeout\\":600,\\"maxReceiveCount\\":550,\\"queueRetention\\":86400');
    expect(warnings(stack)).toEqual([]);
  });

  it.each([
    ['standard', (stack: Stack) => new Queue(stack, 'Work'), 'FifoQueueRequired', /a standard queue/],
    [
      'aws-cdk#12466: imported by a token, which does not say that it is FIFO',
      (stack: Stack) => Queue.fromQueueArn(stack, 'Work', new CfnParameter(stack, 'Arn').valueAsString),
      'FifoQueueRequired',
      /fromQueueAttributes\(scope, id, \{ queueArn, fifo: true \}\)/,
    ],
    [
      'without a dead-letter queue',
      (stack: Stack) => fifo(stack, 'Work', { visibilityTimeout: Duration.seconds(360) }),
      'DeadLetterQueueRequired',
      /maxReceiveCount: 550/,
    ],
    [
      'imported, without saying which its dead-letter queue is',
      (stack: Stack) => Queue.fromQueueArn(stack, 'Work', ARN),
      'DeadLetterQueueRequired',
      /pass that queue as deadLetterQueue/,
    ],
    [
      'B03: that shows a message again before the consumer times out',
      (stack: Stack) => fit(stack, { visibilityTimeout: Duration.seconds(59) }),
      'VisibilityTooShort',
      /received 59 seconds, with a consumer timeout of 60 seconds; allowed: 360 seconds/,
    ],
    [
      'B03: with the visibility timeout that SQS gives it',
      (stack: Stack) => fifo(stack, 'Work', { deadLetterQueue: { queue: fifo(stack, 'Dead'), maxReceiveCount: 550 } }),
      'VisibilityTooShort',
      /received 30 seconds/,
    ],
    [
      'B04: with a standard queue as dead-letter queue',
      (stack: Stack) => fit(stack, { deadLetterQueue: { queue: new Queue(stack, 'Std'), maxReceiveCount: 550 } }),
      'FifoQueueRequired',
      /^dead-letter queue of queue: received Bookings\/Std, a standard queue/,
    ],
    [
      'with fewer receives than attempts',
      (stack: Stack) => fit(stack, { deadLetterQueue: { queue: fifo(stack, 'Dead2'), maxReceiveCount: 4 } }),
      'TooFewReceives',
      /received 4, with retry.maxAttempts 5/,
    ],
  ])('is rejected when it is %s', (_, make, code, message) => {
    const stack = testStack();
    const error = thrownBy(() => bring(make(stack), stack));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it.each([
    [
      'visibility below six times the timeout',
      { visibilityTimeout: Duration.seconds(359) },
      'cron-fanout:visibilityTooShort',
    ],
    ['few receives', { receives: 5 }, 'cron-fanout:maxReceiveCount'],
  ])('is doubted for %s', (_, { receives, ...props }: { receives?: number; visibilityTimeout?: Duration }, id) => {
    const stack = testStack();
    const deadLetterQueue =
      receives === undefined
        ? {}
        : {
            deadLetterQueue: {
              queue: fifo(stack, 'D', { retentionPeriod: Duration.days(14) }),
              maxReceiveCount: receives,
            },
          };
    bring(fit(stack, { ...props, ...deadLetterQueue }), stack);
    expect(warnings(stack)).toEqual([expect.stringContaining(id)]);
  });

  it('is doubted when it is imported, with the attributes that it must have', () => {
    const stack = testStack();
    const deadLetterQueue = Queue.fromQueueArn(stack, 'Dead', `${ARN.replace('.fifo', '')}-dead.fifo`);
    bring(Queue.fromQueueArn(stack, 'Work', ARN), stack, { deadLetterQueue, timeout: Duration.seconds(30) });
    expect(warnings(stack)).toEqual([
      expect.stringMatching(/180 seconds.*maxReceiveCount 550.*cron-fanout:importedQueue/s),
    ]);
  });

  it('is rejected when another fanout works with it, in whatever stack', () => {
    const stack = testStack();
    const queue = fit(stack);
    bring(queue, stack);
    const other = new Stack(Stage.of(stack), 'Other');
    const error = thrownBy(() => bring(queue, other));
    expect(error.code).toBe('QueueInUse');
    expect(error.message).toContain('Bookings/Work, which Bookings/Reminders works with already');
  });

  it('is rejected when another fanout has it as dead-letter queue, and a dead-letter queue of another fanout too', () => {
    const stack = testStack();
    const [queue, dead] = [fit(stack), fifo(stack, 'Dead2')];
    bring(queue, stack);
    const reviews = (id: string, props: Partial<CronFanoutProps>): string =>
      thrownBy(() => new CronFanout(stack, id, { ...MINIMAL, ...props })).message;
    expect(reviews('Reviews', { deadLetterQueue: queue })).toMatch(/^deadLetterQueue: .*\(as its queue\).*QueueInUse/s);
    new CronFanout(stack, 'Other', { ...MINIMAL, deadLetterQueue: dead });
    expect(reviews('Third', { deadLetterQueue: dead })).toMatch(/\(as its deadLetterQueue\).*redrive.*QueueInUse/s);
  });

  it('is rejected when another fanout imported it under another id', () => {
    const stack = testStack();
    const dead = fifo(stack, 'Dead');
    bring(Queue.fromQueueArn(stack, 'One', ARN), stack, { deadLetterQueue: dead });
    const same = Queue.fromQueueArn(stack, 'Two', ARN);
    expect(() => new CronFanout(stack, 'Reviews', { ...MINIMAL, queue: same, deadLetterQueue: dead })).toThrow(
      /QueueInUse/,
    );
  });

  it.each([
    ['queueRetention', { queueRetention: Duration.days(1) }],
    ['another dead-letter queue', { deadLetterQueue: 'other' }],
    ['itself as dead-letter queue', { deadLetterQueue: 'itself' }],
  ])(
    'is rejected together with %s',
    (_, { deadLetterQueue, ...more }: { deadLetterQueue?: string; queueRetention?: Duration }) => {
      const stack = testStack();
      const queue = fit(stack);
      const dead = { other: fifo(stack, 'Other'), itself: queue }[deadLetterQueue ?? ''];
      const error = thrownBy(() =>
        bring(queue, stack, { ...more, ...(dead === undefined ? {} : { deadLetterQueue: dead }) }),
      );
      expect(error.code).toBe('ConflictingOptions');
    },
  );
});

describe('a dead-letter queue or failure queue that is brought', () => {
  it('B04: is rejected as dead-letter queue when it is a standard queue', () => {
    const stack = testStack();
    const error = thrownBy(() => synthesized({ deadLetterQueue: new Queue(stack, 'Dead') }, stack));
    expect(error.code).toBe('FifoQueueRequired');
    expect(error.message).toMatch(/^deadLetterQueue: received Bookings\/Dead, a standard queue/);
  });

  it('is what the queue of the fanout sends its dead to', () => {
    const stack = testStack();
    const { template } = synthesized({ deadLetterQueue: fifo(stack, 'Dead', { queueName: 'jobs-dead.fifo' }) }, stack);
    template.resourceCountIs(QUEUE, 3);
    expect(resource(template, QUEUE, 'RemindersQueue').Properties.RedrivePolicy).toEqual({
      deadLetterTargetArn: { 'Fn::GetAtt': [expect.stringMatching(/^Dead/) as unknown, 'Arn'] },
      maxReceiveCount: 550,
    });
  });

  it('is rejected as failure queue when it is FIFO, which neither Scheduler nor Lambda delivers to', () => {
    const stack = testStack();
    const error = thrownBy(() => synthesized({ failureQueue: fifo(stack, 'Failures') }, stack));
    expect(error.code).toBe('StandardQueueRequired');
  });

  it('can be shared by fanouts as failure queue', () => {
    const stack = testStack();
    const failureQueue = new Queue(stack, 'Failures');
    new CronFanout(stack, 'Reminders', { ...MINIMAL, failureQueue });
    new CronFanout(stack, 'Reviews', { ...MINIMAL, failureQueue });
    Template.fromStack(stack).resourceCountIs(QUEUE, 5);
  });
});

describe('a state table that is brought', () => {
  const KEYS = {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
  };

  it('can be shared by fanouts, each with its own items', () => {
    const stack = testStack();
    const stateTable = new TableV2(stack, 'State', { ...KEYS, timeToLiveAttribute: 'expiresAt' }) as ITable;
    const fanouts = ['Reminders', 'Reviews'].map((id) => new CronFanout(stack, id, { ...MINIMAL, stateTable }));
    const template = Template.fromStack(stack);
    template.resourceCountIs(TABLE, 1);
    for (const { fanoutId, node } of fanouts) {
      const keys = statements(template, `${node.id}ScannerRole`).flatMap(({ condition }) => condition ?? []);
      expect(JSON.stringify(keys)).toContain(`["${fanoutId}","${fanoutId}#*"]`);
    }
  });

  it('is accepted as a Table of the first kind, and as an imported one', () => {
    const stack = testStack();
    const table = new Table(stack, 'State', { ...KEYS, timeToLiveAttribute: 'expiresAt' }) as ITable;
    expect(() => synthesized({ stateTable: table }, stack)).not.toThrow();
    const other = testStack();
    const imported = Table.fromTableName(other, 'State', 'shared-state');
    synthesized({ stateTable: imported }, other).template.resourceCountIs(TABLE, 0);
  });

  it('gives the functions the use of its key', () => {
    const stack = testStack({ env: { region: 'eu-central-1' } });
    const key = new Key(stack, 'Key');
    const encryption = TableEncryptionV2.customerManagedKey(key);
    const stateTable = new TableV2(stack, 'State', { ...KEYS, timeToLiveAttribute: 'expiresAt', encryption }) as ITable;
    const { template } = synthesized({ stateTable }, stack);
    expect(statements(template, 'RemindersConsumerRole')).toContainEqual({
      actions: [
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:Encrypt',
        'kms:GenerateDataKey',
        'kms:GenerateDataKeyWithoutPlaintext',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      ],
      resources: [stack.resolve(key.keyArn)],
    });
  });

  it.each([
    [
      'another partition key',
      { ...KEYS, partitionKey: { name: 'id', type: AttributeType.STRING } },
      /received id \(HASH, S\)/,
    ],
    ['a number as sort key', { ...KEYS, sortKey: { name: 'sk', type: AttributeType.NUMBER } }, /sk \(RANGE, N\)/],
    ['no sort key', { partitionKey: KEYS.partitionKey }, /received pk \(HASH, S\); time/],
  ])('is rejected with %s', (_, props, message) => {
    const stack = testStack();
    const stateTable = new TableV2(stack, 'State', { ...props, timeToLiveAttribute: 'expiresAt' }) as ITable;
    const error = thrownBy(() => synthesized({ stateTable }, stack));
    expect(error.code).toBe('UnfitStateTable');
    expect(error.message).toMatch(message);
  });

  it('is rejected without a time to live, and together with pointInTimeRecovery', () => {
    const stack = testStack();
    const endless = new TableV2(stack, 'Endless', KEYS) as ITable;
    expect(() => synthesized({ stateTable: endless }, stack)).toThrow(/time to live: none; allowed: .*expiresAt/);
    const other = testStack();
    const stateTable = new TableV2(other, 'State', { ...KEYS, timeToLiveAttribute: 'expiresAt' }) as ITable;
    expect(() => synthesized({ stateTable, pointInTimeRecovery: true }, other)).toThrow(/ConflictingOptions/);
  });
});
