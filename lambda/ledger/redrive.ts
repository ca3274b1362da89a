import { createHash } from 'node:crypto';
import type { DeadEnvelope, DeadItem, Envelope, RunItem } from '../contract';
import { ITEM_KEYS, traceContext } from '../contract';
import type { MessageQueue, Randomness } from '../ports';
import { when } from '../ports';
import { decodeEnvelope, encodeEnvelope } from './envelope';
import { groupId, SINGLE_GROUP_ID } from './identity';
import type { Ledger } from './pages';
import { noteRedrive } from './redrive-row';

/** What a redrive works with. */
export interface RedriveContext extends Ledger {
  /** The FIFO work queue. */
  readonly queue: MessageQueue;
  readonly randomness: Randomness;
  /** Seconds that dead records stay in the ledger, counted anew from the redrive. */
  readonly ledgerRetention: number;
}

/** What came of a redrive. */
export type RedriveResult =
  /** It is in the work queue: now, and not sooner, its message may be deleted from the dead-letter queue. */
  | { readonly kind: 'sent' }
  /** Its redrive has had its outcome, or it was purged: the message is a leftover. */
  | { readonly kind: 'over'; readonly state: DeadItem['state'] }
  /** It cannot be redriven; nothing was changed. */
  | { readonly kind: 'refused'; readonly cause: string };

/**
 * Redrives one message of the dead-letter queue, in its own group and with attempts of its own. The death is marked `redriven` before the message is sent, so that no scan enqueues its record
 * meanwhile. Safe to repeat after any failure: a death is redriven once, however many of its messages arrive. A message that the queue itself has moved there, without a death, is only sent back.
 *
 * @param body body of the message, as it is in the dead-letter queue
 * @throws when the table or the queue cannot be reached, or the queue refuses the message; the record then waits as `redriven` for the next try
 */
export async function redriveDead(context: RedriveContext, body: string): Promise<RedriveResult> {
  const decoded = decodeEnvelope(body);
  if (decoded.kind !== 'valid') {
    return { kind: 'refused', cause: decoded.cause };
  }
  const { envelope } = decoded;
  if (envelope.fanout !== context.fanoutId) {
    return { kind: 'refused', cause: `it belongs to fanout ${JSON.stringify(envelope.fanout)}` };
  }
  const run = await context.store.get<RunItem>(ITEM_KEYS.run(context.fanoutId, envelope.run));
  if (run === undefined) {
    return { kind: 'refused', cause: `the ledger has no run ${JSON.stringify(envelope.run)}: its retention is over` };
  }
  const refusal = envelope.deathId === undefined ? undefined : await markRedriven(context, envelope, envelope.deathId);
  if (refusal !== undefined) {
    return refusal;
  }
  await send(context, envelope, run);
  return { kind: 'sent' };
}

async function markRedriven(
  { store, clock, fanoutId, ledgerRetention }: RedriveContext,
  envelope: Envelope | DeadEnvelope,
  deathId: string,
): Promise<RedriveResult | undefined> {
  const diedAt = 'death' in envelope ? Date.parse(envelope.death.diedAt) : NaN;
  if (Number.isNaN(diedAt)) {
    return { kind: 'refused', cause: 'it names its death without the time' };
  }
  const key = ITEM_KEYS.dead(fanoutId, diedAt, deathId);
  const expiresAt = Math.ceil(clock.now() / 1000) + ledgerRetention;
  // Noted first: marked, and not noted, its record would look free to a scan.
  await noteRedrive({ store, fanoutId }, envelope, { deathId, diedAt, expiresAt });
  const marked = await store.update(
    key,
    {
      set: [
        [['state'], 'redriven'],
        [['expiresAt'], expiresAt],
      ],
    },
    when.any(when.compare('state', '=', 'dead'), when.compare('state', '=', 'redriven')),
  );
  if (marked.applied) {
    return undefined;
  }
  const stored = await store.get<DeadItem>(key);
  return stored === undefined
    ? { kind: 'refused', cause: `the ledger has no death ${JSON.stringify(deathId)}: its retention is over` }
    : { kind: 'over', state: stored.state };
}

async function send(
  { queue, randomness }: RedriveContext,
  envelope: Envelope | DeadEnvelope,
  { lanes, trace }: RunItem,
): Promise<void> {
  // A fresh one: SQS still knows that of a redrive less than five minutes ago, and would drop this one without a word.
  const deduplicationId = createHash('sha256').update(`redrive\u0000${randomness.token()}`).digest('base64url');
  const { xray } = traceContext({ traceparent: envelope.traceparent, xray: trace?.xray });
  const answer = await queue.sendBatch([
    {
      id: '0',
      body: encodeEnvelope(envelope),
      groupId: lanes === 'single' ? SINGLE_GROUP_ID : groupId(envelope.job, envelope.group),
      deduplicationId,
      ...(xray !== undefined && { traceHeader: xray }),
    },
  ]);
  if (!answer.accepted.includes('0')) {
    const [failed] = answer.failed;
    throw new Error(`the work queue refused a record: ${failed?.code ?? 'no reply'} ${failed?.message ?? ''}`);
  }
}
