import type { Behaviour, Flaw } from '../world/spec';
import type { Scenario } from './scenario';
import { drawCount, drawFanout, drawJob, drawOf, drawTicks, drawWorld, SKEW_MS } from './scenario';

const FLAWS: readonly Flaw[] = ['key', 'payload', 'large', 'schema', 'refused', 'group'];
const BEHAVIOURS: readonly Behaviour[] = ['succeed', 'succeed', 'fail', 'failOddly', 'refuse', 'later', 'slow'];

/** Records that are queued in part and loaded again. */
export const projections: Scenario = {
  name: 'projections',
  about:
    'a job that queues a part of its records and loads them again: some are gone by then, some cannot be loaded at first, and dead ones are redriven',
  draw: (seed) => {
    const draw = drawOf(seed, 'projections');
    const records = draw.list(drawCount(draw, 60), (n) => ({
      key: `r${n}`,
      group: `g${draw.int(0, 8)}`,
      behaviours: draw.list(draw.int(0, 3), () => draw.pick(BEHAVIOURS)),
      ...(draw.chance(0.1) && { flaw: draw.pick(FLAWS) }),
      ...(draw.chance(0.15) && { obsolete: true as const }),
    }));
    const job = drawJob(draw, records, { isProjected: true, isGrouped: true });
    const fanout = drawFanout(draw, [job], {
      ticks: drawTicks(draw, draw.int(1, 3), 5),
      watchdog: 60,
      redrives: draw.list(draw.int(0, 2), (n) => ({ at: draw.int(120_000, 900_000) + n, native: draw.chance(0.5) })),
    });
    return drawWorld(seed, [fanout], {
      faults: { crash: draw.pick([0, 0.02]), slow: 0.05, replyLost: 0.02, late: 0.01, handlerError: 0.05 },
      faultPlaces: draw.int(50, 600),
      skewMs: SKEW_MS,
    });
  },
};
