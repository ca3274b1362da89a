import { createHash } from 'node:crypto';
import { SQS } from '../../contract';
import type { Clock, Randomness } from '../../ports';
import { ACTIONS } from './actions';
import type { QueueDirectory } from './actions/call';
import { setAttributes } from './actions/queue-attributes';
import { ACCOUNT } from './actions/queue-url';
import { checkQueueName } from './attributes';
import { SqsError } from './errors';
import type { SqsEvent, SqsObserver } from './events';
import { inputOf } from './input';
import { MoveTasks } from './move-tasks';
import { Queue, type QueueHost } from './queue';
import { Throttle, type ThrottledCall } from './throttle';

/** Options of {@link SqsEngine}. */
export interface SqsEngineOptions {
  /** Where all time comes from. */
  readonly clock: Clock;
  /** Order of standard queues, and message ids. A seeded one makes a run repeatable. */
  readonly randomness: Randomness;
  /** Region in the queues' ARNs. @default 'us-east-1' */
  readonly region?: string;
  /** Messages in flight of one queue above which nothing is handed out. @default 120000 */
  readonly inFlightLimit?: number;
  /**
   * Calls per second of each queue above which a call is throttled, by kind of call; a batch call counts as one. The service allows a FIFO
   * queue 300 of each (70,000 and less in high-throughput mode, by region). @default - no call is throttled
   *
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
   */
  readonly callsPerSecond?: Readonly<Partial<Record<ThrottledCall, number>>>;
  /** Told of everything that happens; see also {@link SqsEngine.observe}. @default - nobody */
  readonly onEvent?: SqsObserver;
}

/** Context of {@link SqsEngine.call}. */
export interface CallContext {
  /** Origin of queue URLs in answers. @default 'http://sqs.local' */
  readonly endpoint?: string;
  /** Ends a long poll when the caller is gone. @default - none */
  readonly signal?: AbortSignal;
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteQueue.html */
const NAME_PAUSE_MS = 60_000;

/** Amazon SQS in memory: queues with the semantics that AWS documents, no sockets, all time from a clock. */
export class SqsEngine implements QueueHost, QueueDirectory {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly region: string;
  readonly inFlightLimit: number;
  readonly moveTasks: MoveTasks;

  private readonly byName = new Map<string, Queue>();
  private readonly deletedAt = new Map<string, number>();
  private readonly observers = new Set<SqsObserver>();
  private readonly throttle: Throttle;
  private readonly idPrefix: string;
  private queueCount = 0;
  private messageCount = 0;

  constructor(options: SqsEngineOptions) {
    this.clock = options.clock;
    this.randomness = options.randomness;
    this.region = options.region ?? 'us-east-1';
    this.inFlightLimit = options.inFlightLimit ?? SQS.inFlight;
    this.throttle = new Throttle(options.clock, options.callsPerSecond ?? {});
    this.moveTasks = new MoveTasks(options.clock, (arn) => this.byArn(arn));
    const hash = createHash('sha256').update(options.randomness.token()).digest('hex');
    this.idPrefix = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(12, 15)}-8${hash.slice(15, 18)}-`;
    if (options.onEvent !== undefined) {
      this.observers.add(options.onEvent);
    }
  }

  /**
   * Calls an action of the service as its API defines it.
   *
   * @param action name without prefix, e.g. `SendMessage`
   * @param input the request, as in the JSON protocol
   * @returns the response, as in the JSON protocol
   * @throws SqsError for every error of the service; `InvalidAction` names the known actions
   */
  async call(action: string, input: unknown, context: CallContext = {}): Promise<object> {
    const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (run === undefined) {
      const known = Object.keys(ACTIONS).join(', ');
      throw new SqsError('InvalidAction', `The action ${action} is not served; known actions: ${known}.`);
    }
    const { endpoint = 'http://sqs.local', signal } = context;
    return run({ directory: this, input: inputOf(input), endpoint, signal });
  }

  /**
   * Creates a queue, or answers the one of this name whose attributes agree.
   *
   * @param attributes as of `CreateQueue`: texts; `FifoQueue: 'true'` and a name that ends in `.fifo` make a FIFO queue
   * @throws SqsError
   */
  createQueue(name: string, attributes: Readonly<Record<string, string>> = {}): Queue {
    const fifo = attributes.FifoQueue === 'true';
    checkQueueName(name, fifo);
    const existing = this.byName.get(name);
    if (existing !== undefined) {
      const other = existing.attributes.firstDifference(attributes);
      if (other !== undefined) {
        throw new SqsError(
          'QueueNameExists',
          `A queue already exists with the same name and a different value for attribute ${other}.`,
        );
      }
      return existing;
    }
    if (this.clock.now() - (this.deletedAt.get(name) ?? -Infinity) < NAME_PAUSE_MS) {
      throw new SqsError(
        'QueueDeletedRecently',
        `You must wait 60 seconds after deleting queue ${name} before you can create another with the same name.`,
      );
    }
    this.queueCount += 1;
    const queue = new Queue(name, this.arnOf(name), this.queueCount, fifo, this);
    setAttributes(queue, attributes);
    this.byName.set(name, queue);
    return queue;
  }

  /** @throws SqsError `QueueDoesNotExist` */
  queue(name: string): Queue {
    const queue = this.byName.get(name);
    if (queue === undefined) {
      throw new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
    }
    return queue;
  }

  /** The queue with this ARN, if there is one. */
  byArn(arn: string): Queue | undefined {
    const queue = this.byName.get(arn.slice(arn.lastIndexOf(':') + 1));
    return queue?.arn === arn ? queue : undefined;
  }

  /** All queues. */
  queues(): readonly Queue[] {
    return [...this.byName.values()];
  }

  /** Deletes a queue; its name is free again after 60 seconds. */
  deleteQueue(name: string): void {
    if (this.byName.delete(name)) {
      this.deletedAt.set(name, this.clock.now());
    }
  }

  /** ARN of a queue of this name. */
  arnOf(name: string): string {
    return `arn:aws:sqs:${this.region}:${ACCOUNT}:${name}`;
  }

  /** Adds an observer. @returns removes it */
  observe(observer: SqsObserver): () => void {
    this.observers.add(observer);
    return () => {
      this.observers.delete(observer);
    };
  }

  emit(event: SqsEvent): void {
    for (const observer of this.observers) {
      observer(event);
    }
  }

  newMessageId(): string {
    this.messageCount += 1;
    return this.idPrefix + this.messageCount.toString(16).padStart(12, '0');
  }

  admit(queue: Queue, call: ThrottledCall): void {
    this.throttle.admit(queue.name, call);
  }

  /** Stops move tasks. Long polls end by their signal or their time. */
  close(): void {
    this.moveTasks.close();
  }
}
