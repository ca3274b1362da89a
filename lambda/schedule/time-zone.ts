import { CronFanoutError } from '../contract';

const SUGGESTIONS = 3;
/** Letters that may differ between a name and one that is suggested for it. */
const TYPOS = 3;

/**
 * Checks the name of a time zone against the zones that this Node knows. The service reads IANA names as they are spelled; offsets like `+01:00`,
 * which Node accepts, are not among them.
 *
 * @throws CronFanoutError `UnknownTimeZone`, with the nearest names
 */
export function checkTimeZone(timeZone: string): void {
  const known = Intl.supportedValuesOf('timeZone');
  const spelledOtherwise = known.some((name) => name !== timeZone && name.toLowerCase() === timeZone.toLowerCase());
  if (known.includes(timeZone) || (/^[A-Z]/.test(timeZone) && !spelledOtherwise && isAlias(timeZone))) {
    return;
  }
  const near = nearest(timeZone, known);
  throw new CronFanoutError('UnknownTimeZone', {
    what: 'time zone of the schedule',
    received: JSON.stringify(timeZone),
    allowed: 'a name of the IANA time zone database, for example "Etc/UTC", "Europe/Berlin" or "America/New_York"',
    change: near.length === 0 ? 'write such a name' : `write ${near.map((name) => JSON.stringify(name)).join(' or ')}`,
  });
}

/** Older names (US/Eastern, Asia/Kolkata beside Asia/Calcutta) are known to Node but not listed by it. */
function isAlias(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone });
    return true;
  } catch {
    return false;
  }
}

function nearest(timeZone: string, known: readonly string[]): string[] {
  const wanted = timeZone.toLowerCase().replaceAll(' ', '_');
  const city = wanted.slice(wanted.lastIndexOf('/') + 1);
  const scored = known.map((name) => {
    const candidate = name.toLowerCase();
    const candidateCity = candidate.slice(candidate.lastIndexOf('/') + 1);
    return { name, distance: Math.min(editDistance(wanted, candidate), editDistance(city, candidateCity) + 1) };
  });
  return scored
    .filter(({ distance }) => distance <= Math.min(TYPOS, city.length / 2))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, SUGGESTIONS)
    .map(({ name }) => name);
}

/** Letters to insert, delete or replace to make one text the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
