import type { Claim, DeadItem, Death, Dying } from '../contract';
import { ITEM_KEYS, traceContext } from '../contract';
import { deathId, keyHash } from '../ledger/identity';
import { when } from '../ports';
import { deadMessageBody } from './dead-message';
import type { ConsumerOptions } from './options';
import { pageOf } from './received-message';
import type { Thrown } from './thrown';
import { cutUtf8, readClaimError } from './thrown';
import type { Subject } from './subject';

/** Bytes of error text that a DEAD item keeps, and of the stack. */
const DEAD_ERROR_BYTES = 1_024;
const DEAD_STACK_BYTES = 2_048;

/** The death of a record. Its identity depends on the record's place and its previous death alone. */
export function dyingOf({ message }: Subject, cause: string, at: number): Dying {
  const { envelope } = message.content;
  return { at, cause, deathId: deathId(pageOf(envelope), envelope.ordinal, envelope.deathId) };
}

/**
 * Carries out a death that is written down in the claim: the DEAD item, then the message in the dead-letter queue. Each is safe to repeat, so
 * whoever receives a dying record goes on here. Afterwards the record is settled.
 *
 * @param thrown the last error where it is at hand; otherwise what the claim kept of it is used
 * @throws when table or queue cannot be reached; the record stays dying
 */
export async function carryOutDeath(
  options: ConsumerOptions,
  subject: Subject,
  claim: Claim,
  dying: Dying,
  thrown: Thrown = readClaimError(claim.e ?? dying.cause),
): Promise<void> {
  await options.store.put({ ...deadItem(options, subject, claim, dying, thrown) }, when.newItem);
  const { envelope } = subject.message.content;
  const answer = await options.deadLetterQueue.sendBatch([
    {
      id: '0',
      body: deadMessageBody(envelope, dying.deathId, deathOf(subject, claim, dying, thrown)),
      // A group of its own: messages of a FIFO queue that share a group can't be listed while one of them is looked at.
      groupId: dying.deathId,
      deduplicationId: dying.deathId,
      ...traceHeaderOf(subject),
    },
  ]);
  if (!answer.accepted.includes('0')) {
    const [failed] = answer.failed;
    throw new Error(`the dead-letter queue refused a record: ${failed?.code ?? 'no reply'} ${failed?.message ?? ''}`);
  }
}

/** A redrive by the console of SQS takes the message as it is. */
function traceHeaderOf({ message: { content, traceHeader } }: Subject): { readonly traceHeader?: string } {
  const { xray } = traceContext({ traceparent: content.envelope.traceparent, xray: traceHeader });
  return xray === undefined ? {} : { traceHeader: xray };
}

function deathOf({ message }: Subject, claim: Claim, dying: Dying, thrown: Thrown): Death {
  return {
    cause: dying.cause,
    attempts: claim.a,
    errorName: thrown.name,
    errorMessage: thrown.message,
    ...(thrown.stack === undefined ? {} : { errorStack: thrown.stack }),
    firstReceivedAt: new Date(message.firstReceivedAt).toISOString(),
    diedAt: new Date(dying.at).toISOString(),
  };
}

function deadItem(
  { fanoutId, configuration }: ConsumerOptions,
  { message }: Subject,
  claim: Claim,
  dying: Dying,
  thrown: Thrown,
): DeadItem {
  const { run, job, segment, page, ordinal, key, group } = message.content.envelope;
  return {
    ...ITEM_KEYS.dead(fanoutId, dying.at, dying.deathId),
    deathId: dying.deathId,
    runId: run,
    jobType: job,
    segment,
    page,
    ordinal,
    key,
    hash: keyHash(job, key),
    group,
    cause: dying.cause,
    errorName: cutUtf8(thrown.name, DEAD_ERROR_BYTES),
    errorMessage: cutUtf8(thrown.message, DEAD_ERROR_BYTES),
    ...(thrown.stack === undefined ? {} : { errorStack: cutUtf8(thrown.stack, DEAD_STACK_BYTES) }),
    attempts: claim.a,
    firstReceivedAt: message.firstReceivedAt,
    diedAt: dying.at,
    state: 'dead',
    expiresAt: Math.ceil(dying.at / 1000) + configuration.ledgerRetention,
  };
}
