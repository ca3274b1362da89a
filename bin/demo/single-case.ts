import type { Case } from './case';
import type { CaseResult } from './contender';

/** Lines of a trace that are shown. */
const LINES = 250;

/** What came of one case, for people: the incidents of every contender, and the trace of the first one that had some. */
export function caseText({ seed, kind, bookings }: Case, results: ReadonlyMap<string, CaseResult>): string {
  const lines = [`seed ${seed}, ${kind.name}: ${kind.about}; ${bookings.length} bookings`];
  for (const [name, { incidents }] of results) {
    lines.push('', `${name}:`, ...(incidents.length === 0 ? ['  all is well'] : []));
    lines.push(...incidents.map(({ symptom, what }) => `  ${symptom}: ${what}`));
  }
  const shown = [...results].find(([, { incidents }]) => incidents.length > 0);
  if (shown !== undefined) {
    const [name, { trace }] = shown;
    const left = trace.length - LINES;
    lines.push(
      '',
      `what happened (${name}):`,
      ...trace.slice(0, LINES),
      ...(left > 0 ? [`  ... ${left} lines ...`] : []),
    );
  }
  return lines.join('\n');
}
