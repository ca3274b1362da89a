import assert from 'node:assert/strict';
import { action, guide, type ConformanceRule } from '../rule';

const SEND = action('SendMessage');
const QUOTAS = guide('quotas-messages');
const METADATA = guide('sqs-message-metadata');
const MEBIBYTE = 1024 * 1024;

/** What can be sent. */
export const SENDING: readonly ConformanceRule[] = [
  {
    id: 'sending-01',
    rule: 'a message of 1 MiB is accepted, one byte more is not',
    source: QUOTAS,
    async run(context) {
      const queue = await context.fifo();
      await queue.send('x'.repeat(MEBIBYTE));
      await context.refuses(queue.send('x'.repeat(MEBIBYTE + 1)), 'InvalidParameterValue');
    },
  },
  {
    id: 'sending-02',
    rule: 'the size counts bytes of UTF-8, and name, type and value of attributes',
    source: METADATA,
    async run(context) {
      const queue = await context.fifo({ MaximumMessageSize: '1024' });
      const attributes = { ab: { DataType: 'String', StringValue: 'xyz' } };
      await queue.send('ä'.repeat(506) + 'x', { attributes });
      await context.refuses(queue.send('ä'.repeat(507), { attributes }), 'InvalidParameterValue');
    },
  },
  {
    id: 'sending-03',
    rule: 'characters beyond the basic plane pass unchanged',
    source: SEND,
    async run({ fifo }) {
      const queue = await fifo();
      const body = 'booked \u{1F389} \u{20BB7}\u91CE\u5BB6 \u{10FFFF}';
      await queue.send(body);
      assert.deepEqual(await queue.bodies(), [body]);
    },
  },
  {
    id: 'sending-04',
    rule: 'control characters, U+FFFE, U+FFFF and lone surrogates are refused',
    source: SEND,
    async run(context) {
      const queue = await context.fifo();
      for (const character of ['\u0000', '\u0008', '\u001F', '\uFFFE', '\uFFFF']) {
        await context.refuses(queue.send(`a${character}b`), 'InvalidMessageContents');
      }
    },
  },
  {
    id: 'sending-05',
    rule: 'tab, line feed and carriage return pass unchanged',
    source: SEND,
    async run({ fifo }) {
      const queue = await fifo();
      await queue.send('a\tb\r\nc');
      assert.deepEqual(await queue.bodies(), ['a\tb\r\nc']);
    },
  },
  {
    id: 'sending-06',
    rule: 'a message has a body of at least one character',
    source: SEND,
    async run(context) {
      const queue = await context.fifo();
      await context.refuses(queue.send(''), 'MissingParameter');
    },
  },
  {
    id: 'sending-07',
    rule: 'a FIFO message needs a group',
    source: SEND,
    async run(context) {
      const queue = await context.fifo();
      await context.refuses(queue.send('a', { group: undefined }), 'MissingParameter');
    },
  },
  {
    id: 'sending-08',
    rule: 'a FIFO message can not have a delay of its own',
    source: SEND,
    async run(context) {
      const queue = await context.fifo();
      await context.refuses(queue.send('a', { delay: 1 }), 'InvalidParameterValue');
    },
  },
  {
    id: 'sending-09',
    rule: 'the delay of a FIFO queue holds back all of its messages',
    source: guide('sqs-delay-queues'),
    async run({ fifo, time }) {
      const queue = await fifo({ DelaySeconds: '2' });
      await queue.send('a');
      assert.deepEqual(await queue.bodies(), []);
      await time.elapse(2.2);
      assert.deepEqual(await queue.bodies(), ['a']);
    },
  },
  {
    id: 'sending-10',
    rule: 'a message of a standard queue can have a delay of its own',
    source: guide('sqs-message-timers'),
    async run({ standard, time, until }) {
      const queue = await standard();
      await queue.send('a', { delay: 2 });
      assert.deepEqual(await queue.bodies(), []);
      await time.elapse(2.2);
      await until(async () => (await queue.bodies())[0] === 'a');
    },
  },
  {
    id: 'sending-11',
    rule: 'a deduplication id and a group id are 1 to 128 letters, digits and punctuation characters',
    source: SEND,
    async run(context) {
      const queue = await context.fifo();
      const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
      const longest = `${punctuation}${'a'.repeat(128 - punctuation.length)}`;
      await queue.send('a', { id: longest, group: longest });
      for (const wrong of ['a'.repeat(129), 'a b', 'ä']) {
        await context.refuses(queue.send('a', { id: wrong }), 'InvalidParameterValue');
        await context.refuses(queue.send('a', { group: wrong }), 'InvalidParameterValue');
      }
    },
  },
  {
    id: 'sending-12',
    rule: 'attributes come back as they were sent',
    source: METADATA,
    async run({ fifo }) {
      const queue = await fifo();
      const attributes = {
        text: { DataType: 'String.json', StringValue: '{"a":1}' },
        count: { DataType: 'Number', StringValue: '12.5' },
        bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 1, 255]) },
      };
      await queue.send('a', { attributes });
      const { message } = await queue.receiveOne();
      const { bytes, ...texts } = message.MessageAttributes ?? {};
      assert.deepEqual(texts, { text: attributes.text, count: attributes.count });
      assert.deepEqual([...(bytes?.BinaryValue ?? [])], [0, 1, 255]);
    },
  },
  {
    id: 'sending-13',
    rule: 'a message has at most 10 attributes',
    source: METADATA,
    async run(context) {
      const queue = await context.fifo();
      const attributes = (count: number): Record<string, { DataType: string; StringValue: string }> =>
        Object.fromEntries(
          Array.from({ length: count }, (_, index) => [`a${index}`, { DataType: 'String', StringValue: 'x' }]),
        );
      await queue.send('a', { attributes: attributes(10) });
      await context.refuses(queue.send('a', { attributes: attributes(11) }), 'InvalidParameterValue');
    },
  },
  {
    id: 'sending-14',
    rule: 'attribute names must not begin with AWS. or Amazon., nor have a period at an end or two in a row',
    source: METADATA,
    async run(context) {
      const queue = await context.fifo();
      for (const name of ['AWS.x', 'amazon.x', '.x', 'x.', 'x..y']) {
        const attributes = { [name]: { DataType: 'String', StringValue: 'x' } };
        await context.refuses(queue.send('a', { attributes }), 'InvalidParameterValue');
      }
    },
  },
  {
    id: 'sending-15',
    rule: 'a trace header reaches the consumer and does not count towards the size',
    source: METADATA,
    async run({ fifo }) {
      const queue = await fifo({ MaximumMessageSize: '1024' });
      const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';
      await queue.send('x'.repeat(1024), { trace });
      assert.equal((await queue.receiveOne()).system.AWSTraceHeader, trace);
    },
  },
  {
    id: 'sending-16',
    rule: 'a standard queue takes no deduplication id',
    source: SEND,
    async run(context) {
      const queue = await context.standard();
      await context.refuses(queue.send('a', { id: 'x' }), 'InvalidParameterValue');
    },
  },
];
