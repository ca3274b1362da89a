import { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Function } from 'aws-cdk-lib/aws-lambda';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { CronFanoutError } from '../lambda/contract';
import type { FanoutLabels } from '../lambda/contract';
import type { FanoutAlarms } from './observability/alarm-settings';
import { readLabels } from './observability/labels';
import { ObservedFanout } from './observability/observed-fanout';

/** A fanout, made in this app or elsewhere: what others can be granted, read and watch of it. */
export interface ICronFanout extends ObservedFanout {
  /** Identifies the fanout in its state table, messages and metrics. */
  readonly fanoutId: string;
}

/** What is known of a fanout that another app deploys. What is left out fails only when it is used. */
export interface CronFanoutAttributes {
  /** Its `fanoutId`. */
  readonly fanoutId: string;
  /**
   * Its `service`, a dimension of its metrics.
   *
   * @default - it has none
   */
  readonly service?: string;
  /**
   * Its `owner`, a dimension of its metrics.
   *
   * @default - it has none
   */
  readonly owner?: string;
  /**
   * Its `tier`, a dimension of its metrics.
   *
   * @default - it has none
   */
  readonly tier?: string;
  /**
   * ARN of its scanner.
   *
   * @default - `scanner` can't be used
   */
  readonly scannerArn?: string;
  /**
   * Role of its scanner, which grants go to.
   *
   * @default - `scanner` can be invoked and watched, but granted nothing
   */
  readonly scannerRole?: IRole;
  /**
   * ARN of its consumer.
   *
   * @default - `consumer` can't be used
   */
  readonly consumerArn?: string;
  /**
   * Role of its consumer, which grants go to.
   *
   * @default - `consumer` can be watched, but granted nothing
   */
  readonly consumerRole?: IRole;
  /**
   * ARN of its FIFO queue.
   *
   * @default - `queue` can't be used
   */
  readonly queueArn?: string;
  /**
   * ARN of its FIFO dead-letter queue.
   *
   * @default - `deadLetterQueue` can't be used
   */
  readonly deadLetterQueueArn?: string;
  /**
   * ARN of its failure queue.
   *
   * @default - `failureQueue` can't be used
   */
  readonly failureQueueArn?: string;
  /**
   * ARN of its state table.
   *
   * @default - `stateTable` can't be used
   */
  readonly stateTableArn?: string;
  /**
   * Name of its schedule group.
   *
   * @default - `scheduleGroup` can't be used
   */
  readonly scheduleGroupName?: string;
  /**
   * Name of the log group of its scanner.
   *
   * @default - `scannerLogs` can't be used
   */
  readonly scannerLogs?: string;
  /**
   * Name of the log group of its consumer.
   *
   * @default - `consumerLogs` can't be used
   */
  readonly consumerLogs?: string;
  /**
   * Key of its queues and its table, which those are allowed to use who are granted one of them.
   *
   * @default - keys that AWS owns
   */
  readonly encryptionKey?: IKey;
}

/** A fanout that another app deploys, from what is known of it. */
export class ImportedFanout extends ObservedFanout implements ICronFanout {
  readonly fanoutId: string;
  readonly labels: FanoutLabels;
  /** None: alarms are made where the fanout is. */
  readonly alarms: FanoutAlarms = {};
  private readonly known: Readonly<Partial<Parts>>;

  /** @throws CronFanoutError `InvalidLabel` */
  constructor(
    scope: Construct,
    id: string,
    private readonly attributes: CronFanoutAttributes,
  ) {
    super(scope, id);
    this.fanoutId = attributes.fanoutId;
    this.labels = readLabels(attributes);
    this.known = importParts(this, attributes);
  }

  get scanner(): IFunction {
    return this.need('scanner', 'scannerArn', this.known.scanner);
  }

  get consumer(): IFunction {
    return this.need('consumer', 'consumerArn', this.known.consumer);
  }

  get queue(): IQueue {
    return this.need('queue', 'queueArn', this.known.queue);
  }

  get deadLetterQueue(): IQueue {
    return this.need('deadLetterQueue', 'deadLetterQueueArn', this.known.deadLetterQueue);
  }

  get failureQueue(): IQueue {
    return this.need('failureQueue', 'failureQueueArn', this.known.failureQueue);
  }

  get stateTable(): ITable {
    return this.need('stateTable', 'stateTableArn', this.known.stateTable);
  }

  get scheduleGroup(): IScheduleGroup {
    return this.need('scheduleGroup', 'scheduleGroupName', this.known.scheduleGroup);
  }

  get scannerLogs(): string {
    return this.need('scannerLogs', 'scannerLogs', this.attributes.scannerLogs);
  }

  get consumerLogs(): string {
    return this.need('consumerLogs', 'consumerLogs', this.attributes.consumerLogs);
  }

  private need<T>(part: string, attribute: keyof CronFanoutAttributes, value: T | undefined): T {
    if (value === undefined) {
      throw new CronFanoutError('AttributeMissing', {
        what: `${part} of ${this.node.path}, an imported fanout`,
        received: `no ${attribute}`,
        allowed: `what CronFanout.fromCronFanoutAttributes was given: ${Object.keys(this.attributes).join(', ')}`,
        change: `give it ${attribute}, as the app that deploys the fanout knows it`,
      });
    }
    return value;
  }
}

/** The parts of a fanout that are constructs. */
interface Parts {
  readonly scanner: IFunction;
  readonly consumer: IFunction;
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  readonly failureQueue: IQueue;
  readonly stateTable: ITable;
  readonly scheduleGroup: IScheduleGroup;
}

/** Imports what is given; each part is a construct below the fanout. */
function importParts(scope: Construct, given: CronFanoutAttributes): Partial<Parts> {
  const key = given.encryptionKey;
  const part = <Name extends keyof Parts>(
    name: Name,
    attribute: string | undefined,
    make: (id: string, attribute: string) => Parts[Name],
  ): Partial<Parts> =>
    attribute === undefined ? {} : { [name]: make(name.charAt(0).toUpperCase() + name.slice(1), attribute) };
  const queue =
    (fifo: boolean) =>
    (id: string, queueArn: string): IQueue =>
      Queue.fromQueueAttributes(scope, id, { queueArn, fifo, ...(key === undefined ? {} : { keyArn: key.keyArn }) });
  const lambda =
    (role: IRole | undefined) =>
    (id: string, functionArn: string): IFunction =>
      Function.fromFunctionAttributes(scope, id, { functionArn, ...(role === undefined ? {} : { role }) });
  return {
    ...part('scanner', given.scannerArn, lambda(given.scannerRole)),
    ...part('consumer', given.consumerArn, lambda(given.consumerRole)),
    ...part('queue', given.queueArn, queue(true)),
    ...part('deadLetterQueue', given.deadLetterQueueArn, queue(true)),
    ...part('failureQueue', given.failureQueueArn, queue(false)),
    ...part('stateTable', given.stateTableArn, (id, tableArn) =>
      Table.fromTableAttributes(scope, id, { tableArn, ...(key === undefined ? {} : { encryptionKey: key }) }),
    ),
    ...part('scheduleGroup', given.scheduleGroupName, (id, name) =>
      ScheduleGroup.fromScheduleGroupName(scope, id, name),
    ),
  };
}
