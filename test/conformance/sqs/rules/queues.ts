import assert from 'node:assert/strict';
import {
  DeleteQueueCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ListQueueTagsCommand,
  PurgeQueueCommand,
  SetQueueAttributesCommand,
  TagQueueCommand,
  UntagQueueCommand,
} from '@aws-sdk/client-sqs';
import { action, guide, type ConformanceRule } from '../rule';

const CREATE = action('CreateQueue');
const SET = action('SetQueueAttributes');

/** Queues and their attributes. */
export const QUEUES: readonly ConformanceRule[] = [
  {
    id: 'queues-01',
    rule: 'the name of a FIFO queue ends in .fifo, that of a standard queue does not',
    source: CREATE,
    async run(context) {
      await context.refuses(context.create(context.newName(), { FifoQueue: 'true' }), 'InvalidParameterValue');
      await context.refuses(context.create(`${context.newName()}.fifo`, {}), 'InvalidParameterValue');
    },
  },
  {
    id: 'queues-02',
    rule: 'creating a queue again with the same attributes answers the same queue, with others it fails',
    source: CREATE,
    async run(context) {
      const name = `${context.newName()}.fifo`;
      const attributes = { FifoQueue: 'true', VisibilityTimeout: '60' };
      const { url } = await context.create(name, attributes);
      assert.equal((await context.create(name, attributes)).url, url);
      await context.refuses(context.create(name, { FifoQueue: 'true', VisibilityTimeout: '61' }), 'QueueNameExists');
    },
  },
  {
    id: 'queues-03',
    rule: 'a queue that does not exist is an error of its own',
    source: action('GetQueueUrl'),
    async run(context) {
      const { url } = await context.fifo();
      const none = url.replace(/\.fifo$/, '-none.fifo');
      const attributes = new SetQueueAttributesCommand({ QueueUrl: none, Attributes: { VisibilityTimeout: '1' } });
      await context.refuses(context.client.send(attributes), 'QueueDoesNotExist');
      const QueueName = `${context.newName()}.fifo`;
      await context.refuses(context.client.send(new GetQueueUrlCommand({ QueueName })), 'QueueDoesNotExist');
    },
  },
  {
    id: 'queues-04',
    rule: 'a new queue has the documented defaults',
    source: CREATE,
    async run({ fifo }) {
      const attributes = await (await fifo()).attributes('All');
      const expected = {
        DelaySeconds: '0',
        MaximumMessageSize: '1048576',
        MessageRetentionPeriod: '345600',
        ReceiveMessageWaitTimeSeconds: '0',
        VisibilityTimeout: '30',
        FifoQueue: 'true',
        ContentBasedDeduplication: 'false',
        DeduplicationScope: 'queue',
        FifoThroughputLimit: 'perQueue',
      };
      for (const [name, value] of Object.entries(expected)) {
        assert.equal(attributes[name], value, name);
      }
    },
  },
  {
    id: 'queues-05',
    rule: 'attributes have bounds',
    source: SET,
    async run(context) {
      const bounds = {
        DelaySeconds: [0, 900],
        MaximumMessageSize: [1024, 1_048_576],
        MessageRetentionPeriod: [60, 1_209_600],
        ReceiveMessageWaitTimeSeconds: [0, 20],
        VisibilityTimeout: [0, 43_200],
      } as const;
      const { url: QueueUrl } = await context.fifo();
      const set = (name: string, value: number): Promise<unknown> =>
        context.client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { [name]: String(value) } }));
      for (const [name, [min, max]] of Object.entries(bounds)) {
        await set(name, min);
        await set(name, max);
        await context.refuses(set(name, min - 1), 'InvalidAttributeValue');
        await context.refuses(set(name, max + 1), 'InvalidAttributeValue');
      }
    },
  },
  {
    id: 'queues-06',
    rule: 'perMessageGroupId is allowed only with scope messageGroup',
    source: SET,
    async run(context) {
      await context.refusesSomehow(context.fifo({ FifoThroughputLimit: 'perMessageGroupId' }));
      await context.fifo({ FifoThroughputLimit: 'perMessageGroupId', DeduplicationScope: 'messageGroup' });
    },
  },
  {
    id: 'queues-07',
    rule: 'an attribute that does not exist is refused',
    source: SET,
    async run(context) {
      const { url: QueueUrl } = await context.fifo();
      const Attributes = { NoSuchAttribute: '1' } as Record<string, string>;
      await context.refuses(
        context.client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes })),
        'InvalidAttributeName',
      );
    },
  },
  {
    id: 'queues-08',
    rule: 'a purge removes all messages, those in flight included',
    source: action('PurgeQueue'),
    async run(context) {
      const queue = await context.fifo({ VisibilityTimeout: '1' });
      await queue.sendAll(['a', 'b']);
      await queue.receiveOne();
      await context.client.send(new PurgeQueueCommand({ QueueUrl: queue.url }));
      await context.time.elapse(1.2);
      assert.deepEqual(await queue.bodies(), []);
      assert.equal((await queue.attributes('All')).ApproximateNumberOfMessages, '0');
    },
  },
  {
    id: 'queues-09',
    rule: 'a queue is purged at most once in 60 seconds',
    source: action('PurgeQueue'),
    async run(context) {
      const { url: QueueUrl } = await context.fifo();
      await context.client.send(new PurgeQueueCommand({ QueueUrl }));
      await context.refuses(context.client.send(new PurgeQueueCommand({ QueueUrl })), 'PurgeQueueInProgress');
    },
  },
  {
    id: 'queues-10',
    rule: 'the name of a deleted queue is free again after 60 seconds',
    source: CREATE,
    needsClock: true,
    async run(context) {
      const name = `${context.newName()}.fifo`;
      const { url: QueueUrl } = await context.create(name, { FifoQueue: 'true' });
      await context.client.send(new DeleteQueueCommand({ QueueUrl }));
      await context.refuses(context.create(name, { FifoQueue: 'true' }), 'QueueDeletedRecently');
      await context.time.elapse(60);
      await context.create(name, { FifoQueue: 'true' });
    },
  },
  {
    id: 'queues-11',
    rule: 'a message is lost when it is older than the retention period',
    source: guide('quotas-messages'),
    needsClock: true,
    async run({ fifo, time }) {
      const queue = await fifo({ MessageRetentionPeriod: '60' });
      await queue.send('old');
      await time.elapse(30);
      await queue.send('new');
      await time.elapse(31);
      assert.deepEqual(await queue.bodies(), ['new']);
    },
  },
  {
    id: 'queues-12',
    rule: 'queues are listed by the start of their names, page by page',
    source: action('ListQueues'),
    async run(context) {
      const prefix = context.newName();
      for (const suffix of ['-a', '-b', '-c']) {
        await context.create(`${prefix}${suffix}`, {});
      }
      const first = await context.client.send(new ListQueuesCommand({ QueueNamePrefix: prefix, MaxResults: 2 }));
      assert.equal(first.QueueUrls?.length, 2);
      const { NextToken } = first;
      assert.ok(NextToken);
      const rest = await context.client.send(
        new ListQueuesCommand({ QueueNamePrefix: prefix, MaxResults: 2, NextToken }),
      );
      const names = [...first.QueueUrls, ...(rest.QueueUrls ?? [])].map((url) => url.slice(-2)).sort();
      assert.deepEqual(names, ['-a', '-b', '-c']);
    },
  },
  {
    id: 'queues-13',
    rule: 'tags can be set, listed and removed',
    source: action('TagQueue'),
    async run({ fifo, client }) {
      const { url: QueueUrl } = await fifo();
      await client.send(new TagQueueCommand({ QueueUrl, Tags: { team: 'bookings', stage: 'test' } }));
      await client.send(new UntagQueueCommand({ QueueUrl, TagKeys: ['stage'] }));
      const { Tags } = await client.send(new ListQueueTagsCommand({ QueueUrl }));
      assert.deepEqual({ ...Tags }, { team: 'bookings' });
    },
  },
];
