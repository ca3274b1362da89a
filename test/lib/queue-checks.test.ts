import { CfnParameter, Duration, Stack, Stage } from 'aws-cdk-lib';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IQueue, CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { CronFanout, RetryPolicy } from '../../lib';
import type { CronFanoutProps } from '../../lib';
import { readSettings } from '../../lib/settings';
import { MINIMAL, testApp, testStack, warnings } from './fanout-stack';

const DAY = 86_400;
const seconds = (value: number): Duration => Duration.seconds(value);
const tokenOf = (stack: Stack): number => new CfnParameter(stack, 'Value', { type: 'Number' }).valueAsNumber;

/** A work queue of the app with what is asked for; receives and retention are fit unless they are given. */
interface Asked {
  readonly visibilityTimeout?: number;
  readonly maxReceiveCount?: number;
  readonly retention?: number;
  readonly deadLetterRetention?: number;
}

function queueOf(stack: Stack, asked: Asked): Queue {
  const queue = new Queue(stack, 'Dead', {
    fifo: true,
    retentionPeriod: seconds(asked.deadLetterRetention ?? 14 * DAY),
  });
  return new Queue(stack, 'Work', {
    fifo: true,
    visibilityTimeout: seconds(asked.visibilityTimeout ?? 360),
    retentionPeriod: seconds(asked.retention ?? 4 * DAY),
    deadLetterQueue: { queue, maxReceiveCount: asked.maxReceiveCount ?? 550 },
  });
}

const outcome = (make: (stack: Stack) => Partial<CronFanoutProps>): string => {
  try {
    return readSettings({ ...MINIMAL, ...make(testStack()) })
      .warnings.map(({ id }) => id)
      .join();
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
};

describe('the attributes of a queue that is brought, at their boundaries', () => {
  it.each<[string, (stack: Stack) => Asked, string]>([
    ['visibility timeout of six times the timeout', () => ({ visibilityTimeout: 360 }), ''],
    ['visibility timeout below that', () => ({ visibilityTimeout: 359 }), 'cron-fanout:visibilityTooShort'],
    ['visibility timeout of the timeout', () => ({ visibilityTimeout: 60 }), 'cron-fanout:visibilityTooShort'],
    ['visibility timeout below the timeout', () => ({ visibilityTimeout: 59 }), 'VisibilityTooShort'],
    [
      'visibility timeout that is not known',
      (stack) => ({ visibilityTimeout: tokenOf(stack) }),
      'cron-fanout:importedQueue',
    ],
    ['receives of ten an attempt and 500', () => ({ maxReceiveCount: 550 }), ''],
    ['receives below that', () => ({ maxReceiveCount: 549 }), 'cron-fanout:maxReceiveCount'],
    ['receives of the attempts', () => ({ maxReceiveCount: 5 }), 'cron-fanout:maxReceiveCount'],
    ['receives below the attempts', () => ({ maxReceiveCount: 4 }), 'TooFewReceives'],
    ['receives that are not known', (stack) => ({ maxReceiveCount: tokenOf(stack) }), 'cron-fanout:importedQueue'],
    ['retention of the worst retries', () => ({ retention: 1950 }), ''],
    ['retention below the worst retries', () => ({ retention: 1799 }), 'cron-fanout:retriesOutliveQueue'],
    ['retention below the back-offs', () => ({ retention: 74 }), 'RetriesOutliveQueue'],
    ['retention that is not known', (stack) => ({ retention: tokenOf(stack) }), ''],
    ['dead-letter retention above that of the queue', () => ({ deadLetterRetention: 4 * DAY + 1 }), ''],
    ['dead-letter retention of the queue', () => ({ deadLetterRetention: 4 * DAY }), 'cron-fanout:deadLetterRetention'],
    ['dead-letter retention below', () => ({ deadLetterRetention: DAY }), 'cron-fanout:deadLetterRetention'],
    ['both the longest', () => ({ retention: 14 * DAY }), ''],
    ['dead-letter retention that is not known', (stack) => ({ deadLetterRetention: tokenOf(stack) }), ''],
    [
      'dead-letter retention below a retention that is not known',
      (stack) => ({ retention: tokenOf(stack), deadLetterRetention: DAY }),
      '',
    ],
  ])('%s', (_, asked, expected) => {
    expect(outcome((stack) => ({ queue: queueOf(stack, asked(stack)) }))).toBe(expected);
  });

  it('are doubted for a dead-letter queue that is brought for a queue of our own', () => {
    const dead = (stack: Stack): Queue => new Queue(stack, 'Dead', { fifo: true });
    expect(outcome((stack) => ({ deadLetterQueue: dead(stack) }))).toBe('cron-fanout:deadLetterRetention');
    expect(outcome((stack) => ({ deadLetterQueue: dead(stack), queueRetention: Duration.days(3) }))).toBe('');
  });
});

describe('FIFO or standard', () => {
  const ARN = 'arn:aws:sqs:eu-central-1:111122223333:work';
  const byArn = (arn: string) => (stack: Stack) => Queue.fromQueueArn(stack, 'In', arn);
  const byToken = (stack: Stack): IQueue =>
    Queue.fromQueueArn(stack, 'In', new CfnParameter(stack, 'Arn').valueAsString);
  const told = (fifo: boolean) => (stack: Stack) =>
    Queue.fromQueueAttributes(stack, 'In', { queueArn: new CfnParameter(stack, 'Arn').valueAsString, fifo });
  const made = (fifo: boolean) => (stack: Stack) => new Queue(stack, 'In', fifo ? { fifo } : {});
  const other = (stack: Stack): Stack => new Stack(Stage.of(stack), 'Other');

  it.each<[string, (stack: Stack) => IQueue, string, string, string]>([
    // what it is, deadLetterQueue, failureQueue, queue
    ['made as FIFO', made(true), 'cron-fanout:deadLetterRetention', 'StandardQueueRequired', 'VisibilityTooShort'],
    ['made as standard', made(false), 'FifoQueueRequired', '', 'FifoQueueRequired'],
    [
      'imported by the ARN of a FIFO queue',
      byArn(`${ARN}.fifo`),
      '',
      'StandardQueueRequired',
      'cron-fanout:importedQueue',
    ],
    ['imported by the ARN of a standard queue', byArn(ARN), 'FifoQueueRequired', '', 'FifoQueueRequired'],
    [
      'aws-cdk#12466: imported by a token',
      byToken,
      'FifoQueueRequired',
      'cron-fanout:unknownQueueType',
      'FifoQueueRequired',
    ],
    [
      'aws-cdk#12466: imported by a token, told to be FIFO',
      told(true),
      '',
      'StandardQueueRequired',
      'cron-fanout:importedQueue',
    ],
    ['made in another stack', (stack) => made(false)(other(stack)), 'FifoQueueRequired', '', 'FifoQueueRequired'],
  ])('of a queue that is %s', (_, make, asDead, asFailure, asWork) => {
    expect(outcome((stack) => ({ deadLetterQueue: make(stack) }))).toBe(asDead);
    expect(outcome((stack) => ({ failureQueue: make(stack) }))).toBe(asFailure);
    expect(outcome((stack) => ({ queue: make(stack) }))).toBe(asWork);
  });

  it('aws-cdk#12466: the warning says that it cannot be known, and is on the construct', () => {
    const stack = testStack();
    new CronFanout(stack, 'Reminders', { ...MINIMAL, failureQueue: byToken(stack) });
    expect(warnings(stack)).toEqual([expect.stringMatching(/not known whether it is a standard queue/)]);
  });
});

describe('the ledger against queue and dead-letter queue', () => {
  const configuration = (queueRetention: Duration) => readSettings({ ...MINIMAL, queueRetention }).configuration;

  it.each([1, 4, 14])('lasts a day longer than both together, with %d days in the queue', (days) => {
    const { ledgerRetention } = configuration(Duration.days(days));
    expect(ledgerRetention).toBe((days + 14 + 1) * DAY);
  });
});

describe('what is changed past the options', () => {
  const errorsOf = (change: (fanout: CronFanout) => void, props: Partial<CronFanoutProps> = {}): string => {
    const app = testApp();
    const fanout = new CronFanout(testStack({}, app), 'Reminders', { ...MINIMAL, ...props });
    change(fanout);
    try {
      app.synth();
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const queue = ({ queue: { node } }: CronFanout): CfnQueue => node.defaultChild as CfnQueue;
  const consumer = ({ consumer: { node } }: CronFanout): CfnFunction => node.defaultChild as CfnFunction;
  const parameter = (fanout: CronFanout): number => new CfnParameter(fanout, 'P', { type: 'Number' }).valueAsNumber;

  it.each<[string, (fanout: CronFanout) => void, string]>([
    ['retention of the configuration', (fanout) => (queue(fanout).messageRetentionPeriod = 4 * DAY), ''],
    ['a longer retention', (fanout) => (queue(fanout).messageRetentionPeriod = 14 * DAY), ''],
    ['a retention below the back-offs', (fanout) => (queue(fanout).messageRetentionPeriod = 74), 'RetriesOutliveQueue'],
    ['a retention that is not known', (fanout) => (queue(fanout).messageRetentionPeriod = parameter(fanout)), ''],
    ['a visibility timeout of the timeout', (fanout) => (queue(fanout).visibilityTimeout = 60), ''],
    ['a visibility timeout below it', (fanout) => (queue(fanout).visibilityTimeout = 59), 'VisibilityTooShort'],
    ['a timeout above the visibility timeout', (fanout) => (consumer(fanout).timeout = 361), 'VisibilityTooShort'],
    ['no redrive policy', (fanout) => (queue(fanout).redrivePolicy = undefined), 'DeadLetterQueueRequired'],
    ['reserved concurrency of the mapping', (fanout) => (consumer(fanout).reservedConcurrentExecutions = 2), ''],
    ['less', (fanout) => (consumer(fanout).reservedConcurrentExecutions = 1), 'ConflictingOptions'],
    ['a token', (fanout) => (consumer(fanout).reservedConcurrentExecutions = parameter(fanout)), ''],
  ])('%s', (_, change, code) => {
    const message = errorsOf(change);
    expect(/\[(\w+)\]$/.exec(message)?.[1] ?? message).toBe(code);
  });

  it('receives below the attempts of the most patient job', () => {
    const jobs = { patient: { retry: RetryPolicy.fixed({ maxAttempts: 9 }) } };
    const receives = (count: number) => (fanout: CronFanout) =>
      (queue(fanout).redrivePolicy = { deadLetterTargetArn: fanout.deadLetterQueue.queueArn, maxReceiveCount: count });
    expect(errorsOf(receives(9), { jobs })).toBe('');
    expect(errorsOf(receives(8), { jobs })).toContain('TooFewReceives');
  });
});

describe('reserved concurrency against the handlers at once', () => {
  it.each([
    [20, 2, ''],
    [20, 1, 'ConflictingOptions'],
    [50, 5, ''],
    [50, 4, 'ConflictingOptions'],
    [10_000, 1000, ''],
    [10_000, 999, 'ConflictingOptions'],
    [1, 1, ''],
  ])('maxConcurrency %d with %d reserved', (maxConcurrency, reservedConcurrentExecutions, expected) => {
    expect(outcome(() => ({ maxConcurrency, reservedConcurrentExecutions }))).toBe(expected);
  });

  it('lets a token pass', () => {
    expect(outcome((stack) => ({ maxConcurrency: 50, reservedConcurrentExecutions: tokenOf(stack) }))).toBe('');
  });

  it.each([
    [20, 20, false],
    [7, 6, true],
  ])('reports what %d gives: %d', (maxConcurrency, effective, reported) => {
    const stack = testStack();
    const fanout = new CronFanout(stack, 'Reminders', { ...MINIMAL, maxConcurrency });
    expect(fanout.effectiveConcurrency).toBe(effective);
    const infos = fanout.node.metadata.map(({ data }) => String(data)).filter((text) => text.includes('at once'));
    expect(infos).toHaveLength(reported ? 1 : 0);
  });
});
