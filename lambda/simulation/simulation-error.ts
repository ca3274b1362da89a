import { CronFanoutError } from '../contract';
import type { Violation } from './invariants/invariant';
import { shown } from './option-checks';
import type { World } from './world/world';

/** Lines of a trace that a message shows; the error holds more. */
const SHOWN_LINES = 60;
const KEPT_LINES = 2000;

/** Something that must always hold did not hold in a simulation: a defect of the runtime, or a job that breaks its contract. */
export class SimulationError extends CronFanoutError {
  /** What did not hold: a line of docs/guarantees.md. */
  readonly invariant: string;
  /** The seed that shows it. */
  readonly seed: number;
  /** What happened, line by line. */
  readonly trace: string;
  /** The call that shows it again. */
  readonly replay: string;

  /** @param options those of the call, for the replay */
  constructor({ invariant, what }: Violation, world: World, options: object) {
    super('InvariantBroken', {
      what: `"${invariant}", seed ${world.spec.seed}`,
      received: what,
      allowed: 'what docs/guarantees.md promises, whatever goes wrong',
      change:
        'see that key and group of the job depend on the record alone, and that the same cursor leads to the same place; if they do, report this as a defect of cron-fanout',
    });
    this.name = 'SimulationError';
    this.invariant = invariant;
    this.seed = world.spec.seed;
    this.trace = world.trace.text(world.startedAt, KEPT_LINES).join('\n');
    this.replay = replayOf(options, world.spec.seed);
    const lines = world.trace.text(world.startedAt, SHOWN_LINES).join('\n');
    this.message = `${this.message}\n${lines}\nreplay: ${this.replay}`;
  }
}

/** The options as they can be written down: those that are plain data. */
function replayOf(options: object, seed: number): string {
  const plain = Object.entries({ ...options, seed }).map(([name, value]) =>
    ['records', 'setup', 'secrets'].includes(name) ? `${name}: ...` : `${name}: ${shown(value)}`,
  );
  return `simulateFanout(job, { ${plain.join(', ')} })`;
}
