import { createHash } from 'node:crypto';
import { SQS } from '../../contract';
import type { Clock, Randomness } from '../../ports';
import { QueueAttributes } from './attributes';
import { GroupOrder, RandomOrder, type DeliveryOrder } from './delivery-order';
import { DueHeap } from './due-heap';
import type { SqsEvent } from './events';
import { StoredMessage, type MessageContent } from './message';
import { receiptHandleOf } from './receipt-handle';
import { Recent } from './recent';
import type { ThrottledCall } from './throttle';
import { Watch } from './watch';

/** What a queue needs from the engine that it belongs to. */
export interface QueueHost {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Messages in flight above which nothing is handed out. */
  readonly inFlightLimit: number;
  emit(event: SqsEvent): void;
  /** The queue with this ARN, if there is one. */
  byArn(arn: string): Queue | undefined;
  /** A message id that no other message of the engine has. */
  newMessageId(): string;
  /** @throws SqsError `RequestThrottled` when the queue's quota for this call is used up */
  admit(queue: Queue, call: ThrottledCall): void;
}

/** Messages of a queue by state. */
export interface QueueCounts {
  /** May be received, or wait behind their group. */
  readonly visible: number;
  readonly delayed: number;
  readonly inFlight: number;
}

/** What is remembered of a send; not its body, which may be gone long before. */
export interface RecentSend {
  readonly messageId: string;
  readonly serial: number;
}

/** A receive that can be repeated by its attempt id. */
export interface ReceiveAttempt {
  readonly messages: readonly { readonly message: StoredMessage; readonly receiptSerial: number }[];
}

/**
 * One queue: its messages and their states. Time is never waited for here: every operation first lets take effect what has become due since
 * the last one. The operations themselves are in `actions/`.
 */
export class Queue {
  readonly attributes: QueueAttributes;
  /** Sends of the last five minutes, also of messages that are deleted or moved by now. */
  readonly sends = new Recent<RecentSend>(SQS.deduplicationSeconds * 1000);
  readonly attempts = new Recent<ReceiveAttempt>(SQS.deduplicationSeconds * 1000);
  readonly tags = new Map<string, string>();
  readonly createdAt: number;
  modifiedAt: number;
  /** Epoch milliseconds of the last purge. */
  purgedAt = -Infinity;

  private readonly messages = new Map<number, StoredMessage>();
  private readonly order: DeliveryOrder;
  private readonly due = new DueHeap<StoredMessage>(
    (message, at) => (message.state === 'inFlight' || message.state === 'delayed') && message.availableAt === at,
  );
  private readonly age = new DueHeap<StoredMessage>((message, at) => message.state !== 'gone' && message.sentAt === at);
  private readonly watch: Watch;
  private readonly numbers: Record<'visible' | 'delayed' | 'inFlight', number> = {
    visible: 0,
    delayed: 0,
    inFlight: 0,
  };
  private lastSerial = 0;
  private lastReceipt = 0;

  constructor(
    readonly name: string,
    readonly arn: string,
    /** Number of the queue in its engine. */
    readonly serial: number,
    readonly fifo: boolean,
    readonly host: QueueHost,
  ) {
    this.attributes = new QueueAttributes(fifo);
    this.order = fifo ? new GroupOrder() : new RandomOrder(host.randomness);
    this.createdAt = host.clock.now();
    this.modifiedAt = this.createdAt;
    this.watch = new Watch(host.clock, {
      settle: () => {
        this.settle();
      },
      nextDueAt: () => this.due.earliest(),
    });
  }

  /** Lets take effect what is due: delays and visibility timeouts that are over, messages that are too old. Answers now. */
  settle(): number {
    const now = this.host.clock.now();
    const oldest = now - this.attributes.retentionSeconds * 1000;
    for (let message = this.age.take(oldest); message !== undefined; message = this.age.take(oldest)) {
      this.remove(message);
      this.host.emit({ type: 'expired', queue: this.name, message });
    }
    for (let message = this.due.take(now); message !== undefined; message = this.due.take(now)) {
      this.release(message);
    }
    return now;
  }

  /** Number of messages by state, now. */
  counts(): QueueCounts {
    this.settle();
    return { ...this.numbers };
  }

  /** Epoch milliseconds at which the next message becomes visible; `undefined` when none is delayed or in flight. */
  nextDueAt(): number | undefined {
    this.settle();
    return this.due.earliest();
  }

  /** Whether as many messages are in flight as the service allows. */
  isAtInFlightLimit(): boolean {
    return this.numbers.inFlight >= this.host.inFlightLimit;
  }

  /** Under which name a send is remembered for five minutes; `undefined` on a standard queue. */
  deduplicationKey({ body, groupId = '', deduplicationId }: MessageContent): string | undefined {
    if (!this.fifo) {
      return undefined;
    }
    const id = deduplicationId ?? sha256(body);
    // A space can't be in either id.
    return this.attributes.deduplicationPerGroup ? `${groupId} ${id}` : id;
  }

  /** Whether a receive would hand out (or dead-letter) a message now. */
  isReceivable(): boolean {
    this.settle();
    return !this.isAtInFlightLimit() && this.order.candidates().next().done === false;
  }

  /** Messages that are stored, oldest first. */
  list(): readonly StoredMessage[] {
    this.settle();
    return [...this.messages.values()];
  }

  /** The message with this serial, unless it is gone. */
  bySerial(serial: number): StoredMessage | undefined {
    return this.messages.get(serial);
  }

  /** Visible messages in the order in which they may be handed out; see {@link DeliveryOrder.candidates}. */
  candidates(): Generator<StoredMessage, void, undefined> {
    return this.order.candidates();
  }

  /**
   * Stores a message.
   *
   * @param sentAt epoch milliseconds from which its retention counts
   * @param delaySeconds from now
   */
  store(content: MessageContent, messageId: string, sentAt: number, delaySeconds: number): StoredMessage {
    const now = this.host.clock.now();
    this.lastSerial += 1;
    const deduplicationId = this.fifo ? (content.deduplicationId ?? sha256(content.body)) : undefined;
    const message = new StoredMessage(messageId, this.lastSerial, content, deduplicationId, sentAt);
    this.messages.set(message.serial, message);
    this.age.push(sentAt, message, this.messages.size);
    message.availableAt = now + delaySeconds * 1000;
    this.enter(message, delaySeconds > 0 ? 'delayed' : 'visible');
    this.order.stored(message);
    if (delaySeconds > 0) {
      this.hideUntil(message, message.availableAt);
    } else {
      this.watch.changed(undefined);
    }
    return message;
  }

  /** Counts a receive of a visible message and hides it for `seconds`. */
  receive(message: StoredMessage, seconds: number): void {
    const now = this.host.clock.now();
    this.lastReceipt += 1;
    message.receiveCount += 1;
    message.firstReceivedAt ??= now;
    message.receivedAt = now;
    message.receiptSerial = this.lastReceipt;
    message.receiptHandle = receiptHandleOf(this.serial, {
      messageSerial: message.serial,
      receiptSerial: message.receiptSerial,
    });
    message.visibilityChanged = false;
    this.enter(message, 'inFlight');
    this.order.hidden(message, true);
    this.hideUntil(message, now + seconds * 1000);
  }

  /** Sets when a message that is in flight or delayed becomes visible. */
  hideUntil(message: StoredMessage, at: number): void {
    message.availableAt = at;
    this.due.push(at, message, this.numbers.inFlight + this.numbers.delayed);
    this.watch.changed(at);
  }

  /** Takes a message out of the queue. */
  remove(message: StoredMessage): void {
    const wasInFlight = message.state === 'inFlight';
    this.enter(message, 'gone');
    this.messages.delete(message.serial);
    this.order.removed(message, wasInFlight);
    // Wakes those who wait for a group that is free now, and drops a timer that waited for this very message.
    this.watch.changed(message.availableAt);
  }

  /**
   * Calls `listener` after every change that may have made a message receivable, as long as it is registered. Changes of one turn of the
   * event loop are told once, after it.
   *
   * @returns ends it
   */
  onReceivable(listener: () => void): () => void {
    return this.watch.add(listener);
  }

  /** Applies the queue's delay anew: a FIFO queue's delay also holds for messages that are in it and were never received. */
  redelay(): void {
    const now = this.settle();
    for (const message of this.messages.values()) {
      const at = message.sentAt + this.attributes.delaySeconds * 1000;
      if (message.receiveCount > 0) {
        continue;
      }
      if (at <= now) {
        if (message.state === 'delayed') {
          this.release(message);
        }
        continue;
      }
      if (message.state === 'visible') {
        this.enter(message, 'delayed');
        this.order.hidden(message, false);
      }
      this.hideUntil(message, at);
    }
  }

  private release(message: StoredMessage): void {
    const wasInFlight = message.state === 'inFlight';
    this.enter(message, 'visible');
    this.order.released(message, wasInFlight);
    this.watch.changed(undefined);
  }

  private enter(message: StoredMessage, state: StoredMessage['state']): void {
    if (message.state !== 'gone') {
      this.numbers[message.state] -= 1;
    }
    if (state !== 'gone') {
      this.numbers[state] += 1;
    }
    message.state = state;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
