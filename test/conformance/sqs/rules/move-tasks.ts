import assert from 'node:assert/strict';
import {
  CancelMessageMoveTaskCommand,
  ListMessageMoveTasksCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import type { ConformanceContext } from '../context';
import { action, guide, type ConformanceRule } from '../rule';
import type { TestQueue } from '../test-queue';

const START = action('StartMessageMoveTask');
const REDRIVE = guide('sqs-configure-dead-letter-queue-redrive');

async function withDeadMessages(
  context: ConformanceContext,
  bodies: readonly string[],
): Promise<{ queue: TestQueue; deadLetters: TestQueue }> {
  const queues = await context.withDeadLetterQueue(1);
  await queues.queue.sendAll(bodies);
  await context.exhaust(queues.queue, 1);
  return queues;
}

async function start(
  context: ConformanceContext,
  SourceArn: string,
  DestinationArn?: string,
  rate?: number,
): Promise<string> {
  const { TaskHandle = '' } = await context.client.send(
    new StartMessageMoveTaskCommand({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: rate }),
  );
  return TaskHandle;
}

async function finished(context: ConformanceContext, SourceArn: string): Promise<void> {
  await context.until(async () => {
    const { Results = [] } = await context.client.send(new ListMessageMoveTasksCommand({ SourceArn }));
    return Results[0]?.Status === 'COMPLETED';
  });
}

/** Tasks that move messages out of a dead-letter queue. */
export const MOVE_TASKS: readonly ConformanceRule[] = [
  {
    id: 'move-tasks-01',
    rule: 'a move task takes dead messages back to their queue, as new messages of their group, in order',
    source: REDRIVE,
    async run(context) {
      const { queue, deadLetters } = await withDeadMessages(context, ['a', 'b']);
      const dead = await deadLetters.receive({ visibility: 0 });
      await start(context, deadLetters.arn);
      await finished(context, deadLetters.arn);
      const back = await queue.receive({ visibility: 60 });
      assert.deepEqual(
        back.map(({ body }) => body),
        ['a', 'b'],
      );
      assert.deepEqual(
        back.map(({ system }) => system.MessageGroupId),
        ['g', 'g'],
      );
      assert.ok(back.every(({ id }) => dead.every((message) => message.id !== id)));
      assert.deepEqual(await deadLetters.bodies(), []);
    },
  },
  {
    id: 'move-tasks-02',
    rule: 'a move task can take messages to another queue of the same type',
    source: START,
    async run(context) {
      const { queue, deadLetters } = await withDeadMessages(context, ['a']);
      const other = await context.fifo();
      await start(context, deadLetters.arn, other.arn);
      await finished(context, deadLetters.arn);
      assert.deepEqual(await other.bodies(), ['a']);
      assert.deepEqual(await queue.bodies(), []);
    },
  },
  {
    id: 'move-tasks-03',
    rule: 'only the messages of a dead-letter queue can be moved',
    source: START,
    async run(context) {
      const queue = await context.fifo();
      await context.refusesSomehow(start(context, queue.arn));
    },
  },
  {
    id: 'move-tasks-04',
    rule: 'a queue that does not exist can not be moved from',
    source: START,
    async run(context) {
      const { arn } = await context.fifo();
      await context.refuses(start(context, `${arn.slice(0, -'.fifo'.length)}-none.fifo`), 'ResourceNotFoundException');
    },
  },
  {
    id: 'move-tasks-05',
    rule: 'the destination must be of the same type',
    source: REDRIVE,
    async run(context) {
      const { deadLetters } = await context.withDeadLetterQueue(1);
      const standard = await context.standard();
      await context.refusesSomehow(start(context, deadLetters.arn, standard.arn));
    },
  },
  {
    id: 'move-tasks-06',
    rule: 'a queue has one active task at a time, which can be cancelled; what it has moved stays moved',
    source: action('CancelMessageMoveTask'),
    needsClock: true,
    async run(context) {
      const { queue, deadLetters } = await withDeadMessages(context, ['a', 'b', 'c', 'd']);
      const handle = await start(context, deadLetters.arn, undefined, 1);
      await context.refusesSomehow(start(context, deadLetters.arn));
      await context.time.elapse(1.1);
      const cancel = new CancelMessageMoveTaskCommand({ TaskHandle: handle });
      const { ApproximateNumberOfMessagesMoved } = await context.client.send(cancel);
      assert.equal(ApproximateNumberOfMessagesMoved, 2);
      await context.time.elapse(10);
      assert.deepEqual(await queue.bodies(), ['a', 'b']);
      await context.refusesSomehow(context.client.send(cancel));
    },
  },
  {
    id: 'move-tasks-07',
    rule: 'a task moves 1 to 500 messages per second',
    source: START,
    async run(context) {
      const { deadLetters } = await context.withDeadLetterQueue(1);
      await context.refusesSomehow(start(context, deadLetters.arn, undefined, 501));
      await context.refusesSomehow(start(context, deadLetters.arn, undefined, 0));
    },
  },
  {
    id: 'move-tasks-08',
    rule: 'tasks are listed with their state and counts',
    source: action('ListMessageMoveTasks'),
    async run(context) {
      const { deadLetters } = await withDeadMessages(context, ['a', 'b']);
      await start(context, deadLetters.arn);
      await finished(context, deadLetters.arn);
      const { Results = [] } = await context.client.send(
        new ListMessageMoveTasksCommand({ SourceArn: deadLetters.arn }),
      );
      assert.equal(Results.length, 1);
      assert.deepEqual([Results[0]?.SourceArn, Results[0]?.ApproximateNumberOfMessagesMoved], [deadLetters.arn, 2]);
    },
  },
];
