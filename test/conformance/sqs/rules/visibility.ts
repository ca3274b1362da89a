import assert from 'node:assert/strict';
import { action, guide, type ConformanceRule } from '../rule';

const TIMEOUT = guide('sqs-visibility-timeout');
const CHANGE = action('ChangeMessageVisibility');
const HANDLE = 'https://repost.aws/knowledge-center/sqs-receipt-handle-error';

/** Visibility timeouts and receipt handles. */
export const VISIBILITY: readonly ConformanceRule[] = [
  {
    id: 'visibility-01',
    rule: "a received message is hidden for the queue's visibility timeout, then visible again",
    source: TIMEOUT,
    async run({ fifo, time }) {
      const queue = await fifo({ VisibilityTimeout: '2' });
      await queue.send('a');
      await queue.receiveOne();
      await time.elapse(1);
      assert.deepEqual(await queue.bodies(), []);
      await time.elapse(1.2);
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
  {
    id: 'visibility-02',
    rule: "a receive's own visibility timeout replaces the queue's",
    source: action('ReceiveMessage'),
    async run({ fifo, time }) {
      const queue = await fifo({ VisibilityTimeout: '600' });
      await queue.send('a');
      await queue.receiveOne({ visibility: 1 });
      await time.elapse(1.2);
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
  {
    id: 'visibility-03',
    rule: 'a change of visibility counts from now',
    source: CHANGE,
    async run({ fifo, time }) {
      const queue = await fifo({ VisibilityTimeout: '2' });
      await queue.send('a');
      const { handle } = await queue.receiveOne();
      await time.elapse(1);
      await queue.hide(handle, 2);
      await time.elapse(1.2);
      assert.deepEqual(await queue.bodies(), []);
      await time.elapse(1);
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
  {
    id: 'visibility-04',
    rule: 'a change of visibility to 0 makes the message visible at once',
    source: TIMEOUT,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.send('a');
      const { handle } = await queue.receiveOne();
      await queue.hide(handle, 0);
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
  {
    id: 'visibility-05',
    rule: "a change of visibility is not remembered: the next receive uses the queue's timeout",
    source: CHANGE,
    async run({ fifo, time }) {
      const queue = await fifo({ VisibilityTimeout: '1' });
      await queue.send('a');
      const { handle } = await queue.receiveOne();
      await queue.hide(handle, 600);
      await queue.hide(handle, 0);
      await queue.receiveOne();
      await time.elapse(1.2);
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
  {
    id: 'visibility-06',
    rule: 'a visibility timeout is 0 to 43,200 seconds',
    source: CHANGE,
    async run(context) {
      const queue = await context.fifo();
      await queue.send('a');
      const { handle } = await queue.receiveOne();
      await context.refuses(queue.hide(handle, 43_201), 'InvalidParameterValue');
      await context.refuses(queue.hide(handle, -1), 'InvalidParameterValue');
    },
  },
  {
    id: 'visibility-07',
    rule: 'a change of visibility that ends later than 12 hours after the receive is refused',
    source: TIMEOUT,
    async run(context) {
      const queue = await context.fifo();
      await queue.send('a');
      const { handle } = await queue.receiveOne();
      await context.time.elapse(1.2);
      await context.refuses(queue.hide(handle, 43_200), 'InvalidParameterValue');
      await queue.hide(handle, 43_000);
    },
  },
  {
    id: 'visibility-08',
    rule: 'a FIFO message whose visibility timeout is over can not be deleted by its handle',
    source: action('ReceiveMessage'),
    async run(context) {
      const queue = await context.fifo({ VisibilityTimeout: '1' });
      await queue.send('a');
      const { handle } = await queue.receiveOne();
      await context.time.elapse(1.2);
      await context.refuses(queue.deleteHandle(handle), 'InvalidParameterValue');
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
  {
    id: 'visibility-09',
    rule: 'the handle of an earlier receive has expired once the FIFO message was received again',
    source: HANDLE,
    async run(context) {
      const queue = await context.fifo();
      await queue.send('a');
      const first = await queue.receiveOne();
      await queue.hide(first.handle, 0);
      const second = await queue.receiveOne();
      assert.notEqual(second.handle, first.handle);
      await context.refuses(queue.deleteHandle(first.handle), 'InvalidParameterValue');
      await queue.delete(second);
    },
  },
  {
    id: 'visibility-10',
    rule: 'a text that is no receipt handle is refused',
    source: HANDLE,
    async run(context) {
      const queue = await context.fifo();
      await context.refuses(queue.deleteHandle('not-a-handle'), 'ReceiptHandleIsInvalid');
      await context.refuses(queue.hide('not-a-handle', 1), 'ReceiptHandleIsInvalid');
    },
  },
  {
    id: 'visibility-11',
    rule: 'an old handle of a standard queue succeeds, and the message may stay',
    source: action('DeleteMessage'),
    async run({ standard, until }) {
      const queue = await standard();
      await queue.send('a');
      const first = await queue.receiveOne({ wait: 1 });
      await queue.hide(first.handle, 0);
      await until(async () => (await queue.receive()).length === 1);
      await queue.deleteHandle(first.handle);
    },
  },
  {
    id: 'visibility-12',
    rule: 'the receive count grows by one with every receive, the time of the first receive stays',
    source: action('ReceiveMessage'),
    async run({ fifo, time }) {
      const queue = await fifo({ VisibilityTimeout: '1' });
      await queue.send('a');
      const first = await queue.receiveOne();
      await time.elapse(1.2);
      const second = await queue.receiveOne();
      assert.deepEqual(
        [first, second].map(({ system }) => system.ApproximateReceiveCount),
        ['1', '2'],
      );
      assert.equal(second.system.ApproximateFirstReceiveTimestamp, first.system.ApproximateFirstReceiveTimestamp);
      assert.equal(second.system.SentTimestamp, first.system.SentTimestamp);
    },
  },
  {
    id: 'visibility-13',
    rule: 'messages in flight and visible ones are counted apart',
    source: action('GetQueueAttributes'),
    async run({ fifo, until }) {
      const queue = await fifo();
      await queue.sendAll(['a', 'b', 'c']);
      await queue.receive({ max: 2 });
      await until(async () => {
        const attributes = await queue.attributes('All');
        return (
          attributes.ApproximateNumberOfMessages === '1' && attributes.ApproximateNumberOfMessagesNotVisible === '2'
        );
      });
    },
  },
];
