import { missingParameter, SqsError } from '../errors';
import { optionalInteger, optionalText, text, textMap, texts, type Input } from '../input';
import type { Queue } from '../queue';
import type { Action } from './call';
import { queueOf, queueUrl } from './queue-url';

/** Results of one page unless the request asks for less. */
const PAGE = 1000;
/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_PurgeQueue.html */
const PURGE_PAUSE_MS = 60_000;

/** Creates a queue, or answers the one that is there with the same attributes. */
export const createQueue: Action = ({ directory, input, endpoint }) => {
  const queue = directory.createQueue(text(input, 'QueueName'), textMap(input, 'Attributes'));
  for (const [name, value] of Object.entries(textMap(input, 'tags'))) {
    queue.tags.set(name, value);
  }
  return { QueueUrl: queueUrl(endpoint, queue) };
};

/** Deletes a queue with all that is in it. */
export const deleteQueue: Action = (call) => {
  call.directory.deleteQueue(queueOf(call).name);
  return {};
};

/** Answers the URL of a queue. */
export const getQueueUrl: Action = ({ directory, input, endpoint }) => ({
  QueueUrl: queueUrl(endpoint, directory.queue(text(input, 'QueueName'))),
});

/** Lists queues by the start of their names. */
export const listQueues: Action = ({ directory, input, endpoint }) => {
  const prefix = optionalText(input, 'QueueNamePrefix') ?? '';
  const { urls, next } = page(
    directory.queues().filter(({ name }) => name.startsWith(prefix)),
    input,
    endpoint,
  );
  return { ...(urls.length === 0 ? {} : { QueueUrls: urls }), ...next };
};

/** Lists the queues whose redrive policy names a queue. */
export const listDeadLetterSourceQueues: Action = (call) => {
  const target = queueOf(call);
  const sources = call.directory.queues().filter(({ attributes }) => attributes.redrive?.targetArn === target.arn);
  const { urls, next } = page(sources, call.input, call.endpoint);
  return { queueUrls: urls, ...next };
};

function page(queues: readonly Queue[], input: Input, endpoint: string): { urls: readonly string[]; next: object } {
  const limit = optionalInteger(input, 'MaxResults', 1, PAGE) ?? PAGE;
  const from = optionalText(input, 'NextToken') ?? '';
  const rest = [...queues].sort((left, right) => (left.name < right.name ? -1 : 1)).filter(({ name }) => name > from);
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  return {
    urls: shown.map((queue) => queueUrl(endpoint, queue)),
    next: rest.length > limit && last !== undefined ? { NextToken: last.name } : {},
  };
}

/** Removes all messages of a queue, those in flight included. */
export const purgeQueue: Action = (call) => {
  const queue = queueOf(call);
  const now = queue.settle();
  if (now - queue.purgedAt < PURGE_PAUSE_MS) {
    throw new SqsError(
      'PurgeQueueInProgress',
      `Only one PurgeQueue operation on ${queue.name} is allowed every 60 seconds.`,
    );
  }
  queue.purgedAt = now;
  const messages = queue.list();
  for (const message of messages) {
    queue.remove(message);
  }
  queue.host.emit({ type: 'purged', queue: queue.name, messages: messages.length });
  return {};
};

/** Sets tags. */
export const tagQueue: Action = (call) => {
  const tags = Object.entries(textMap(call.input, 'Tags'));
  if (tags.length === 0) {
    throw missingParameter('Tags');
  }
  const queue = queueOf(call);
  for (const [name, value] of tags) {
    queue.tags.set(name, value);
  }
  return {};
};

/** Removes tags. */
export const untagQueue: Action = (call) => {
  const queue = queueOf(call);
  for (const name of texts(call.input, 'TagKeys')) {
    queue.tags.delete(name);
  }
  return {};
};

/** Answers the tags of a queue. */
export const listQueueTags: Action = (call) => {
  const { tags } = queueOf(call);
  return tags.size === 0 ? {} : { Tags: Object.fromEntries(tags) };
};
