import { bundleWorker } from './bundle';
import type { Mutant } from './mutants';
import { INTERNAL_ERROR } from '../../lambda/simulation/world/world';
import { SimulationWorker } from './worker-pool';

/** Seconds after which a world of a mutant counts as one that never ends. */
const PATIENCE_SECONDS = 20;

/** What a hunt goes by. */
export interface HuntOptions {
  /** Where bundles are written. */
  readonly folder: string;
  /** Most seeds for one mutant. */
  readonly limit: number;
  /** Mutants that are hunted at once. */
  readonly workers: number;
  /** Ends the hunt at once. */
  readonly signal: AbortSignal;
}

/** What became of a mutant. */
export interface Catch {
  readonly mutant: Mutant;
  /** The invariant that it broke first; absent: it survived. */
  readonly by?: string;
  /** Seeds until then. */
  readonly seeds: number;
  /** Command that shows it. */
  readonly replay?: string;
  /** Why it proves nothing: the source has changed under it, or it breaks what watches. */
  readonly stale?: string;
}

/** Looks for each mutant in worlds of its scenarios, until an invariant catches it. */
export async function hunt(
  mutants: readonly Mutant[],
  options: HuntOptions,
  onCatch: (one: Catch) => void,
): Promise<Catch[]> {
  const catches: Catch[] = [];
  const rest = [...mutants];
  const work = async (): Promise<void> => {
    for (let mutant = rest.shift(); mutant !== undefined; mutant = rest.shift()) {
      const one = await huntOne(mutant, options);
      if (one === 'stopped') {
        return;
      }
      catches.push(one);
      onCatch(one);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, work));
  return mutants.flatMap((mutant) => catches.find((one) => one.mutant === mutant) ?? []);
}

async function huntOne(mutant: Mutant, { folder, limit, signal }: HuntOptions): Promise<Catch | 'stopped'> {
  let bundle: string;
  try {
    bundle = await bundleWorker(folder, mutant);
  } catch (error) {
    return { mutant, seeds: 0, stale: error instanceof Error ? error.message : String(error) };
  }
  const worker = new SimulationWorker(bundle, signal);
  try {
    for (let seed = 1; seed <= limit; seed++) {
      const only = mutant.scenarios[seed % mutant.scenarios.length];
      const outcome = await worker.run({ seed, only, isReported: false }, PATIENCE_SECONDS);
      if (outcome === 'stopped') {
        return outcome;
      }
      const by = 'error' in outcome ? `(${outcome.error.split('\n')[0] ?? ''})` : outcome.answer.broken;
      if (by === INTERNAL_ERROR) {
        return { mutant, seeds: seed, stale: `it only makes the invariants fail themselves, in seed ${seed}` };
      }
      if (by !== undefined) {
        const replay = `npm run simulate -- --seed ${seed} --only ${only ?? ''} --mutant ${mutant.id}`;
        return { mutant, by, seeds: seed, replay };
      }
    }
    return { mutant, seeds: limit };
  } finally {
    await worker.end();
  }
}
