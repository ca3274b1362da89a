import { SqsError } from '../errors';
import { text } from '../input';
import type { Queue } from '../queue';
import type { Call } from './call';

/** Account of every queue. */
export const ACCOUNT = '000000000000';

/** URL of a queue below an endpoint. */
export function queueUrl(endpoint: string, queue: Queue): string {
  return `${endpoint}/${ACCOUNT}/${queue.name}`;
}

/**
 * The queue that a request names by its URL. Only the path counts: the same queue is reached under any host name.
 *
 * @throws SqsError `QueueDoesNotExist`, `InvalidParameterValue`-like errors for a URL without a queue's path
 */
export function queueOf({ directory, input }: Call): Queue {
  const url = text(input, 'QueueUrl');
  const name = /(?:^|\/)([^/?#]+)\/?$/.exec(url)?.[1];
  if (name === undefined) {
    throw new SqsError('QueueDoesNotExist', `The specified queue does not exist: ${url} names none.`);
  }
  return directory.queue(name);
}
