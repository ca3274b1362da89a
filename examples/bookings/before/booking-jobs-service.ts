import type { Booking, Task } from '../booking';
import type { BookingServices, QueueEntry } from './ports';

/** Messages of one `SendMessageBatch`. */
const BATCH = 10;
/** Times that entries are sent which the queue refuses. */
const SEND_TRIES = 3;
const LOCK = 'booking-jobs';
/** Longer than any scan takes, so that no second one begins beside it. */
const LOCK_MS = 15 * 60_000;

/** What is to be done, by job type. */
const TASKS = { 'booking.reminder': 'reminder', 'booking.feedback': 'feedback' } as const satisfies Record<
  string,
  Task
>;

type JobType = keyof typeof TASKS;

/** The body of a message. */
interface JobMessage {
  readonly jobType: JobType;
  readonly booking: Booking;
}

/** What the consumer is handed by Lambda. */
export interface JobEvent {
  readonly Records: readonly { readonly messageId: string; readonly body: string }[];
}

/** What the consumer answers: the messages that must come back (`ReportBatchItemFailures`). */
export interface JobAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * Reminders and feedback requests for bookings, written by hand: a schedule calls `tick`, which takes a lock, finds what is due and puts one message for each booking on a FIFO queue; the queue calls `handle`, which calls
 * the method of the job.
 */
export class BookingJobsService {
  private readonly methods: Readonly<Record<JobType, (booking: Booking) => Promise<void>>> = {
    'booking.reminder': (booking) => this.remind(booking),
    'booking.feedback': (booking) => this.askForFeedback(booking),
  };

  /** @param looksTwice whether a booking is read again before its method is called */
  constructor(
    private readonly services: BookingServices,
    private readonly looksTwice = false,
  ) {}

  /**
   * Enqueues what is due.
   *
   * @param scheduledTime of the tick
   * @param owner this invocation
   */
  async tick(scheduledTime: string, owner: string): Promise<'scanned' | 'locked'> {
    const { locks, now, log } = this.services;
    const time = now();
    if (!(await locks.putIfFree({ name: LOCK, owner, expiresAt: time + LOCK_MS }, time))) {
      log('another scan is on');
      return 'locked';
    }
    try {
      for (const jobType of Object.keys(TASKS) as JobType[]) {
        await this.enqueueDue(jobType, scheduledTime);
      }
    } finally {
      await locks.deleteIfOwned(LOCK, owner);
    }
    return 'scanned';
  }

  /** Calls the method of every job of a batch. */
  async handle({ Records }: JobEvent): Promise<JobAnswer> {
    const batchItemFailures: { itemIdentifier: string }[] = [];
    for (const { messageId, body } of Records) {
      try {
        await this.dispatch(JSON.parse(body) as JobMessage);
      } catch (error) {
        this.services.log(`job failed: ${String(error)}`);
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    return { batchItemFailures };
  }

  private async dispatch({ jobType, booking }: JobMessage): Promise<void> {
    if (this.looksTwice && !(await this.services.bookings.isOpen(booking.bookingId, TASKS[jobType]))) {
      return;
    }
    await this.methods[jobType](booking);
  }

  private async remind(booking: Booking): Promise<void> {
    await this.mail(booking, `Your journey to ${booking.destination} starts at ${booking.departsAt}.`);
  }

  private async askForFeedback(booking: Booking): Promise<void> {
    await this.mail(booking, `How was your journey to ${booking.destination}?`);
  }

  private async mail(booking: Booking, text: string): Promise<void> {
    await this.services.mailer.send(booking, text);
    await this.services.bookings.markDone(booking.bookingId);
  }

  private async enqueueDue(jobType: JobType, scheduledTime: string): Promise<void> {
    const { bookings, now } = this.services;
    let from: string | undefined;
    do {
      const page = await bookings.due(TASKS[jobType], now(), from);
      for (let start = 0; start < page.bookings.length; start += BATCH) {
        await this.enqueue(jobType, scheduledTime, page.bookings.slice(start, start + BATCH));
      }
      from = page.next;
    } while (from !== undefined);
  }

  private async enqueue(jobType: JobType, scheduledTime: string, bookings: readonly Booking[]): Promise<void> {
    let entries = bookings.map((booking, place): QueueEntry => ({
      id: String(place),
      body: JSON.stringify({ jobType, booking } satisfies JobMessage),
      groupId: booking.organisation,
      // The same in every delivery of a tick, another in the next tick.
      deduplicationId: `${jobType}-${booking.bookingId}-${Date.parse(scheduledTime)}`,
    }));
    for (let tries = 1; entries.length > 0; tries++) {
      if (tries > SEND_TRIES) {
        throw new Error(`the queue refuses ${entries.length} messages`);
      }
      const { failed } = await this.services.queue.sendBatch(entries);
      const ids = new Set(failed.map(({ id }) => id));
      entries = entries.filter(({ id }) => ids.has(id));
    }
  }
}
