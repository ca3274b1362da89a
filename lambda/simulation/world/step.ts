import { fractionAt } from '../draw';
import type { VirtualClock } from '../virtual-clock';
import type { StepScheduler } from './step-scheduler';

/** Most milliseconds between two steps. */
const STEP_MS = 8;

/** Lets one call through that waits for its turn, or fires a timer that is due before it; the seed chooses which, and how much time goes by. */
export function takeStep(steps: StepScheduler, clock: VirtualClock, seed: number): void {
  const fraction = fractionAt(seed ^ 0x3c6ef372, steps.steps);
  clock.elapse(Math.floor(fractionAt(seed ^ 0x1b873593, steps.steps) * STEP_MS));
  if (!clock.fireNext(clock.now())) {
    steps.release(fraction);
  }
}
