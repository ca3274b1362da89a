import { BookingJobsService } from '../../examples/bookings/before/booking-jobs-service';
import type { BookingServices, LockTable } from '../../examples/bookings/before/ports';
import type { TickEvent } from '../../lambda/contract';
import { when } from '../../lambda/ports';
import { MemoryStateStore } from '../../lambda/simulation/memory-state-store';
import { SeededRandomness } from '../../lambda/simulation/seeded-randomness';
import { EngineMessageQueue, SqsEngine } from '../../lambda/simulation/sqs';
import type { Queue, SqsEvent } from '../../lambda/simulation/sqs';
import { settled, VirtualClock } from '../../lambda/simulation/virtual-clock';
import { ConsumerFunction } from '../../lambda/simulation/world/consumer-function';
import { FaultPlan } from '../../lambda/simulation/world/faults';
import { FaultyCalls } from '../../lambda/simulation/world/faulty-calls';
import { FaultyQueue } from '../../lambda/simulation/world/faulty-queue';
import { Instance } from '../../lambda/simulation/world/instance';
import { ScannerFunction } from '../../lambda/simulation/world/scanner-function';
import { takeStep } from '../../lambda/simulation/world/step';
import { StepScheduler } from '../../lambda/simulation/world/step-scheduler';
import { Trace } from '../../lambda/simulation/world/trace';
import { Bookings } from './bookings-table';
import type { Case } from './case';
import { INTERVAL_MS, START, TICKS } from './case';
import type { CaseResult } from './contender';
import { MailServer } from './mail-server';
import { POLICIES } from './policies';
import { Tally } from './tally';

/** Milliseconds after which a case is over whatever is left of it. */
const MAX_MS = 24 * 3_600_000;
/** Milliseconds after which a message is delivered once more, at most. */
const LATE_DELIVERY_MS = 40_000;
/** What the pauses of a process are measured by. */
const LEASE_MS = 60_000;
const RECEIVES = POLICIES.attempts;

/** Runs the version that is written by hand: the same engine, clock, faults and functions as a world of the simulation, with its service in place of scanner and consumer. */
export class HandWrittenWorld {
  private readonly clock = new VirtualClock(START);
  private readonly steps = new StepScheduler();
  private readonly trace = new Trace();
  private readonly locks = new MemoryStateStore();
  private readonly plan: FaultPlan;
  private readonly calls: FaultyCalls;
  private readonly queue: Queue;
  private readonly bookings: Bookings;
  private readonly tally: Tally;
  private readonly mails: MailServer;
  private readonly scanner: ScannerFunction;
  private readonly consumer: ConsumerFunction;
  private instances = 0;
  private ticksToCome = TICKS;

  constructor(
    private readonly demo: Case,
    private readonly looksTwice: boolean,
  ) {
    const { clock, steps, trace } = this;
    const { seed, kind, faultPlaces, bookings } = demo;
    this.plan = new FaultPlan({ seed, rates: kind.rates, places: faultPlaces });
    const engine = new SqsEngine({
      clock,
      randomness: new SeededRandomness(seed),
      onEvent: (event) => {
        this.queueChanged(event);
      },
    });
    const dead = engine.createQueue('bookings-dead.fifo', { FifoQueue: 'true' });
    this.queue = engine.createQueue('bookings.fifo', {
      FifoQueue: 'true',
      // As Lambda asks for it.
      VisibilityTimeout: String(6 * POLICIES.timeout),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: RECEIVES }),
    });
    this.bookings = new Bookings(bookings);
    this.tally = new Tally(this.bookings);
    this.mails = new MailServer(seed, kind.slowMails, this.tally);
    this.calls = new FaultyCalls({
      clock,
      steps,
      plan: this.plan,
      trace,
      seed,
      leaseMs: LEASE_MS,
      redeliver: (fraction) => {
        clock.setTimer(Math.max(0, this.plan.shape(1) * 2 - 1) * LATE_DELIVERY_MS, () => {
          this.redeliver(fraction);
        });
      },
      onCall: () => undefined,
      onFault: () => undefined,
    });
    this.scanner = new ScannerFunction({
      clock,
      plan: this.plan,
      trace,
      timeoutMs: POLICIES.scannerTimeout * 1000,
      create: () => this.createScanner(),
      onAnswer: () => undefined,
    });
    this.consumer = new ConsumerFunction({
      clock,
      plan: this.plan,
      trace,
      queue: this.queue,
      timeoutSeconds: POLICIES.timeout,
      freezes: false,
      create: () => this.createConsumer(),
    });
  }

  /** Runs the case to its end. */
  async run(): Promise<CaseResult> {
    this.consumer.deploy({ concurrency: POLICIES.concurrency, batchSize: POLICIES.batchSize });
    for (let tick = 0; tick < TICKS; tick++) {
      const scheduledTime = new Date(START + tick * INTERVAL_MS).toISOString();
      this.clock.setTimer(tick * INTERVAL_MS, () => {
        this.ticksToCome -= 1;
        this.tally.nextTick(this.clock.now());
        this.scanner.invoke({ kind: 'tick', scheduledTime, scheduleArn: 'arn', attempt: '1' });
      });
    }
    while (await this.next());
    return { incidents: this.tally.incidents(), trace: this.trace.text(START, Infinity) };
  }

  private async next(): Promise<boolean> {
    await settled();
    const { clock, steps, demo } = this;
    if (steps.size > 0) {
      takeStep(steps, clock, demo.seed);
      return true;
    }
    return !this.isAtRest() && clock.now() - START < MAX_MS && clock.fireNext();
  }

  private isAtRest(): boolean {
    const { visible, delayed, inFlight } = this.queue.counts();
    return this.ticksToCome === 0 && this.scanner.isIdle && this.consumer.isIdle && visible + delayed + inFlight === 0;
  }

  private createScanner(): ReturnType<ConstructorParameters<typeof ScannerFunction>[0]['create']> {
    const instance = this.newInstance('scan');
    const service = this.serviceIn(instance);
    return {
      instance,
      handle: async (event) => {
        const { scheduledTime } = event as TickEvent;
        return { outcome: await service.tick(scheduledTime, instance.randomness.token()) };
      },
    };
  }

  private createConsumer(): ReturnType<ConstructorParameters<typeof ConsumerFunction>[0]['create']> {
    const instance = this.newInstance('work');
    const service = this.serviceIn(instance);
    return { instance, handle: (event) => service.handle(event) };
  }

  private serviceIn(instance: Instance): BookingJobsService {
    const { calls, plan, trace, clock } = this;
    const queue = new FaultyQueue({
      name: 'the queue',
      inner: new EngineMessageQueue(this.queue),
      calls,
      plan,
      instance,
      refuses: () => false,
      onSending: () => undefined,
    });
    const services: BookingServices = {
      bookings: this.bookings.reachedBy(instance, calls),
      locks: this.locksReachedBy(instance),
      queue,
      mailer: {
        send: (booking, text) => {
          trace.add(clock.now(), instance.name, `mails ${booking.bookingId}`);
          return this.mails.send(booking, text, instance);
        },
      },
      now: () => instance.clock.now(),
      log: (message) => {
        trace.add(clock.now(), instance.name, message);
      },
    };
    return new BookingJobsService(services, this.looksTwice);
  }

  private locksReachedBy(instance: Instance): LockTable {
    const { calls, locks } = this;
    return {
      putIfFree: ({ name, owner, expiresAt }, now) =>
        calls.make(instance, 'call', 'put the lock', () =>
          locks.put(
            { pk: name, sk: 'LOCK', owner, expiresAt } as never,
            when.any(when.newItem, when.compare('expiresAt', '<', now)),
          ),
        ),
      deleteIfOwned: async (name, owner) => {
        await calls.make(instance, 'call', 'delete the lock', () =>
          locks.delete({ pk: name, sk: 'LOCK' }, when.compare('owner', '=', owner)),
        );
      },
    };
  }

  private newInstance(role: string): Instance {
    this.instances += 1;
    const seed = Math.imul(this.demo.seed, 1_000_003) + this.instances;
    return new Instance({ name: `${role}-${this.instances}`, clock: this.clock, skewMs: 0, seed });
  }

  private queueChanged(event: SqsEvent): void {
    if (event.type === 'deadLettered') {
      const { booking } = JSON.parse(event.message.body) as { booking: { bookingId: string } };
      this.tally.buried(booking.bookingId);
      this.trace.add(this.clock.now(), 'sqs', `moves ${booking.bookingId} to the dead-letter queue`);
    }
  }

  private redeliver(fraction: number): void {
    const inFlight = this.queue.list().filter(({ state }) => state === 'inFlight');
    const chosen = inFlight[Math.floor(fraction * inFlight.length)];
    if (chosen !== undefined) {
      this.queue.hideUntil(chosen, this.clock.now());
    }
  }
}
