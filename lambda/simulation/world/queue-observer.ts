import type { DeadEnvelope, Envelope } from '../../contract';
import { decodeEnvelope } from '../../ledger';
import type { SqsEvent } from '../sqs';
import type { Observer } from './observation';

/** Ends of the names of a fanout's queues. */
const QUEUE_NAME = /(-dead)?\.fifo$/;

/** Tells what happens in the queues of the fanouts, in the words of the invariants. */
export function observeQueue(event: SqsEvent, observe: Observer): void {
  if (event.type === 'deduplicated' || !('message' in event)) {
    return;
  }
  const { type, queue, message } = event;
  const fanoutId = queue.replace(QUEUE_NAME, '');
  const read = envelopeOf(message.body);
  const envelope = read?.fanout === fanoutId ? read : undefined;
  if (queue.endsWith('-dead.fifo')) {
    if (type === 'sent') {
      observe({ type: 'buried', fanoutId, envelope });
    }
  } else if (type === 'sent') {
    observe({ type: 'queued', fanoutId, envelope, groupId: message.groupId ?? '', serial: message.serial });
  } else if (type === 'deleted') {
    observe({ type: 'acknowledged', fanoutId, envelope });
  } else if (type === 'deadLettered' || type === 'expired') {
    observe({ type: 'backstopped', fanoutId, envelope, isLost: type === 'expired' });
  }
}

/** The envelope in a body; `undefined` where it is no message of a fanout. */
export function envelopeOf(body: string): Envelope | DeadEnvelope | undefined {
  const decoded = decodeEnvelope(body);
  return decoded.kind === 'valid' ? decoded.envelope : undefined;
}
