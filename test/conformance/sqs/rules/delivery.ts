import assert from 'node:assert/strict';
import { action, guide, type ConformanceRule } from '../rule';

const LOGIC = guide('FIFO-queues-understanding-logic');
const RECEIVE = action('ReceiveMessage');

/** Which messages a receive hands out. */
export const DELIVERY: readonly ConformanceRule[] = [
  {
    id: 'delivery-01',
    rule: 'messages of a group come in the order in which they were sent',
    source: LOGIC,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendAll(['a', 'b', 'c']);
      for (const body of ['a', 'b', 'c']) {
        const message = await queue.receiveOne();
        assert.equal(message.body, body);
        await queue.delete(message);
      }
    },
  },
  {
    id: 'delivery-02',
    rule: 'one receive hands out several messages of one group, in order',
    source: LOGIC,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendAll(['a', 'b', 'c', 'd']);
      assert.deepEqual(await queue.bodies({ max: 3 }), ['a', 'b', 'c']);
    },
  },
  {
    id: 'delivery-03',
    rule: 'a receive takes as many messages of one group as possible before it takes others',
    source: LOGIC,
    async run({ fifo }) {
      const queue = await fifo();
      for (const [body, group] of [
        ['a1', 'a'],
        ['b1', 'b'],
        ['a2', 'a'],
        ['b2', 'b'],
        ['a3', 'a'],
        ['b3', 'b'],
      ] as const) {
        await queue.send(body, { group });
      }
      const first = await queue.bodies({ max: 3 });
      const second = await queue.bodies({ max: 3 });
      assert.deepEqual([first, second].sort(), [
        ['a1', 'a2', 'a3'],
        ['b1', 'b2', 'b3'],
      ]);
    },
  },
  {
    id: 'delivery-04',
    rule: 'a receive may hand out messages of several groups, each group in order',
    source: action('SendMessage'),
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendAll(['a1', 'a2'], 'a');
      await queue.sendAll(['b1', 'b2'], 'b');
      const bodies = await queue.bodies();
      assert.deepEqual(
        bodies.filter((body) => body.startsWith('a')),
        ['a1', 'a2'],
      );
      assert.deepEqual(
        bodies.filter((body) => body.startsWith('b')),
        ['b1', 'b2'],
      );
    },
  },
  {
    id: 'delivery-05',
    rule: 'while a message of a group is in flight, no more of the group are handed out',
    source: LOGIC,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendAll(['a', 'b']);
      await queue.receiveOne();
      assert.deepEqual(await queue.bodies(), []);
    },
  },
  {
    id: 'delivery-06',
    rule: 'messages of other groups are handed out while a group is in flight',
    source: LOGIC,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendAll(['a1', 'a2'], 'a');
      await queue.receiveOne();
      await queue.send('b1', { group: 'b' });
      assert.deepEqual(await queue.bodies(), ['b1']);
    },
  },
  {
    id: 'delivery-07',
    rule: 'a group stays locked until all of its messages in flight are deleted',
    source: LOGIC,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendAll(['a', 'b', 'c']);
      const [first, second] = await queue.receive({ max: 2 });
      assert.ok(first && second);
      await queue.delete(first);
      assert.deepEqual(await queue.bodies(), []);
      await queue.delete(second);
      assert.deepEqual(await queue.bodies(), ['c']);
    },
  },
  {
    id: 'delivery-08',
    rule: 'a group stays locked while one of its messages is visible again and another still in flight',
    source: guide('interleaving-multiple-ordered-message-groups'),
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendAll(['a', 'b', 'c']);
      const [first] = await queue.receive({ max: 2 });
      assert.ok(first);
      await queue.hide(first.handle, 0);
      assert.deepEqual(await queue.bodies(), []);
    },
  },
  {
    id: 'delivery-09',
    rule: 'messages that come back do so in their old order and before later ones',
    source: LOGIC,
    async run({ fifo, time }) {
      const queue = await fifo({ VisibilityTimeout: '1' });
      await queue.sendAll(['a', 'b', 'c']);
      assert.deepEqual(await queue.bodies({ max: 2 }), ['a', 'b']);
      await time.elapse(1.2);
      assert.deepEqual(await queue.bodies(), ['a', 'b', 'c']);
    },
  },
  {
    id: 'delivery-10',
    rule: 'a receive hands out one message unless it asks for more',
    source: RECEIVE,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendAll(['a', 'b']);
      assert.equal((await queue.receive({ max: undefined })).length > 0, true);
      assert.deepEqual(await queue.bodies(), []);
    },
  },
  {
    id: 'delivery-11',
    rule: 'a receive can ask for 1 to 10 messages',
    source: RECEIVE,
    async run(context) {
      const queue = await context.fifo();
      await context.refuses(queue.receive({ max: 0 }), 'InvalidParameterValue');
      await context.refuses(queue.receive({ max: 11 }), 'InvalidParameterValue');
    },
  },
  {
    id: 'delivery-12',
    rule: 'sequence numbers of a group grow',
    source: action('SendMessage'),
    async run({ fifo }) {
      const queue = await fifo();
      const numbers: bigint[] = [];
      for (const body of ['a', 'b', 'c']) {
        numbers.push(BigInt((await queue.send(body)).SequenceNumber ?? ''));
      }
      assert.ok(numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? number)));
      const received = (await queue.receive()).map(({ system }) => BigInt(system.SequenceNumber ?? ''));
      assert.deepEqual(received, numbers);
    },
  },
  {
    id: 'delivery-13',
    rule: 'a receive with the same attempt id hands out the same messages and handles again',
    source: RECEIVE,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendAll(['a', 'b']);
      const pick = ({ body, handle }: { body: string; handle: string }): string[] => [body, handle];
      const first = (await queue.receive({ attempt: 'try-1' })).map(pick);
      assert.equal(first.length, 2);
      assert.deepEqual((await queue.receive({ attempt: 'try-1' })).map(pick), first);
      assert.deepEqual(await queue.bodies({ attempt: 'try-2' }), []);
    },
  },
  {
    id: 'delivery-14',
    rule: 'a receive can not be repeated once one of its messages was deleted',
    source: RECEIVE,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.sendAll(['a', 'b']);
      const [first] = await queue.receive({ attempt: 'try-1' });
      assert.ok(first);
      await queue.delete(first);
      assert.ok(!(await queue.bodies({ attempt: 'try-1' })).includes('a'));
    },
  },
  {
    id: 'delivery-15',
    rule: 'a repeated receive sets the visibility timeout anew',
    source: RECEIVE,
    async run({ fifo, time }) {
      const queue = await fifo({ VisibilityTimeout: '3' });
      await queue.send('a');
      await queue.receive({ attempt: 'try-1' });
      await time.elapse(2);
      await queue.receive({ attempt: 'try-1' });
      await time.elapse(2);
      assert.deepEqual(await queue.bodies(), []);
    },
  },
  {
    id: 'delivery-16',
    rule: 'a standard queue hands out messages of one group in parallel',
    source: action('SendMessage'),
    async run({ standard, until }) {
      const queue = await standard();
      await queue.send('a', { group: 'g' });
      await queue.send('b', { group: 'g' });
      const seen = new Set<string>();
      await until(async () => {
        for (const body of await queue.bodies({ max: 1, visibility: 60 })) {
          seen.add(body);
        }
        return seen.size === 2;
      });
    },
  },
];
