import { CronFanoutError } from '../../contract';
import { untilCompleted } from './completion';
import { chaos, crashes, leases, network, takeovers, zombies } from './failures';
import { flicker, segments, stale } from './reading';
import { projections } from './projections';
import { changingSource, deaths, handlers, plain, poison } from './records';
import type { Scenario } from './scenario';
import { deploy, neighbours, outage, overlap, redrives, singleLane, ticks } from './traffic';

/** Every scenario, in the order in which seeds take turns among them. */
export const SCENARIOS: readonly Scenario[] = [
  plain,
  handlers,
  crashes,
  zombies,
  takeovers,
  leases,
  network,
  ticks,
  changingSource,
  projections,
  segments,
  flicker,
  stale,
  singleLane,
  deploy,
  poison,
  neighbours,
  deaths,
  redrives,
  overlap,
  untilCompleted,
  outage,
  chaos,
];

/**
 * The scenario with this name.
 *
 * @throws CronFanoutError `UnknownScenario`
 */
export function scenarioNamed(name: string): Scenario {
  const scenario = SCENARIOS.find((one) => one.name === name);
  if (scenario === undefined) {
    const known = SCENARIOS.map((one) => one.name).join(', ');
    throw new CronFanoutError('UnknownScenario', {
      what: 'scenario of the simulation',
      received: JSON.stringify(name),
      allowed: known,
      change: 'choose one of these',
    });
  }
  return scenario;
}
