import type { Booking, Task } from '../../examples/bookings/booking';
import type { BookingTable } from '../../examples/bookings/before/ports';
import { CronFanoutError } from '../../lambda/contract';
import { defineJob } from '../../lambda/job';
import type { AnyJob } from '../../lambda/job/job';
import { INVARIANTS } from '../../lambda/simulation/invariants';
import type { InvariantRule } from '../../lambda/simulation/invariants/invariant';
import type { Instance } from '../../lambda/simulation/world/instance';
import type { Observer } from '../../lambda/simulation/world/observation';
import type { FanoutSpec, WorldSpec } from '../../lambda/simulation/world/spec';
import { World } from '../../lambda/simulation/world/world';
import { Bookings } from './bookings-table';
import type { Case } from './case';
import { INTERVAL_MS, START, TICKS } from './case';
import type { CaseResult } from './contender';
import { MailServer } from './mail-server';
import { CONSTRUCT, POLICIES } from './policies';
import { Tally } from './tally';

/** Seconds between two calls of the watchdog, which a construct has whose ticks are rare. */
const WATCHDOG = 300;
const TASKS: readonly Task[] = ['reminder', 'feedback'];

/** Runs the construct: its scanner and its consumer, as they are deployed. */
export async function runConstruct(demo: Case): Promise<CaseResult> {
  const { seed, kind } = demo;
  const bookings = new Bookings(demo.bookings);
  const tally = new Tally(bookings);
  const mails = new MailServer(seed, kind.slowMails, tally);
  const world = new World({
    spec: worldSpec(demo),
    jobs: (_, { calls }) => ({
      create: (instance) =>
        TASKS.map((task) => bookingJob(task, { table: bookings.reachedBy(instance, calls), mails, instance })),
    }),
    invariants: [...INVARIANTS, watching(tally)],
  });
  const { violation } = await world.run();
  if (violation !== undefined) {
    throw new CronFanoutError('InvariantBroken', {
      what: `"${violation.invariant}", seed ${seed} of the demo`,
      received: violation.what,
      allowed: 'what docs/guarantees.md promises, whatever goes wrong',
      change: `this is a defect of cron-fanout: please report it with npm run demo -- --seed ${seed}`,
    });
  }
  return { incidents: tally.incidents(), trace: world.trace.text(START, Infinity) };
}

function worldSpec({ seed, kind, faultPlaces }: Case): WorldSpec {
  const fanout: FanoutSpec = {
    fanoutId: 'bookings',
    jobs: TASKS.map((task) => ({
      jobType: `booking.${task}`,
      records: [],
      chunk: 1,
      isGrouped: true,
      changes: 0,
      handlerMs: 0,
    })),
    configuration: CONSTRUCT.configuration,
    concurrency: POLICIES.concurrency,
    batchSize: POLICIES.batchSize,
    consumerTimeout: POLICIES.timeout,
    scannerTimeout: POLICIES.scannerTimeout,
    ticks: Array.from({ length: TICKS }, (_, tick) => ({
      at: tick * INTERVAL_MS,
      scheduledTime: new Date(START + tick * INTERVAL_MS).toISOString(),
    })),
    watchdog: WATCHDOG,
    deploys: [],
    poison: [],
    redrives: [],
    resumes: [],
    outages: [],
  };
  return { seed, fanouts: [fanout], faults: kind.rates, faultPlaces, skewMs: 0, freezes: false, startsAt: START };
}

/** Tells the tally of ticks and of the dead-letter queue. */
function watching(tally: Tally): InvariantRule {
  return {
    name: 'the tally',
    watch: ({ world: { clock } }) => {
      for (let tick = 1; tick < TICKS; tick++) {
        clock.setTimer(tick * INTERVAL_MS, () => {
          tally.nextTick(clock.now());
        });
      }
      return { observe: telling(tally) };
    },
  };
}
/** Tells the tally what is in the dead-letter queue. */
function telling(tally: Tally): Observer {
  return (observation) => {
    if (observation.type === 'buried' || observation.type === 'backstopped') {
      tally.buried(observation.envelope?.key ?? '');
    }
  };
}

interface JobServices {
  readonly table: BookingTable;
  readonly mails: MailServer;
  readonly instance: Instance;
}

/** The job of a task: what the method of the hand-written service does, and nothing else. */
function bookingJob(task: Task, { table, mails, instance }: JobServices): AnyJob {
  return defineJob<Booking>({
    jobType: `booking.${task}`,
    async *source({ cursor }) {
      let from = cursor as string | undefined;
      do {
        const page = await table.due(task, instance.clock.now(), from);
        from = page.next;
        yield { records: page.bookings, cursor: from ?? null };
      } while (from !== undefined);
    },
    key: ({ bookingId }) => bookingId,
    group: ({ organisation }) => organisation,
    stillEligible: ({ bookingId }) => table.isOpen(bookingId, task),
    handler: async (booking) => {
      const { destination, departsAt } = booking;
      await mails.send(booking, `Your journey to ${destination} at ${departsAt}.`, instance);
      await table.markDone(booking.bookingId);
    },
  }) as unknown as AnyJob;
}
