import type { Booking } from '../../examples/bookings/booking';
import { sendMail } from '../../examples/bookings/mail';
import { sleep } from '../../lambda/ports';
import { fractionAt } from '../../lambda/simulation/draw';
import type { Instance } from '../../lambda/simulation/world/instance';
import type { Tally } from './tally';

/** Milliseconds that a mail takes: at most, and where the server is slow. */
const QUICK_MS = 400;
const SLOW_MS = { min: 40_000, max: 200_000 };

/** The mail server: the same for every contender. How long the n-th mail of a booking takes depends on the seed alone. */
export class MailServer {
  private readonly mails = new Map<string, number>();

  constructor(
    private readonly seed: number,
    private readonly slowMails: number,
    private readonly tally: Tally,
  ) {}

  /** Sends a mail from an execution environment. */
  async send(booking: Booking, text: string, instance: Instance): Promise<void> {
    const attempt = (this.mails.get(booking.bookingId) ?? 0) + 1;
    this.mails.set(booking.bookingId, attempt);
    const end = this.tally.started(booking, instance);
    try {
      await sleep(instance.clock, this.duration(booking, attempt));
      sendMail(booking, text, { attempt, idempotencyKey: booking.bookingId });
    } finally {
      end();
    }
  }

  private duration({ bookingId }: Booking, attempt: number): number {
    const place = Number(bookingId.slice(1)) * 100 + attempt;
    const fraction = fractionAt(this.seed ^ 0x51ed270b, place);
    return fractionAt(this.seed ^ 0x2c1b3c6d, place) < this.slowMails
      ? SLOW_MS.min + fraction * (SLOW_MS.max - SLOW_MS.min)
      : fraction * QUICK_MS;
  }
}
