import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type Message,
} from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { ITEM_KEYS, type RunItem, type ScannerAnswer } from '../../lambda/contract';
import { eventually } from '../setup/eventually';
import type { Clients } from './clients';
import type { DeployedStack } from './deployed-stack';

/** The answer of a function that was called. */
export interface Invocation {
  readonly error: string | undefined;
  readonly answer: unknown;
}

/** A fanout as it is deployed. */
export class DeployedFanout {
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly failureQueueUrl: string;

  /**
   * @param path of the construct in the stack
   * @param fanoutId of the construct
   * @param queuePath of the work queue, where the stack brings it, with its dead-letter queue
   */
  constructor(
    private readonly clients: Clients,
    private readonly stack: DeployedStack,
    private readonly path: string,
    readonly fanoutId: string,
    queues = { work: `${path}/Queue`, dead: `${path}/DeadLetterQueue` },
  ) {
    this.queueUrl = stack.id(queues.work);
    this.deadLetterQueueUrl = stack.id(queues.dead);
    this.failureQueueUrl = this.id('FailureQueue');
  }

  /** Physical id of one of its resources. */
  id(child: string): string {
    return this.stack.id(`${this.path}/${child}`);
  }

  /** Calls the scanner with a tick, as the Scheduler would. */
  async tick(scheduledTime: string): Promise<ScannerAnswer> {
    const { error, answer } = await this.invokeScanner({ kind: 'tick', scheduledTime, scheduleArn: '', attempt: '1' });
    if (error !== undefined) {
      throw new Error(`the scanner failed: ${JSON.stringify(answer)}`);
    }
    return answer as ScannerAnswer;
  }

  /** Calls the scanner and waits for its answer. */
  async invokeScanner(event: object): Promise<Invocation> {
    const { FunctionError, Payload } = await this.clients.lambda.send(
      new InvokeCommand({ FunctionName: this.id('Scanner'), Payload: JSON.stringify(event) }),
    );
    return { error: FunctionError, answer: JSON.parse(Buffer.from(Payload ?? []).toString()) as unknown };
  }

  /** Calls the scanner without waiting, as the Scheduler does. */
  async invokeScannerAsynchronously(event: object): Promise<void> {
    await this.clients.lambda.send(
      new InvokeCommand({ FunctionName: this.id('Scanner'), InvocationType: 'Event', Payload: JSON.stringify(event) }),
    );
  }

  /** What the ledger says of a run. */
  async run(runId: string): Promise<RunItem | undefined> {
    const { Item } = await this.clients.documents.send(
      new GetCommand({
        TableName: this.id('StateTable'),
        Key: ITEM_KEYS.run(this.fanoutId, runId),
        ConsistentRead: true,
      }),
    );
    return Item as RunItem | undefined;
  }

  /** Waits until every record of a run is settled. */
  async completed(runId: string): Promise<RunItem> {
    const run = await eventually(
      `run ${runId} is completed`,
      () => this.run(runId),
      (item) => item?.state === 'completed',
    );
    return run!;
  }

  /** Messages of a queue, in flight ones included. */
  async depth(queueUrl = this.queueUrl): Promise<number> {
    const { Attributes } = await this.clients.sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl: queueUrl,
        AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
      }),
    );
    const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } = Attributes ?? {};
    return Number(ApproximateNumberOfMessages) + Number(ApproximateNumberOfMessagesNotVisible);
  }

  /** Waits until a queue holds as many messages: what is settled is acknowledged a moment later. */
  async depthBecomes(count: number): Promise<void> {
    await eventually(
      `${count} messages in the work queue`,
      () => this.depth(),
      (depth) => depth === count,
    );
  }

  /** Takes all messages out of a queue, as soon as it holds `count`. */
  async drain(queueUrl: string, count: number): Promise<Message[]> {
    const { sqs } = this.clients;
    const drained: Message[] = [];
    await eventually(
      `${count} messages in ${queueUrl}`,
      async () => {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({
            QueueUrl: queueUrl,
            MaxNumberOfMessages: 10,
            MessageSystemAttributeNames: ['All'],
          }),
        );
        for (const message of Messages) {
          await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: message.ReceiptHandle }));
        }
        drained.push(...Messages);
        return drained.length;
      },
      (drawn) => drawn >= count,
    );
    return drained;
  }

  /** What a function has logged that contains a text. */
  async logged(part: 'Scanner' | 'Consumer', text: string): Promise<string[]> {
    const { events = [] } = await this.clients.logs.send(
      new FilterLogEventsCommand({ logGroupName: this.id(`${part}Logs`) }),
    );
    return events.map(({ message = '' }) => message).filter((message) => message.includes(text));
  }
}
