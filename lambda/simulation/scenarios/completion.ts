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
  QUICK_BEHAVIOURS,
  SKEW_MS,
} from './scenario';

/** Ticks that come while the records of the run before are not all settled. */
export const untilCompleted: Scenario = {
  name: 'until-completed',
  about: 'runs that are on until their last record is settled, under each overlap policy',
  draw: (seed) => {
    const draw = drawOf(seed, 'until-completed');
    const records = drawRecords(draw, drawCount(draw, 40), 'r', [...QUICK_BEHAVIOURS, 'later']);
    const configuration = drawConfiguration(draw, {
      overlap: draw.pick(['skip', 'queueOne', 'cancelRunning']),
      overlapUntil: 'completed',
    });
    const fanout = drawFanout(draw, [drawJob(draw, records)], {
      ticks: drawTicks(draw, draw.int(2, 6), 1),
      configuration,
      watchdog: draw.pick([30, 60, 300]),
      scannerTimeout: draw.pick([15, 900]),
      outages: draw.chance(0.3) ? [{ at: draw.int(0, 60_000), until: draw.int(60_000, 300_000) }] : [],
    });
    return drawWorld(seed, [fanout], {
      faults: {
        crash: draw.number(0, 0.02),
        pause: 0.005,
        replyLost: 0.01,
        late: 0.004,
        duplicateInvocation: 0.2,
        lostInvocation: 0.1,
      },
      faultPlaces: draw.int(50, 800),
      skewMs: SKEW_MS,
    });
  },
};
