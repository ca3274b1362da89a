import type { ConformanceContext } from './context';
import type { ConformanceRule } from './rule';

/** What an endpoint makes of a rule. */
export interface Verdict {
  readonly rule: ConformanceRule;
  readonly result: 'kept' | 'broken' | 'skipped';
  /** Why it is broken or was skipped. */
  readonly reason?: string;
}

/** Why a rule can't be tried at an endpoint; `undefined` when it can. */
export function reasonToSkip(rule: ConformanceRule, isClockMovable: boolean): string | undefined {
  return rule.needsClock === true && !isClockMovable ? 'needs a clock that can be moved' : undefined;
}

/** Tries rules one after another at an endpoint; never rejects. For tables of rules by endpoints. */
export async function judge(rules: readonly ConformanceRule[], context: ConformanceContext): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const rule of rules) {
    const skip = reasonToSkip(rule, context.time.movable);
    if (skip !== undefined) {
      verdicts.push({ rule, result: 'skipped', reason: skip });
      continue;
    }
    try {
      await rule.run(context);
      verdicts.push({ rule, result: 'kept' });
    } catch (error) {
      verdicts.push({ rule, result: 'broken', reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return verdicts;
}
