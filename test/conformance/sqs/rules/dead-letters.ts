import assert from 'node:assert/strict';
import { ListDeadLetterSourceQueuesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { redriveTo } from '../context';
import { action, guide, type ConformanceRule } from '../rule';

const DEAD_LETTERS = guide('sqs-dead-letter-queues');
const REDRIVE = guide('sqs-configure-dead-letter-queue-redrive');
const ATTRIBUTES = action('SetQueueAttributes');

/** Dead-letter queues. */
export const DEAD_LETTER: readonly ConformanceRule[] = [
  {
    id: 'dead-letters-01',
    rule: 'a message that was received maxReceiveCount times goes to the dead-letter queue instead of being received again',
    source: DEAD_LETTERS,
    async run(context) {
      const { queue, deadLetters } = await context.withDeadLetterQueue(2);
      await queue.send('a');
      await context.exhaust(queue, 2);
      assert.deepEqual(await deadLetters.bodies(), ['a']);
    },
  },
  {
    id: 'dead-letters-02',
    rule: 'in a FIFO dead-letter queue the deduplication id is the message id; id and group stay',
    source: REDRIVE,
    async run(context) {
      const { queue, deadLetters } = await context.withDeadLetterQueue(1);
      const { MessageId } = await queue.send('a', { group: 'tenant-1', id: 'original' });
      await context.exhaust(queue, 1);
      const dead = await deadLetters.receiveOne();
      assert.deepEqual(
        [dead.id, dead.system.MessageGroupId, dead.system.MessageDeduplicationId],
        [MessageId, 'tenant-1', MessageId],
      );
    },
  },
  {
    id: 'dead-letters-03',
    rule: 'two messages with one deduplication id in different groups both reach the dead-letter queue',
    source: REDRIVE,
    async run(context) {
      const deadLetters = await context.fifo();
      const queue = await context.fifo({
        VisibilityTimeout: '1',
        DeduplicationScope: 'messageGroup',
        RedrivePolicy: redriveTo(deadLetters.arn, 1),
      });
      await queue.send('a', { group: 'a', id: 'same' });
      await queue.send('b', { group: 'b', id: 'same' });
      await context.exhaust(queue, 1);
      assert.deepEqual((await deadLetters.bodies()).sort(), ['a', 'b']);
    },
  },
  {
    id: 'dead-letters-04',
    rule: 'receives are counted over all queues',
    source: action('ReceiveMessage'),
    async run(context) {
      const { queue, deadLetters } = await context.withDeadLetterQueue(2);
      await queue.send('a');
      await context.exhaust(queue, 2);
      assert.equal((await deadLetters.receiveOne()).system.ApproximateReceiveCount, '3');
    },
  },
  {
    id: 'dead-letters-05',
    rule: 'a dead message names the queue that it came from',
    source: action('Message'),
    async run(context) {
      const { queue, deadLetters } = await context.withDeadLetterQueue(1);
      await queue.send('a');
      await context.exhaust(queue, 1);
      assert.equal((await deadLetters.receiveOne()).system.DeadLetterQueueSourceArn, queue.arn);
    },
  },
  {
    id: 'dead-letters-06',
    rule: 'the enqueue time of a FIFO message is set anew when it goes to the dead-letter queue',
    source: guide('setting-up-dead-letter-queue-retention'),
    async run(context) {
      const { queue, deadLetters } = await context.withDeadLetterQueue(1);
      await queue.send('a');
      const { system } = await queue.receiveOne();
      await context.time.elapse(1.2);
      assert.deepEqual(await queue.bodies(), []);
      assert.ok(Number((await deadLetters.receiveOne()).system.SentTimestamp) > Number(system.SentTimestamp));
    },
  },
  {
    id: 'dead-letters-07',
    rule: 'messages of a group that are exhausted together all arrive, in order, and the rest of the group goes on',
    source: DEAD_LETTERS,
    async run(context) {
      const { queue, deadLetters } = await context.withDeadLetterQueue(1);
      await queue.sendAll(['a', 'b', 'c']);
      assert.deepEqual(await queue.bodies({ max: 2 }), ['a', 'b']);
      await context.time.elapse(1.2);
      assert.deepEqual(await queue.bodies({ visibility: 60 }), ['c']);
      assert.deepEqual(await deadLetters.bodies(), ['a', 'b']);
    },
  },
  {
    id: 'dead-letters-08',
    rule: 'the dead-letter queue of a FIFO queue must be a FIFO queue, that of a standard queue a standard queue',
    source: ATTRIBUTES,
    async run(context) {
      const [fifo, standard] = [await context.fifo(), await context.standard()];
      await context.refuses(context.fifo({ RedrivePolicy: redriveTo(standard.arn, 3) }), 'InvalidParameterValue');
      await context.refuses(context.standard({ RedrivePolicy: redriveTo(fifo.arn, 3) }), 'InvalidParameterValue');
    },
  },
  {
    id: 'dead-letters-09',
    rule: 'maxReceiveCount is 1 to 1000',
    source: ATTRIBUTES,
    async run(context) {
      const { arn } = await context.fifo();
      for (const count of [0, 1001]) {
        await context.refuses(context.fifo({ RedrivePolicy: redriveTo(arn, count) }), 'InvalidParameterValue');
      }
      for (const count of [1, 1000]) {
        await context.fifo({ RedrivePolicy: redriveTo(arn, count) });
      }
    },
  },
  {
    id: 'dead-letters-10',
    rule: 'a queue can refuse to be a dead-letter queue, to all or to all but some',
    source: ATTRIBUTES,
    async run(context) {
      const closed = await context.fifo({ RedriveAllowPolicy: JSON.stringify({ redrivePermission: 'denyAll' }) });
      await context.refuses(context.fifo({ RedrivePolicy: redriveTo(closed.arn, 3) }), 'InvalidParameterValue');
      const friend = await context.fifo();
      const some = await context.fifo({
        RedriveAllowPolicy: JSON.stringify({ redrivePermission: 'byQueue', sourceQueueArns: [friend.arn] }),
      });
      await context.refuses(context.fifo({ RedrivePolicy: redriveTo(some.arn, 3) }), 'InvalidParameterValue');
      const Attributes = { RedrivePolicy: redriveTo(some.arn, 3) };
      await context.client.send(new SetQueueAttributesCommand({ QueueUrl: friend.url, Attributes }));
    },
  },
  {
    id: 'dead-letters-11',
    rule: 'the queues that use a dead-letter queue can be listed',
    source: action('ListDeadLetterSourceQueues'),
    async run(context) {
      const { queue, deadLetters } = await context.withDeadLetterQueue(3);
      const request = new ListDeadLetterSourceQueuesCommand({ QueueUrl: deadLetters.url });
      const { queueUrls } = await context.client.send(request);
      assert.deepEqual(queueUrls, [queue.url]);
    },
  },
];
