import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { action, guide, type ConformanceRule } from '../rule';

const PROPERTY = guide('using-messagededuplicationid-property');
const ONCE = guide('FIFO-queues-exactly-once-processing');
const SEND = action('SendMessage');
const CREATE = action('CreateQueue');

/** Deduplication of sends. */
export const DEDUPLICATION: readonly ConformanceRule[] = [
  {
    id: 'deduplication-01',
    rule: 'a message with a deduplication id that was sent within 5 minutes is accepted and not delivered',
    source: PROPERTY,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.send('a', { id: 'same' });
      const second = await queue.send('a', { id: 'same' });
      assert.ok(second.MessageId);
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
  {
    id: 'deduplication-02',
    rule: 'the body does not matter where a deduplication id is given',
    source: SEND,
    async run({ fifo }) {
      const queue = await fifo({ ContentBasedDeduplication: 'true' });
      await queue.send('a', { id: 'one' });
      // The SDK checks the digest of the body that it sent.
      await queue.send('another', { id: 'one' });
      await queue.send('a', { id: 'two' });
      assert.deepEqual(await queue.bodies(), ['a', 'a']);
    },
  },
  {
    id: 'deduplication-03',
    rule: 'a deduplication id is remembered after its message was received and deleted',
    source: SEND,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.send('a', { id: 'same' });
      await queue.delete(await queue.receiveOne());
      await queue.send('a', { id: 'same' });
      assert.deepEqual(await queue.bodies(), []);
    },
  },
  {
    id: 'deduplication-04',
    rule: 'a deduplication id is forgotten after 5 minutes',
    source: ONCE,
    needsClock: true,
    async run({ fifo, time }) {
      const queue = await fifo();
      await queue.send('a', { id: 'same' });
      await queue.delete(await queue.receiveOne());
      await time.elapse(299);
      await queue.send('a', { id: 'same' });
      assert.deepEqual(await queue.bodies(), []);
      await time.elapse(2);
      await queue.send('b', { id: 'same' });
      assert.deepEqual(await queue.bodies(), ['b']);
    },
  },
  {
    id: 'deduplication-05',
    rule: 'with content-based deduplication, equal bodies are delivered once, whatever their attributes',
    source: CREATE,
    async run({ fifo }) {
      const queue = await fifo({ ContentBasedDeduplication: 'true' });
      await queue.send('a', { id: undefined });
      await queue.send('a', { id: undefined, attributes: { x: { DataType: 'String', StringValue: '1' } } });
      await queue.send('b', { id: undefined });
      assert.deepEqual(await queue.bodies(), ['a', 'b']);
    },
  },
  {
    id: 'deduplication-06',
    rule: 'a deduplication id that equals the SHA-256 of an earlier body makes a duplicate',
    source: CREATE,
    async run({ fifo }) {
      const queue = await fifo({ ContentBasedDeduplication: 'true' });
      await queue.send('a', { id: undefined });
      await queue.send('b', { id: createHash('sha256').update('a').digest('hex') });
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
  {
    id: 'deduplication-07',
    rule: 'without content-based deduplication a FIFO message needs a deduplication id',
    source: CREATE,
    async run(context) {
      const queue = await context.fifo();
      await context.refuses(queue.send('a', { id: undefined }), 'InvalidParameterValue');
    },
  },
  {
    id: 'deduplication-08',
    rule: 'with scope queue, an id counts over all groups',
    source: CREATE,
    async run({ fifo }) {
      const queue = await fifo({ DeduplicationScope: 'queue' });
      await queue.send('a', { id: 'same', group: 'a' });
      await queue.send('b', { id: 'same', group: 'b' });
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
  {
    id: 'deduplication-09',
    rule: 'with scope messageGroup, an id counts in its group alone',
    source: CREATE,
    async run({ fifo }) {
      const queue = await fifo({ DeduplicationScope: 'messageGroup' });
      await queue.send('a', { id: 'same', group: 'a' });
      await queue.send('b', { id: 'same', group: 'b' });
      await queue.send('c', { id: 'same', group: 'b' });
      assert.deepEqual((await queue.bodies()).sort(), ['a', 'b']);
    },
  },
  {
    id: 'deduplication-10',
    rule: 'an id that comes twice in one batch is delivered once, and both entries succeed',
    source: SEND,
    async run({ fifo }) {
      const queue = await fifo();
      const { Successful = [], Failed = [] } = await queue.sendBatch([
        { MessageBody: 'a', MessageDeduplicationId: 'same' },
        { MessageBody: 'b', MessageDeduplicationId: 'same' },
      ]);
      assert.deepEqual([Successful.length, Failed.length], [2, 0]);
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
  {
    id: 'deduplication-11',
    rule: 'a deduplication id is remembered after its message went to the dead-letter queue',
    source: SEND,
    async run(context) {
      const { queue } = await context.withDeadLetterQueue(1);
      await queue.send('a', { id: 'same' });
      await context.exhaust(queue, 1);
      await queue.send('a', { id: 'same' });
      assert.deepEqual(await queue.bodies(), []);
    },
  },
  {
    id: 'deduplication-12',
    rule: 'the consumer sees the deduplication id',
    source: SEND,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.send('a', { id: 'the-id', group: 'the-group' });
      const { system } = await queue.receiveOne();
      assert.deepEqual([system.MessageDeduplicationId, system.MessageGroupId], ['the-id', 'the-group']);
    },
  },
];
