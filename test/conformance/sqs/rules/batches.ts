import assert from 'node:assert/strict';
import { ChangeMessageVisibilityBatchCommand } from '@aws-sdk/client-sqs';
import { action, guide, type ConformanceRule } from '../rule';

const BATCH = action('SendMessageBatch');
const QUOTAS = guide('quotas-messages');
const MEBIBYTE = 1024 * 1024;

/** Batch calls. */
export const BATCHES: readonly ConformanceRule[] = [
  {
    id: 'batches-01',
    rule: 'the messages of a batch are enqueued in the order of its entries',
    source: BATCH,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendBatch([{}, {}, {}]);
      assert.deepEqual(await queue.bodies(), ['m0', 'm1', 'm2']);
    },
  },
  {
    id: 'batches-02',
    rule: 'a bad entry fails alone, in an answer that is a success',
    source: BATCH,
    async run({ fifo }) {
      const queue = await fifo();
      const { Successful = [], Failed = [] } = await queue.sendBatch([{}, { MessageBody: 'a\u0001' }, {}]);
      assert.deepEqual(
        Successful.map(({ Id }) => Id),
        ['e0', 'e2'],
      );
      assert.deepEqual(
        Failed.map(({ Id, SenderFault, Code }) => [Id, SenderFault, Code]),
        [['e1', true, 'InvalidMessageContents']],
      );
      assert.deepEqual(await queue.bodies(), ['m0', 'm2']);
    },
  },
  {
    id: 'batches-03',
    rule: 'an entry without a group fails alone',
    source: BATCH,
    async run({ fifo }) {
      const queue = await fifo();
      const { Failed = [] } = await queue.sendBatch([{}, { MessageGroupId: undefined }]);
      assert.deepEqual(
        Failed.map(({ Id, Code }) => [Id, Code]),
        [['e1', 'MissingParameter']],
      );
    },
  },
  {
    id: 'batches-04',
    rule: 'a batch has 1 to 10 entries',
    source: QUOTAS,
    async run(context) {
      const queue = await context.fifo();
      await queue.sendBatch(Array.from({ length: 10 }, () => ({})));
      await context.refuses(queue.sendBatch(Array.from({ length: 11 }, () => ({}))), 'TooManyEntriesInBatchRequest');
      await context.refuses(queue.sendBatch([]), 'EmptyBatchRequest');
    },
  },
  {
    id: 'batches-05',
    rule: 'the ids of a batch differ',
    source: BATCH,
    async run(context) {
      const queue = await context.fifo();
      await context.refuses(queue.sendBatch([{ Id: 'x' }, { Id: 'x' }]), 'BatchEntryIdsNotDistinct');
    },
  },
  {
    id: 'batches-06',
    rule: 'an id of a batch is 1 to 80 letters, digits, hyphens and underscores',
    source: BATCH,
    async run(context) {
      const queue = await context.fifo();
      await queue.sendBatch([{ Id: `${'a'.repeat(78)}-_` }]);
      for (const Id of ['a:b', 'a b', 'a'.repeat(81)]) {
        await context.refuses(queue.sendBatch([{ Id }]), 'InvalidBatchEntryId');
      }
    },
  },
  {
    id: 'batches-07',
    rule: 'the messages of a batch have 1 MiB together, no byte more',
    source: QUOTAS,
    async run(context) {
      const queue = await context.fifo();
      const half = 'x'.repeat(MEBIBYTE / 2);
      const { Failed = [] } = await queue.sendBatch([{ MessageBody: half }, { MessageBody: half }]);
      assert.deepEqual(Failed, []);
      const over = queue.sendBatch([{ MessageBody: half }, { MessageBody: `${half}x` }]);
      await context.refuses(over, 'BatchRequestTooLong');
    },
  },
  {
    id: 'batches-08',
    rule: 'a batch delete reports a bad handle alone',
    source: action('DeleteMessageBatch'),
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendAll(['a', 'b']);
      const [first, second] = await queue.receive();
      assert.ok(first && second);
      const failed = await queue.deleteBatch([first.handle, 'not-a-handle', second.handle]);
      assert.deepEqual(
        failed.map(({ Id, Code }) => [Id, Code]),
        [['e1', 'ReceiptHandleIsInvalid']],
      );
      assert.equal((await queue.attributes('All')).ApproximateNumberOfMessagesNotVisible, '0');
    },
  },
  {
    id: 'batches-09',
    rule: 'a batch change of visibility reports a bad entry alone',
    source: action('ChangeMessageVisibilityBatch'),
    async run(context) {
      const queue = await context.fifo();
      await queue.send('a');
      const { handle } = await queue.receiveOne();
      const { Failed = [], Successful = [] } = await context.client.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl: queue.url,
          Entries: [
            { Id: 'good', ReceiptHandle: handle, VisibilityTimeout: 0 },
            { Id: 'bad', ReceiptHandle: 'not-a-handle', VisibilityTimeout: 0 },
          ],
        }),
      );
      assert.deepEqual([Successful.map(({ Id }) => Id), Failed.map(({ Id }) => Id)], [['good'], ['bad']]);
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
];
