import type { Behaviour } from '../world/spec';
import type { FaultRates } from '../world/faults';
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
  scaled,
  HANDLER_BEHAVIOURS,
  QUICK_BEHAVIOURS,
  SKEW_MS,
} from './scenario';

const NETWORK: FaultRates = {
  error: 0.012,
  throttle: 0.008,
  replyLost: 0.012,
  late: 0.008,
  slow: 0.01,
  partial: 0.05,
  unlisted: 0.05,
  lostAnswer: 0.03,
  throttledInvocation: 0.03,
  away: 0.006,
};

/** Processes that end at any call. */
export const crashes: Scenario = {
  name: 'crashes',
  about: 'scanners and consumers end at any call; calls that are under way may still land',
  draw: (seed) => {
    const draw = drawOf(seed, 'crashes');
    const records = drawRecords(draw, drawCount(draw, 120), 'r', QUICK_BEHAVIOURS);
    return drawWorld(seed, [drawFanout(draw, [drawJob(draw, withDuplicates(draw, records))])], {
      faults: { crash: draw.number(0.005, 0.05), handlerCrash: 0.02, handlerSlow: 0.02, lostInvocation: 0.1 },
      faultPlaces: draw.int(50, 1500),
      skewMs: SKEW_MS,
    });
  },
};

/** Processes that stand still and go on. */
export const zombies: Scenario = {
  name: 'zombies',
  about: 'processes that stand still beyond their leases and go on; skewed clocks; repeated deliveries',
  draw: (seed) => {
    const draw = drawOf(seed, 'zombies');
    const records = drawRecords(draw, drawCount(draw, 80), 'r', QUICK_BEHAVIOURS);
    const ticks = drawTicks(draw, draw.int(2, 4), 1);
    return drawWorld(seed, [drawFanout(draw, [drawJob(draw, records)], { ticks, watchdog: 60 })], {
      faults: {
        pause: draw.number(0.005, 0.04),
        slow: 0.02,
        redelivery: 0.02,
        handlerHang: 0.01,
        duplicateInvocation: 0.3,
      },
      faultPlaces: draw.int(50, 1500),
      skewMs: SKEW_MS,
      freezes: draw.chance(0.5),
    });
  },
};

/** Calls that fail, before or after their effect. */
export const network: Scenario = {
  name: 'network',
  about: 'lost replies, errors, throttles, late effects, batches that are accepted in part',
  draw: (seed) => {
    const draw = drawOf(seed, 'network');
    const records = drawRecords(draw, drawCount(draw, 120), 'r', QUICK_BEHAVIOURS);
    return drawWorld(seed, [drawFanout(draw, [drawJob(draw, withDuplicates(draw, records))])], {
      faults: scaled(NETWORK, draw.number(0.3, 3)),
      faultPlaces: draw.int(50, 2000),
    });
  },
};

/** Everything at once. */
export const chaos: Scenario = {
  name: 'chaos',
  about: 'everything at once',
  draw: (seed) => {
    const draw = drawOf(seed, 'chaos');
    const records = drawRecords(draw, drawCount(draw, 60), 'r', HANDLER_BEHAVIOURS);
    const fanout = drawFanout(
      draw,
      [drawJob(draw, withDuplicates(draw, records), { changes: draw.chance(0.5) ? 0.1 : 0 })],
      {
        ticks: drawTicks(draw, draw.int(1, 4), 1),
        scannerTimeout: draw.pick([15, 60, 900]),
        watchdog: 60,
      },
    );
    const faults: FaultRates = {
      ...NETWORK,
      crash: 0.01,
      pause: 0.01,
      redelivery: 0.01,
      duplicateInvocation: 0.3,
      lostInvocation: 0.2,
      handlerError: 0.02,
      handlerSlow: 0.02,
      handlerHang: 0.005,
      handlerCrash: 0.005,
      handlerOddError: 0.01,
      sourceError: 0.02,
      sourceSlow: 0.02,
      sourceHang: 0.002,
    };
    return drawWorld(seed, [fanout], {
      faults: scaled(faults, draw.number(0.2, 2)),
      faultPlaces: draw.int(50, 1500),
      skewMs: SKEW_MS,
      freezes: draw.chance(0.5),
    });
  },
};

/** Scanners that take runs over from one another, again and again. */
export const takeovers: Scenario = {
  name: 'takeovers',
  about: 'scanners that crash, stand still and come late at every step of small pages, and take over from one another',
  draw: (seed) => {
    const draw = drawOf(seed, 'takeovers');
    const records = drawRecords(draw, draw.int(2, 12), 'r', ['later', 'later', 'fail', 'refuse', 'succeed']);
    const job = drawJob(draw, records, { changes: draw.pick([0, 0.1, 0.4]), chunk: 1, handlerMs: 0 });
    const configuration = drawConfiguration(draw, {
      pageSize: draw.int(1, 4),
      overlap: draw.pick(['skip', 'skip', 'queueOne', 'cancelRunning']),
    });
    const fanout = drawFanout(draw, [job], {
      configuration,
      ticks: drawTicks(draw, draw.int(1, 3), 1),
      watchdog: draw.pick([20, 45]),
      outages: draw.chance(0.4) ? [{ at: 0, until: draw.int(60_000, 240_000) }] : [],
    });
    return drawWorld(seed, [fanout], {
      faults: {
        pause: draw.number(0.02, 0.12),
        late: draw.number(0, 0.08),
        crash: draw.number(0, 0.04),
        slow: 0.03,
        replyLost: 0.02,
        duplicateInvocation: 0.2,
      },
      faultPlaces: draw.int(40, 300),
      skewMs: SKEW_MS,
    });
  },
};

/** Handlers that run to the end of their claims. */
export const leases: Scenario = {
  name: 'leases',
  about:
    'handlers that take as long as their claims, while their messages are delivered once more; environments that freeze',
  draw: (seed) => {
    const draw = drawOf(seed, 'leases');
    const behaviours: readonly Behaviour[] = [
      'linger',
      'linger',
      'overrun',
      'overrun',
      'ignore',
      'slow',
      'refuse',
      'fail',
      'succeed',
    ];
    const records = drawRecords(draw, draw.int(1, 10), 'r', behaviours);
    const fanout = drawFanout(draw, [drawJob(draw, records)], { concurrency: 4 });
    return drawWorld(seed, [fanout], {
      faults: {
        redelivery: draw.number(0.05, 0.3),
        slow: draw.number(0, 0.06),
        pause: 0.01,
        away: 0.01,
        late: 0.03,
        lostAnswer: 0.05,
      },
      faultPlaces: draw.int(40, 300),
      skewMs: SKEW_MS,
      freezes: draw.chance(0.5),
    });
  },
};
