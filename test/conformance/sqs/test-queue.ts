import assert from 'node:assert/strict';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type Message,
  type MessageAttributeValue,
  type QueueAttributeName,
  type SendMessageBatchRequestEntry,
  type SendMessageBatchResult,
  type SendMessageResult,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/** What a test sends; a FIFO queue gets group `g` and a deduplication id of its own unless the test says otherwise. */
export interface Sending {
  readonly group?: string | undefined;
  readonly id?: string | undefined;
  readonly delay?: number;
  readonly attributes?: Record<string, MessageAttributeValue>;
  readonly trace?: string;
}

/** What a test receives; ten messages unless it says otherwise. */
export interface Receiving {
  readonly max?: number | undefined;
  readonly visibility?: number;
  readonly wait?: number;
  readonly attempt?: string;
}

/** A message that was received, with what tests look at. */
export interface Received {
  readonly id: string;
  readonly body: string;
  readonly handle: string;
  readonly system: Readonly<Record<string, string>>;
  readonly message: Message;
}

let sent = 0;

/** A queue that a rule made for itself. */
export class TestQueue {
  constructor(
    private readonly client: SQSClient,
    readonly url: string,
    readonly arn: string,
  ) {}

  get name(): string {
    return this.arn.split(':').at(-1) ?? '';
  }

  get fifo(): boolean {
    return this.name.endsWith('.fifo');
  }

  async send(body: string, sending: Sending = {}): Promise<SendMessageResult> {
    return this.client.send(
      new SendMessageCommand({ QueueUrl: this.url, MessageBody: body, ...this.parameters(sending) }),
    );
  }

  /** Sends bodies one after another to one group. */
  async sendAll(bodies: readonly string[], group = 'g'): Promise<void> {
    for (const body of bodies) {
      await this.send(body, { group });
    }
  }

  async sendBatch(entries: readonly Partial<SendMessageBatchRequestEntry>[]): Promise<SendMessageBatchResult> {
    const Entries = entries.map((entry, index) => ({
      Id: `e${index}`,
      MessageBody: `m${index}`,
      ...this.parameters({}),
      ...entry,
    }));
    return this.client.send(new SendMessageBatchCommand({ QueueUrl: this.url, Entries }));
  }

  async receive({ max = 10, visibility, wait = 0, attempt }: Receiving = {}): Promise<Received[]> {
    const { Messages = [] } = await this.client.send(
      new ReceiveMessageCommand({
        QueueUrl: this.url,
        MaxNumberOfMessages: max,
        WaitTimeSeconds: wait,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
        ...(visibility === undefined ? {} : { VisibilityTimeout: visibility }),
        ...(attempt === undefined ? {} : { ReceiveRequestAttemptId: attempt }),
      }),
    );
    return Messages.map((message) => ({
      id: message.MessageId ?? '',
      body: message.Body ?? '',
      handle: message.ReceiptHandle ?? '',
      system: message.Attributes ?? {},
      message,
    }));
  }

  /** Receives and answers the bodies alone. */
  async bodies(receiving: Receiving = {}): Promise<string[]> {
    return (await this.receive(receiving)).map(({ body }) => body);
  }

  /** Receives exactly one message. */
  async receiveOne(receiving: Receiving = {}): Promise<Received> {
    const [message, ...others] = await this.receive({ max: 1, ...receiving });
    assert.ok(message, 'expected a message, received none');
    assert.equal(others.length, 0);
    return message;
  }

  async delete(...messages: readonly Received[]): Promise<void> {
    for (const { handle } of messages) {
      await this.deleteHandle(handle);
    }
  }

  async deleteHandle(handle: string): Promise<void> {
    await this.client.send(new DeleteMessageCommand({ QueueUrl: this.url, ReceiptHandle: handle }));
  }

  /** Deletes all in one call; answers the entries that failed. */
  async deleteBatch(handles: readonly string[]): Promise<{ Id?: string | undefined; Code?: string | undefined }[]> {
    const Entries = handles.map((ReceiptHandle, index) => ({ Id: `e${index}`, ReceiptHandle }));
    const { Failed } = await this.client.send(new DeleteMessageBatchCommand({ QueueUrl: this.url, Entries }));
    return Failed ?? [];
  }

  async hide(handle: string, seconds: number): Promise<void> {
    await this.client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: this.url, ReceiptHandle: handle, VisibilityTimeout: seconds }),
    );
  }

  async attributes(...names: QueueAttributeName[]): Promise<Record<string, string>> {
    const request = { QueueUrl: this.url, AttributeNames: names.length === 0 ? ['All' as const] : names };
    const { Attributes = {} } = await this.client.send(new GetQueueAttributesCommand(request));
    return Attributes;
  }

  private parameters(sending: Sending): Record<string, unknown> {
    sent += 1;
    const group = 'group' in sending ? sending.group : this.fifo ? 'g' : undefined;
    const id = 'id' in sending ? sending.id : this.fifo ? `d${sent}` : undefined;
    return {
      MessageGroupId: group,
      MessageDeduplicationId: id,
      DelaySeconds: sending.delay,
      MessageAttributes: sending.attributes,
      ...(sending.trace === undefined
        ? {}
        : { MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: sending.trace } } }),
    };
  }
}
