import assert from 'node:assert/strict';
import { CreateQueueCommand, type QueueAttributeName, type SQSClient } from '@aws-sdk/client-sqs';
import { TestQueue } from './test-queue';

/** How time passes at an endpoint. */
export interface EndpointTime {
  /** Whether the endpoint's clock can be moved. */
  readonly movable: boolean;
  /** Lets time pass: moves the clock, or waits. */
  elapse(seconds: number): Promise<void>;
  /** Resolves when a receive that was just called waits at the endpoint. */
  untilWaiting(): Promise<void>;
}

let created = 0;

/** What a rule works with: a client of the endpoint, queues of its own, and time. */
export class ConformanceContext {
  /** @param run distinguishes this run's queues from those of earlier ones at the same endpoint */
  constructor(
    readonly client: SQSClient,
    readonly time: EndpointTime,
    private readonly run: string,
  ) {}

  /** A FIFO queue. */
  readonly fifo = (attributes: Partial<Record<QueueAttributeName, string>> = {}): Promise<TestQueue> =>
    this.create(`${this.newName()}.fifo`, { FifoQueue: 'true', ...attributes });

  /** A standard queue. */
  readonly standard = (attributes: Partial<Record<QueueAttributeName, string>> = {}): Promise<TestQueue> =>
    this.create(this.newName(), attributes);

  /** A FIFO queue whose messages go to a dead-letter queue after `receives` receives, which hide them for 1 second. */
  async withDeadLetterQueue(receives: number): Promise<{ queue: TestQueue; deadLetters: TestQueue }> {
    const deadLetters = await this.fifo();
    const queue = await this.fifo({ VisibilityTimeout: '1', RedrivePolicy: redriveTo(deadLetters.arn, receives) });
    return { queue, deadLetters };
  }

  /** A name that no queue has, without suffix. */
  newName(): string {
    created += 1;
    return `conformance-${this.run}-${created}`;
  }

  async create(name: string, attributes: Partial<Record<QueueAttributeName, string>>): Promise<TestQueue> {
    const { QueueUrl = '' } = await this.client.send(
      new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
    );
    const queue = new TestQueue(this.client, QueueUrl, '');
    const { QueueArn = '' } = await queue.attributes('QueueArn');
    return new TestQueue(this.client, QueueUrl, QueueArn);
  }

  /** Receives all messages of a queue `receives` times, then once more: as many as its redrive policy allows, so that they move. */
  async exhaust(queue: TestQueue, receives: number): Promise<void> {
    for (let receive = 0; receive < receives; receive++) {
      const messages = await queue.receive();
      assert.ok(messages.length > 0, `receive ${receive + 1} of ${receives} found no message`);
      await this.time.elapse(1.2);
    }
    assert.deepEqual(await queue.bodies(), []);
  }

  /** Waits until `check` holds, at most `seconds`. */
  readonly until = async (check: () => Promise<boolean>, seconds = 20): Promise<void> => {
    for (let waited = 0; !(await check()); waited++) {
      assert.ok(waited < seconds, `not seen within ${seconds} seconds`);
      await this.time.elapse(1);
    }
  };

  /** The call must be refused, with whatever error the endpoint has for it; one that does not know the action has none. */
  async refusesSomehow(call: Promise<unknown>): Promise<void> {
    await assert.rejects(call, (error: Error & { $metadata?: { httpStatusCode?: number } }) => {
      assert.ok(!/unknown|InvalidAction/i.test(`${error.name} ${error.message}`), `${error.name}: ${error.message}`);
      assert.equal(Math.floor((error.$metadata?.httpStatusCode ?? 0) / 100), 4, `${error.name}: ${error.message}`);
      return true;
    });
  }

  /** The call must be refused with this error. */
  async refuses(call: Promise<unknown>, name: string): Promise<void> {
    await assert.rejects(call, (error: Error) => {
      assert.equal(error.name, name, `refused with ${error.name}: ${error.message}`);
      return true;
    });
  }
}

/** Text of a redrive policy. */
export function redriveTo(deadLetterTargetArn: string, maxReceiveCount: number): string {
  return JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
}
