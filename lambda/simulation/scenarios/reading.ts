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
  withDuplicates,
  QUICK_BEHAVIOURS,
  SKEW_MS,
} from './scenario';

/** A source that is read in several segments. */
export const segments: Scenario = {
  name: 'segments',
  about:
    'a source in several segments, each with its own cursor; scanners that hand over, crash and stand still between them; sources that hang',
  draw: (seed) => {
    const draw = drawOf(seed, 'segments');
    const records = drawRecords(draw, drawCount(draw, 120), 'r', QUICK_BEHAVIOURS);
    const configuration = drawConfiguration(draw, { overlap: draw.pick(['skip', 'queueOne', 'cancelRunning']) });
    const job = drawJob(draw, withDuplicates(draw, records), { changes: draw.pick([0, 0, 0.1]) });
    const fanout = drawFanout(draw, [job], {
      configuration: { ...configuration, defaults: { ...configuration.defaults, segments: draw.int(2, 6) } },
      ticks: drawTicks(draw, draw.int(1, 3), 1),
      scannerTimeout: draw.pick([15, 60, 900]),
      watchdog: 60,
    });
    return drawWorld(seed, [fanout], {
      faults: {
        sourceError: draw.pick([0, 0.05]),
        sourceHang: draw.pick([0.005, 0.03]),
        sourceSlow: 0.03,
        crash: 0.01,
        pause: 0.008,
        replyLost: 0.01,
        late: 0.005,
        duplicateInvocation: 0.2,
        lostInvocation: 0.1,
      },
      faultPlaces: draw.int(50, 1000),
      skewMs: SKEW_MS,
    });
  },
};

/** Records that are there, gone, and there again, while a page is read again and again. */
export const flicker: Scenario = {
  name: 'flicker',
  about:
    'a few records that come and go with every read, while scanners end in the midst of the page, or give up and are resumed',
  draw: (seed) => {
    const draw = drawOf(seed, 'flicker');
    const records = drawRecords(draw, draw.int(2, 8), 'r', ['succeed', 'fail']);
    const changes = draw.pick([0, 0.3, 0.7]);
    const configuration = drawConfiguration(draw, { pageSize: draw.int(1, 5) });
    const ticks = drawTicks(draw, draw.int(1, 2), 10);
    const fanout = drawFanout(draw, [drawJob(draw, records, { changes, chunk: draw.pick([1, 2]), handlerMs: 0 })], {
      configuration,
      ticks,
      watchdog: 20,
      scannerTimeout: draw.pick([15, 900]),
      // Nothing is claimed meanwhile, so what does not come again is withdrawn.
      outages: draw.chance(0.7) ? [{ at: 0, until: draw.int(120_000, 400_000) }] : [],
      resumes: draw.list(draw.int(0, 4), () => ({
        at: draw.int(20_000, 500_000),
        runId: draw.pick(ticks).scheduledTime,
      })),
    });
    return drawWorld(seed, [fanout], {
      faults: { crash: draw.number(0.02, 0.1), sourceError: draw.pick([0, 0.2, 0.5]), replyLost: 0.01, late: 0.01 },
      faultPlaces: draw.int(60, 400),
      skewMs: SKEW_MS,
    });
  },
};

/** Records that grow too old before they are started. */
export const stale: Scenario = {
  name: 'stale',
  about: 'records that expire while they wait: behind others, for a retry, or for a consumer that is away',
  draw: (seed) => {
    const draw = drawOf(seed, 'stale');
    const records = drawRecords(draw, drawCount(draw, 50), 'r', [...QUICK_BEHAVIOURS, 'later']);
    const configuration = drawConfiguration(draw, { lanes: draw.pick(['group', 'group', 'single']) });
    const at = draw.int(0, 20_000);
    const fanout = drawFanout(draw, [drawJob(draw, records)], {
      configuration: {
        ...configuration,
        defaults: { ...configuration.defaults, expiresAfter: draw.pick([5, 20, 90]) },
      },
      outages: draw.chance(0.5) ? [{ at, until: at + draw.int(10_000, 200_000) }] : [],
    });
    return drawWorld(seed, [fanout], {
      faults: {
        crash: 0.01,
        handlerCrash: 0.02,
        handlerSlow: 0.05,
        replyLost: 0.01,
        redelivery: 0.01,
        throttledInvocation: 0.05,
      },
      faultPlaces: draw.int(50, 600),
      skewMs: SKEW_MS,
    });
  },
};
