import type { Input } from '../input';
import type { Queue } from '../queue';
import type { MoveTasks } from '../move-tasks';

/** The queues of an engine, as actions use them. */
export interface QueueDirectory {
  readonly moveTasks: MoveTasks;
  /** @throws SqsError `QueueDoesNotExist` */
  queue(name: string): Queue;
  byArn(arn: string): Queue | undefined;
  queues(): readonly Queue[];
  createQueue(name: string, attributes?: Readonly<Record<string, string>>): Queue;
  deleteQueue(name: string): void;
}

/** One call of an action. */
export interface Call {
  readonly directory: QueueDirectory;
  readonly input: Input;
  /** Origin of the queue URLs in the answer, without a slash at the end. */
  readonly endpoint: string;
  /** Ends a wait: the caller is gone. */
  readonly signal?: AbortSignal | undefined;
}

/** An action of the service: reads a request, answers the response's JSON object. */
export type Action = (call: Call) => object | Promise<object>;
