import type { MetricName, RunItem, RunTotals } from '../../../lambda/contract';
import { scenarioNamed } from '../../../lambda/simulation/scenarios';
import { runSpec } from '../../../lambda/simulation/seed-run';
import type { WorldSpec } from '../../../lambda/simulation/world/spec';

/** The metric that counts each number of the books. */
const METRIC_OF: Readonly<Record<keyof RunTotals, MetricName>> = {
  eligible: 'Eligible',
  enqueued: 'Enqueued',
  rejected: 'Rejected',
  skipped: 'Skipped',
  duplicate: 'Duplicate',
  succeeded: 'Succeeded',
  dead: 'Dead',
  cancelled: 'Cancelled',
  expired: 'Expired',
  obsolete: 'Obsolete',
  withdrawn: 'Withdrawn',
};
type Books = Record<keyof RunTotals, number>;

/** What the metrics of a world say, and what its ledger says in the end. */
async function books(
  spec: WorldSpec,
): Promise<{ readonly counted: Books; readonly stored: Books; readonly runs: number }> {
  const { result, world } = await runSpec(spec);
  expect(result.violation).toBeUndefined();
  const names = Object.keys(METRIC_OF) as (keyof RunTotals)[];
  const runs = world.memory.items().filter(({ sk }) => sk.startsWith('RUN#')) as RunItem[];
  const of = (value: (name: keyof RunTotals) => number): Books =>
    Object.fromEntries(names.map((name) => [name, value(name)])) as Books;
  return {
    counted: of((name) => world.fanouts.reduce((sum, { metrics }) => sum + metrics.sum(METRIC_OF[name]), 0)),
    stored: of((name) => runs.reduce((sum, { totals }) => sum + (totals?.[name] ?? 0), 0)),
    runs: runs.length,
  };
}

const SEEDS = [1, 2, 3];

describe('metrics of a simulated world', () => {
  describe.each(['plain', 'handlers', 'deaths', 'overlap', 'ticks', 'single-lane'])('%s, without faults', (name) => {
    it.each(SEEDS)('are what the books say at the end of seed %i', async (seed) => {
      const { counted, stored, runs } = await books({ ...scenarioNamed(name).draw(seed), faultPlaces: 0 });
      expect(counted).toEqual(stored);
      expect(runs).toBeGreaterThan(0);
    });
  });

  describe.each(['crashes', 'network', 'zombies', 'takeovers'])('%s', (name) => {
    it.each(SEEDS)(
      'are at most what the books say at the end of seed %i: a crash may take a count along',
      async (seed) => {
        const { counted, stored } = await books(scenarioNamed(name).draw(seed));
        for (const [number, value] of Object.entries(counted)) {
          expect([number, value <= stored[number as keyof RunTotals]]).toEqual([number, true]);
        }
      },
    );
  });
});
