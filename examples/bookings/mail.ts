import { PermanentError } from '../../lambda/job';
import type { Booking } from './booking';

/**
 * Stands for the mail provider of a real system, which would be sent `idempotencyKey` so that a mail that is sent again after a crash goes out once.
 *
 * @throws PermanentError where no attempt will succeed; any other error may be gone at the next attempt
 */
export function sendMail(
  { mailbox }: Booking,
  text: string,
  mail: { attempt: number; idempotencyKey: string },
): string {
  switch (mailbox) {
    case 'reachable':
      break;
    case 'greylisted':
      if (mail.attempt === 1) {
        throw new Error('451 greylisted, please try again later');
      }
      break;
    case 'full':
      throw new Error('452 mailbox full');
    case 'unknown':
      throw new PermanentError('550 no such mailbox');
  }
  return `${mail.idempotencyKey}: ${text}`;
}
