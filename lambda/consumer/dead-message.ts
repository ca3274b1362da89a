import type { DeadEnvelope, Death, Envelope } from '../contract';
import { SQS } from '../contract';
import { encodeEnvelope } from '../ledger/envelope';
import { cutUtf8, utf8Length } from './thrown';

/** Bytes of error text in a dead message where there is room for them. */
const MESSAGE_BYTES = 2_048;
const STACK_BYTES = 8_192;

/** Smaller and smaller shares of the error texts, tried until the body fits; the last leaves them out. */
const SHARES = [1, 0.25, 0.05, 0] as const;

/**
 * The body of a dead record's message: the envelope, its death, and no more than 1 MiB. The scanner keeps 16 KiB of each message free for it; texts
 * that grow when they are written as JSON are cut further.
 */
export function deadMessageBody(envelope: Envelope, deathId: string, death: Death): string {
  let body = '';
  for (const share of SHARES) {
    const dead: DeadEnvelope = { ...envelope, deathId, death: withCutTexts(death, share) };
    body = encodeEnvelope(dead);
    if (utf8Length(body) <= SQS.messageBytes) {
      break;
    }
  }
  return body;
}

function withCutTexts(death: Death, share: number): Death {
  const { errorStack, ...rest } = death;
  const stack = errorStack === undefined ? '' : cutUtf8(errorStack, STACK_BYTES * share);
  return {
    ...rest,
    errorName: cutUtf8(death.errorName, MESSAGE_BYTES * share),
    errorMessage: cutUtf8(death.errorMessage, MESSAGE_BYTES * share),
    ...(stack === '' ? {} : { errorStack: stack }),
  };
}
