import { SqsError } from '../errors';
import { optionalInteger, optionalText, text } from '../input';
import { MOVES_PER_SECOND, type MoveTask } from '../move-tasks';
import type { Queue } from '../queue';
import type { Action, QueueDirectory } from './call';

/** Starts to move the messages of a dead-letter queue. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html */
export const startMessageMoveTask: Action = ({ directory, input }) => {
  const source = sourceOf(directory, text(input, 'SourceArn'));
  const destinationArn = optionalText(input, 'DestinationArn');
  const perSecond = optionalInteger(input, 'MaxNumberOfMessagesPerSecond', MOVES_PER_SECOND.min, MOVES_PER_SECOND.max);
  const isDeadLetterQueue = directory.queues().some(({ attributes }) => attributes.redrive?.targetArn === source.arn);
  if (!isDeadLetterQueue) {
    throw new SqsError('InvalidParameterValue', 'Source queue must be configured as a Dead Letter Queue.');
  }
  if (destinationArn !== undefined) {
    const destination = sourceOf(directory, destinationArn);
    if (destination.fifo !== source.fifo) {
      throw new SqsError('InvalidParameterValue', 'Source and destination queues must be of the same type.');
    }
    if (destination === source) {
      throw new SqsError('InvalidParameterValue', 'Source queue arn and destination queue arn cannot be the same.');
    }
  }
  return { TaskHandle: directory.moveTasks.start(source, destinationArn, perSecond).handle };
};

/** Ends a move task. */
export const cancelMessageMoveTask: Action = ({ directory, input }) => ({
  ApproximateNumberOfMessagesMoved: directory.moveTasks.cancel(text(input, 'TaskHandle')).moved,
});

/** Lists the latest move tasks of a dead-letter queue. */
export const listMessageMoveTasks: Action = ({ directory, input }) => {
  const source = sourceOf(directory, text(input, 'SourceArn'));
  const limit = optionalInteger(input, 'MaxResults', 1, 10) ?? 1;
  return { Results: directory.moveTasks.list(source, limit).map(wireTask) };
};

function sourceOf(directory: QueueDirectory, arn: string): Queue {
  const queue = directory.byArn(arn);
  if (queue === undefined) {
    throw new SqsError(
      'ResourceNotFoundException',
      `The resource that you specified for the SourceArn parameter doesn't exist: ${arn}.`,
    );
  }
  return queue;
}

function wireTask(task: MoveTask): object {
  return {
    // A handle is good for cancelling only, so it is shown while that is possible.
    ...(task.status === 'RUNNING' ? { TaskHandle: task.handle } : {}),
    Status: task.status,
    SourceArn: task.source.arn,
    ...(task.destinationArn === undefined ? {} : { DestinationArn: task.destinationArn }),
    ...(task.perSecond === undefined ? {} : { MaxNumberOfMessagesPerSecond: task.perSecond }),
    ApproximateNumberOfMessagesMoved: task.moved,
    ApproximateNumberOfMessagesToMove: task.toMove,
    ...(task.failureReason === undefined ? {} : { FailureReason: task.failureReason }),
    StartedTimestamp: task.startedAt,
  };
}
