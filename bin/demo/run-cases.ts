import type { Case } from './case';
import { caseOf } from './case';
import type { CaseResult, Contender } from './contender';

/** Puts every contender through the case of a seed. */
export async function runCase(
  seed: number,
  contenders: readonly Contender[],
): Promise<{ readonly demo: Case; readonly results: ReadonlyMap<string, CaseResult> }> {
  const demo = caseOf(seed);
  const results = new Map<string, CaseResult>();
  for (const { name, run } of contenders) {
    results.set(name, await run(demo));
  }
  return { demo, results };
}

/** The incidents of each contender. */
export function incidentsOf(results: ReadonlyMap<string, CaseResult>): ReadonlyMap<string, CaseResult['incidents']> {
  return new Map([...results].map(([name, { incidents }]) => [name, incidents]));
}
