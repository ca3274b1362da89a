import type { FanoutConfiguration, PageItem } from '../../../lambda/contract';
import { runSpec } from '../../../lambda/simulation/seed-run';
import type { SpecRun } from '../../../lambda/simulation/seed-run';
import { Draw } from '../../../lambda/simulation/draw';
import {
  drawConfiguration,
  drawFanout,
  drawJob,
  drawWorld,
  tickTime,
} from '../../../lambda/simulation/scenarios/scenario';
import type { HandlerCall } from '../../../lambda/simulation/world/observation';

const [FIRST, SECOND] = [tickTime(0, 1), tickTime(1, 1)] as const;
const RECORDS = Array.from({ length: 40 }, (_, place) => ({
  key: `r${place}`,
  group: `g${place % 10}`,
  behaviours: [],
}));

/** A scanner and consumers as they are deployed; the second tick comes `at` milliseconds after the first one. */
function twoTicks(at: number, configuration: Partial<FanoutConfiguration> = {}): Promise<SpecRun> {
  const draw = new Draw(1);
  const drawn = drawConfiguration(draw, { overlap: 'cancelRunning', pageSize: 5, ...configuration });
  const defaults = { ...drawn.defaults, deduplication: 'perRun', quarantine: 0 } as const;
  // A call takes up to two seconds, so that most of what is in the queue waits for its turn.
  const job = drawJob(draw, RECORDS, { isGrouped: true, chunk: 1, handlerMs: 2000 });
  const fanout = drawFanout(draw, [job], {
    configuration: { ...drawn, defaults },
    concurrency: 2,
    batchSize: 5,
    ticks: [
      { at: 0, scheduledTime: FIRST },
      { at, scheduledTime: SECOND },
    ],
  });
  return runSpec(drawWorld(1, [fanout]));
}

/** The run, and the calls of its handlers with the time at which the run was cancelled. */
function lookAt({ world, result }: SpecRun, runId: string) {
  expect(result.violation).toBeUndefined();
  const state = world.ledger.runs.get(`F|${runId}`)!;
  const pages = ([...world.memory.peekAll()] as unknown as PageItem[]).filter(
    ({ pk, sk }) => sk === 'PAGE' && pk.includes(`#${runId}#`),
  );
  const calls = state.places.flatMap((place): readonly HandlerCall[] => place.calls);
  return { run: state.item, pages, calls };
}

describe('a run that a later tick cancels, with the consumers that are deployed', () => {
  it.each([
    ['while it is scanned', 500, {}],
    ['while its records are handled', 6_000, { overlapUntil: 'completed' } as const],
  ])(
    '%s: what nobody has begun is cancelled without a call, and handlers that have started finish',
    async (_, at, more) => {
      const world = await twoTicks(at, more);
      const { run, pages, calls } = lookAt(world, FIRST);
      const { succeeded, cancelled, enqueued } = run.totals!;
      expect(run).toMatchObject({ state: 'cancelled', cause: `tick ${SECOND} took its place` });
      expect(cancelled).toBeGreaterThan(0);
      expect(succeeded).toBeGreaterThan(0);
      expect(succeeded + cancelled).toBe(enqueued);
      expect(calls).toHaveLength(succeeded);
      expect(calls.every(({ result }) => result === 'succeeded')).toBe(true);
      expect(pages.every(({ closed }) => closed)).toBe(true);
      const next = lookAt(world, SECOND);
      expect(next.run).toMatchObject({ state: 'completed', totals: { eligible: 40, succeeded: 40, cancelled: 0 } });
    },
  );

  it('is left to its end where the tick comes between scan and completion, and a run is over once it is scanned', async () => {
    const world = await twoTicks(6_000);
    expect(lookAt(world, FIRST).run).toMatchObject({ state: 'completed', totals: { succeeded: 40, cancelled: 0 } });
    expect(lookAt(world, SECOND).run).toMatchObject({ state: 'completed', totals: { succeeded: 40, cancelled: 0 } });
  });
});
