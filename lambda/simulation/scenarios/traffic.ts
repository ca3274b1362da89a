import type { FanoutSpec, Behaviour, DeploySpec, JobSpec } from '../world/spec';
import type { Scenario } from './scenario';
import {
  drawConfiguration,
  drawCount,
  drawFanout,
  drawJob,
  drawOf,
  drawRecords,
  drawTicks,
  drawWorld,
  tickTime,
  QUICK_BEHAVIOURS,
  SKEW_MS,
} from './scenario';

/** Ticks that come twice or late, and scans in several invocations. */
export const ticks: Scenario = {
  name: 'ticks',
  about: 'duplicate, late and overlapping ticks; scans that need continuations, some lost or doubled',
  draw: (seed) => {
    const draw = drawOf(seed, 'ticks');
    const records = drawRecords(draw, drawCount(draw, 100), 'r', QUICK_BEHAVIOURS);
    const count = draw.int(1, 4);
    const repeated = [...drawTicks(draw, count, 1), ...drawTicks(draw, count, 1)].map((tick) =>
      draw.chance(0.5) ? tick : { ...tick, at: tick.at + draw.int(0, 150_000) },
    );
    const fanout = drawFanout(draw, [drawJob(draw, records)], {
      ticks: repeated,
      scannerTimeout: draw.pick([5, 15, 60]),
      watchdog: 60,
    });
    return drawWorld(seed, [fanout], {
      faults: { duplicateInvocation: 0.4, lostInvocation: 0.3, sourceSlow: 0.2, crash: 0.004, slow: 0.02 },
      faultPlaces: draw.int(100, 1000),
      skewMs: SKEW_MS,
    });
  },
};

/** One lane for everything. */
export const singleLane: Scenario = {
  name: 'single-lane',
  about: 'maxConcurrency 1: one lane for everything, which a failing head blocks or does not',
  draw: (seed) => {
    const draw = drawOf(seed, 'single-lane');
    const records = drawRecords(draw, drawCount(draw, 50), 'r', QUICK_BEHAVIOURS);
    const configuration = drawConfiguration(draw, {
      lanes: 'single',
      serialFailure: draw.pick(['block', 'deadLetterAndContinue']),
    });
    return drawWorld(seed, [drawFanout(draw, [drawJob(draw, records)], { configuration })], {
      faults: { crash: 0.005, pause: 0.004, replyLost: 0.005, redelivery: 0.01, partial: 0.05 },
      faultPlaces: draw.int(50, 800),
      skewMs: SKEW_MS,
    });
  },
};

/** A job type that deployments remove. */
const OTHER = 'other';

/** Deployments in the midst of runs. */
export const deploy: Scenario = {
  name: 'deploy',
  about:
    'deployments in the midst of runs, there and back: other numbers, another lane rule, another version of the payload, a job type less',
  draw: (seed) => {
    const draw = drawOf(seed, 'deploy');
    const records = drawRecords(draw, drawCount(draw, 80), 'r', QUICK_BEHAVIOURS);
    const fanout = drawFanout(draw, [drawJob(draw, records)], {
      ticks: drawTicks(draw, draw.int(1, 3), 2),
      watchdog: 120,
    });
    const deployment = (at: number, payloadVersion: number): DeploySpec => ({
      at,
      payloadVersion,
      concurrency: draw.int(2, 8),
      batchSize: draw.pick([1, 5, 10]),
      configuration: {
        ...fanout.configuration,
        pageSize: draw.pick([1, 5, 20]),
        lanes: draw.pick(['group', 'group', 'single'] as const),
      },
    });
    const deploys = draw.list(draw.int(1, 3), () => deployment(draw.int(0, 240_000), draw.pick([1, 2])));
    // In the end the newest code is back: what waits for it goes on.
    const last = deployment(300_000, 2);
    const other = { ...drawJob(draw, drawRecords(draw, draw.int(1, 12), 'o', QUICK_BEHAVIOURS)), jobType: OTHER };
    const all = draw.chance(0.5)
      ? { jobs: fanout.jobs, deploys: [...deploys, last] }
      : {
          jobs: draw.pick([
            [...fanout.jobs, other],
            [other, ...fanout.jobs],
          ]),
          deploys: [
            ...deploys.map((one) => (draw.chance(0.5) ? { ...one, removed: [OTHER] } : one)),
            draw.chance(0.2) ? { ...last, removed: [OTHER] } : last,
          ],
        };
    return drawWorld(seed, [{ ...fanout, ...all }], {
      faults: { crash: 0.01, pause: 0.005, replyLost: 0.01 },
      faultPlaces: draw.int(50, 800),
      skewMs: SKEW_MS,
    });
  },
};

/** Two fanouts in one table. */
export const neighbours: Scenario = {
  name: 'neighbours',
  about: 'two fanouts share a table and all their keys; several jobs in one of them',
  draw: (seed) => {
    const draw = drawOf(seed, 'neighbours');
    const jobs = (prefix: string, count: number): JobSpec[] =>
      draw.list(count, (n) => ({
        ...drawJob(draw, drawRecords(draw, drawCount(draw, 40), `${prefix}${n}-`, QUICK_BEHAVIOURS)),
        jobType: `job${n}`,
      }));
    const fanouts = [
      drawFanout(draw, jobs('a', 1), { fanoutId: 'F' }),
      drawFanout(draw, jobs('b', draw.int(1, 3)), { fanoutId: 'F2' }),
    ];
    const astray = { at: draw.int(1_000, 60_000), body: JSON.stringify(envelopeOfNeighbour()), groupId: 'astray' };
    const [first, second] = fanouts as [FanoutSpec, FanoutSpec];
    const configuration = { ...first.configuration, maxReceiveCount: 60 };
    return drawWorld(seed, [{ ...first, configuration, poison: draw.chance(0.5) ? [astray] : [] }, second], {
      faults: { crash: 0.01, replyLost: 0.01, pause: 0.005, late: 0.005 },
      faultPlaces: draw.int(50, 800),
      skewMs: SKEW_MS,
    });
  },
};

/** Dead records that get another chance. */
export const redrives: Scenario = {
  name: 'redrives',
  about: 'dead records are redriven, natively too, while the run goes on and others follow',
  draw: (seed) => {
    const draw = drawOf(seed, 'redrives');
    const behaviours: readonly Behaviour[] = ['fail', 'refuse', 'refuse', 'later', 'later', 'succeed'];
    const records = drawRecords(draw, drawCount(draw, 30), 'r', behaviours);
    const fanout = drawFanout(draw, [drawJob(draw, records)], {
      redrives: draw.list(draw.int(1, 4), () => ({ at: draw.int(30_000, 900_000), native: draw.chance(0.3) })),
      ticks: drawTicks(draw, draw.int(1, 6), 2),
    });
    return drawWorld(seed, [fanout], {
      faults: { crash: 0.01, replyLost: draw.pick([0.01, 0.06]), redelivery: 0.01, handlerError: 0.1 },
      faultPlaces: draw.int(50, 800),
      skewMs: SKEW_MS,
    });
  },
};

/** Ticks that come while a run is on, under each overlap policy. */
export const overlap: Scenario = {
  name: 'overlap',
  about: 'ticks that come while a run is on: skipped, queued, or taking its place; failed runs that are resumed',
  draw: (seed) => {
    const draw = drawOf(seed, 'overlap');
    const records = drawRecords(draw, drawCount(draw, 60), 'r', QUICK_BEHAVIOURS);
    const ticks = drawTicks(draw, draw.int(2, 5), 1).map((tick) => ({
      ...tick,
      at: Math.floor(tick.at / draw.int(1, 20)),
    }));
    const configuration = drawConfiguration(draw, { overlap: draw.pick(['skip', 'queueOne', 'cancelRunning']) });
    const fanout = drawFanout(draw, [drawJob(draw, records, { chunk: 1 })], {
      ticks,
      configuration,
      watchdog: 60,
      scannerTimeout: draw.pick([15, 60, 900]),
      resumes: draw.list(draw.int(0, 3), () => ({
        at: draw.int(30_000, 900_000),
        runId: draw.pick(ticks).scheduledTime,
      })),
    });
    return drawWorld(seed, [fanout], {
      faults: {
        duplicateInvocation: 0.2,
        sourceSlow: 0.1,
        sourceError: draw.pick([0, 0.3]),
        crash: 0.01,
        pause: 0.005,
        replyLost: 0.01,
      },
      faultPlaces: draw.int(50, 800),
      skewMs: SKEW_MS,
    });
  },
};

/** A consumer that is away until messages are too old. */
export const outage: Scenario = {
  name: 'outage',
  about: 'the consumer is away for longer than messages are kept: what is lost is settled by the sweep',
  draw: (seed) => {
    const draw = drawOf(seed, 'outage');
    const records = drawRecords(draw, drawCount(draw, 25), 'r', QUICK_BEHAVIOURS);
    const fanout = drawFanout(draw, [drawJob(draw, records)], { watchdog: 1800 });
    const at = draw.int(0, 20_000);
    const outages = [{ at, until: at + draw.int(60_000, 900_000) }];
    const configuration = { ...fanout.configuration, queueRetention: draw.pick([200, 600]) };
    return drawWorld(seed, [{ ...fanout, outages, configuration }], {
      faults: { crash: 0.01, replyLost: 0.01, handlerError: 0.05 },
      faultPlaces: draw.int(50, 400),
      skewMs: SKEW_MS,
    });
  },
};

/** A message of the second fanout that somebody puts into the queue of the first. */
function envelopeOfNeighbour(): Readonly<Record<string, string | number>> {
  return {
    v: 1,
    fanout: 'F2',
    job: 'job0',
    run: tickTime(0, 1),
    segment: 0,
    page: 0,
    ordinal: 0,
    key: 'b0-0',
    group: 'g0',
    payload: 'astray',
  };
}
