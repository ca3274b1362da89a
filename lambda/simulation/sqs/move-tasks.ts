import type { Clock, Timer } from '../../ports';
import { contentOf } from './actions/dead-letter';
import { SqsError } from './errors';
import type { StoredMessage } from './message';
import type { Queue } from './queue';

/** Most messages that a task moves in a second. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html */
export const MOVES_PER_SECOND = { min: 1, max: 500 } as const;
/** Tasks of one queue that are remembered and listed. */
const REMEMBERED = 10;

/**
 * A task that takes messages out of a dead-letter queue: `RUNNING` until there is none left that can be received (`COMPLETED`), it is
 * cancelled (`CANCELLED`), or a message can't be moved (`FAILED`).
 */
export interface MoveTask {
  readonly handle: string;
  status: 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'FAILED';
  readonly source: Queue;
  readonly destinationArn: string | undefined;
  readonly perSecond: number | undefined;
  readonly startedAt: number;
  /** Messages that were in the source when the task began. */
  readonly toMove: number;
  moved: number;
  failureReason?: string;
}

/** The move tasks of an engine. */
export class MoveTasks {
  private tasks: MoveTask[] = [];
  private started = 0;
  private readonly timers = new Map<MoveTask, Timer>();

  constructor(
    private readonly clock: Clock,
    private readonly byArn: (arn: string) => Queue | undefined,
  ) {}

  /**
   * Starts a task; it moves its first messages at once, in a turn of its own.
   *
   * @param destinationArn absent: each message goes back to the queue that it came from
   * @throws SqsError `UnsupportedOperation` while another task of this queue runs
   */
  start(source: Queue, destinationArn: string | undefined, perSecond: number | undefined): MoveTask {
    if (this.tasks.some((task) => task.source === source && task.status === 'RUNNING')) {
      throw new SqsError(
        'UnsupportedOperation',
        `There is already a task running. Only one active task is allowed for ${source.name}.`,
      );
    }
    const { visible, delayed, inFlight } = source.counts();
    const startedAt = this.clock.now();
    const handle = Buffer.from(JSON.stringify({ source: source.arn, task: (this.started += 1), startedAt })).toString(
      'base64',
    );
    const task: MoveTask = {
      handle,
      status: 'RUNNING',
      source,
      destinationArn,
      perSecond,
      startedAt,
      toMove: visible + delayed + inFlight,
      moved: 0,
    };
    this.remember(task);
    this.schedule(task, 0);
    return task;
  }

  /**
   * Ends a task; what it has moved stays moved.
   *
   * @throws SqsError `ResourceNotFoundException` for an unknown handle, `UnsupportedOperation` when the task does not run
   */
  cancel(handle: string): MoveTask {
    const task = this.tasks.find((candidate) => candidate.handle === handle);
    if (task === undefined) {
      throw new SqsError('ResourceNotFoundException', 'The specified task does not exist.');
    }
    if (task.status !== 'RUNNING') {
      throw new SqsError(
        'UnsupportedOperation',
        `Only a task that is RUNNING can be cancelled; this one is ${task.status}.`,
      );
    }
    this.end(task, 'CANCELLED');
    return task;
  }

  /** The latest tasks of a queue, newest first. */
  list(source: Queue, limit: number): readonly MoveTask[] {
    return this.tasks
      .filter((task) => task.source === source)
      .reverse()
      .slice(0, Math.min(limit, REMEMBERED));
  }

  /** Cancels all timers. */
  close(): void {
    for (const task of this.timers.keys()) {
      this.end(task, 'CANCELLED');
    }
  }

  private remember(task: MoveTask): void {
    const earlier = this.tasks.filter(({ source }) => source === task.source).slice(1 - REMEMBERED);
    this.tasks = [...this.tasks.filter(({ source }) => source !== task.source), ...earlier, task];
  }

  private schedule(task: MoveTask, milliseconds: number): void {
    this.timers.set(
      task,
      this.clock.setTimer(milliseconds, () => {
        this.moveSome(task);
      }),
    );
  }

  private moveSome(task: MoveTask): void {
    task.source.settle();
    let left = task.perSecond ?? MOVES_PER_SECOND.max;
    for (const message of task.source.candidates()) {
      if (left === 0) {
        this.schedule(task, 1000);
        return;
      }
      if (!this.move(task, message)) {
        this.end(task, 'FAILED');
        return;
      }
      left -= 1;
    }
    this.end(task, 'COMPLETED');
  }

  /** Sends a message anew: another id, another time, its receives forgotten. The deduplication id stays, the group too. */
  private move(task: MoveTask, message: StoredMessage): boolean {
    const arn = task.destinationArn ?? message.deadLetterSourceArn;
    const target = arn === undefined ? undefined : this.byArn(arn);
    if (target === undefined) {
      task.failureReason =
        arn === undefined ? 'CouldNotDetermineMessageSource' : 'AWS.SimpleQueueService.NonExistentQueue';
      return false;
    }
    const { source } = task;
    source.remove(message);
    const content = { ...contentOf(message), deduplicationId: message.deduplicationId };
    const moved = target.store(content, target.host.newMessageId(), target.settle(), target.attributes.delaySeconds);
    task.moved += 1;
    source.host.emit({ type: 'moved', queue: source.name, target: target.name, message: moved });
    return true;
  }

  private end(task: MoveTask, status: MoveTask['status']): void {
    task.status = status;
    this.timers.get(task)?.cancel();
    this.timers.delete(task);
  }
}
