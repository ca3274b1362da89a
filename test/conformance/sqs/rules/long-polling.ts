import assert from 'node:assert/strict';
import { guide, type ConformanceRule } from '../rule';

const POLLING = guide('sqs-short-and-long-polling');

/** Receives that wait. */
export const LONG_POLLING: readonly ConformanceRule[] = [
  {
    id: 'long-polling-01',
    rule: 'a receive that waits is answered as soon as a message is sent',
    source: POLLING,
    async run({ fifo, time }) {
      const queue = await fifo();
      const waiting = queue.bodies({ wait: 20 });
      await time.untilWaiting();
      await queue.send('a');
      assert.deepEqual(await waiting, ['a']);
    },
  },
  {
    id: 'long-polling-02',
    rule: 'a receive that waits is answered as soon as a visibility timeout is over',
    source: POLLING,
    async run({ fifo, time }) {
      const queue = await fifo({ VisibilityTimeout: '2' });
      await queue.send('a');
      await queue.receiveOne();
      const waiting = queue.bodies({ wait: 20 });
      await time.untilWaiting();
      await time.elapse(2.2);
      assert.deepEqual(await waiting, ['a']);
    },
  },
  {
    id: 'long-polling-03',
    rule: 'a receive that waits is answered as soon as a group is free',
    source: POLLING,
    async run({ fifo, time }) {
      const queue = await fifo();
      await queue.sendAll(['a', 'b']);
      const first = await queue.receiveOne();
      const waiting = queue.bodies({ wait: 20 });
      await time.untilWaiting();
      await queue.delete(first);
      assert.deepEqual(await waiting, ['b']);
    },
  },
  {
    id: 'long-polling-04',
    rule: 'a receive that waits in vain is answered with nothing when its time is over',
    source: POLLING,
    async run({ fifo, time }) {
      const queue = await fifo();
      const waiting = queue.bodies({ wait: 1 });
      await time.untilWaiting();
      await time.elapse(1.2);
      assert.deepEqual(await waiting, []);
    },
  },
  {
    id: 'long-polling-05',
    rule: 'a receive waits at most 20 seconds',
    source: POLLING,
    async run(context) {
      const queue = await context.fifo();
      await context.refuses(queue.receive({ wait: 21 }), 'InvalidParameterValue');
    },
  },
];
