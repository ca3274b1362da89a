import type { Flaw, RecordSpec } from '../world/spec';
import type { Scenario } from './scenario';
import {
  drawCount,
  drawFanout,
  drawJob,
  drawOf,
  drawRecords,
  drawTicks,
  drawWorld,
  tickTime,
  withDuplicates,
  HANDLER_BEHAVIOURS,
  QUICK_BEHAVIOURS,
  SKEW_MS,
} from './scenario';

const FLAWS: readonly Flaw[] = ['key', 'payload', 'large', 'schema', 'refused', 'group'];

/** Nothing goes wrong. */
export const plain: Scenario = {
  name: 'plain',
  about: 'nothing goes wrong, one or two ticks, groups, pages',
  draw: (seed) => {
    const draw = drawOf(seed, 'plain');
    const records = drawRecords(draw, drawCount(draw), 'r');
    return drawWorld(seed, [drawFanout(draw, [drawJob(draw, withDuplicates(draw, records))])]);
  },
};

/** Handlers that fail in every way. */
export const handlers: Scenario = {
  name: 'handlers',
  about: 'handlers that fail, refuse, linger and hang; records that are obsolete',
  draw: (seed) => {
    const draw = drawOf(seed, 'handlers');
    const records = drawRecords(draw, drawCount(draw, 60), 'r', HANDLER_BEHAVIOURS).map((record) =>
      draw.chance(0.1) ? { ...record, obsolete: true as const } : record,
    );
    return drawWorld(seed, [drawFanout(draw, [drawJob(draw, records)])], {
      faults: { handlerError: 0.03, handlerOddError: 0.02, handlerSlow: 0.03, handlerHang: 0.01 },
      faultPlaces: 400,
      skewMs: SKEW_MS,
      freezes: draw.chance(0.5),
    });
  },
};

/** Records and messages that are wrong. */
export const poison: Scenario = {
  name: 'poison',
  about: 'records that cannot be sent or are refused; messages sent by hand',
  draw: (seed) => {
    const draw = drawOf(seed, 'poison');
    const good = drawRecords(draw, drawCount(draw, 50), 'r', QUICK_BEHAVIOURS);
    const records = good.map((record): RecordSpec =>
      draw.chance(0.2) ? { ...record, flaw: draw.pick(FLAWS) } : record,
    );
    const fanout = drawFanout(draw, [drawJob(draw, records, { isGrouped: true })]);
    const bodies = [
      'not JSON',
      '{}',
      '{"v":0}',
      '[]',
      JSON.stringify({ ...foreignEnvelope(), v: 99 }),
      JSON.stringify(foreignEnvelope()),
    ];
    const byHand = draw.list(draw.int(0, 3), () => ({
      at: draw.int(0, 60_000),
      body: draw.pick(bodies),
      groupId: draw.pick(['hand', 'other']),
    }));
    return drawWorld(
      seed,
      [{ ...fanout, poison: byHand, configuration: { ...fanout.configuration, maxReceiveCount: 60 } }],
      {
        faults: { crash: 0.005, partial: 0.05, replyLost: 0.005 },
        faultPlaces: draw.int(50, 500),
      },
    );
  },
};

/** Records that come and go. */
export const changingSource: Scenario = {
  name: 'changing-source',
  about: 'records come and go between reads; the source fails and hangs; scanners crash and stand still',
  draw: (seed) => {
    const draw = drawOf(seed, 'changing-source');
    const records = drawRecords(draw, drawCount(draw, 60), 'r', ['succeed', 'fail']);
    const fanout = drawFanout(
      draw,
      [drawJob(draw, records, { changes: draw.number(0.05, 0.5), chunk: draw.pick([1, 2]) })],
      {
        watchdog: 60,
        scannerTimeout: draw.pick([60, 900]),
      },
    );
    return drawWorld(seed, [fanout], {
      faults: { sourceError: 0.06, sourceSlow: 0.03, crash: 0.02, pause: 0.02, replyLost: 0.01, late: 0.01 },
      faultPlaces: draw.int(50, 1000),
      skewMs: SKEW_MS,
    });
  },
};

function foreignEnvelope(): Readonly<Record<string, string | number>> {
  return {
    v: 1,
    fanout: 'G',
    job: 'job',
    run: tickTime(0, 1),
    segment: 0,
    page: 0,
    ordinal: 0,
    key: 'r0',
    group: 'g0',
    payload: 'x',
  };
}

/** Records that die while the next runs are scanned. */
export const deaths: Scenario = {
  name: 'deaths',
  about: 'records that die while later runs look for what is in flight and in quarantine',
  draw: (seed) => {
    const draw = drawOf(seed, 'deaths');
    const records = draw.list(draw.int(5, 20), (n) => ({
      key: `r${n}`,
      group: `g${n % 7}`,
      behaviours: draw.list(4, () => draw.pick(['fail', 'fail', 'fail', 'refuse', 'later'] as const)),
    }));
    const fanout = drawFanout(draw, [drawJob(draw, records)], { ticks: drawTicks(draw, 4, 1), watchdog: 60 });
    const { configuration } = fanout;
    const defaults = { ...configuration.defaults, deduplication: 'whileInFlight', quarantine: 3600 } as const;
    return drawWorld(seed, [{ ...fanout, configuration: { ...configuration, defaults } }], {
      faults: { slow: 0.15, crash: 0.005 },
      faultPlaces: draw.int(100, 600),
    });
  },
};
