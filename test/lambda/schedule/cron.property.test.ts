import fc from 'fast-check';
import {
  longestInterval,
  nextAfter,
  occurrences,
  parseScheduleExpression,
  shortestInterval,
} from '../../../lambda/schedule';

/*
 * An oracle that shares nothing with the code under test: it goes through real time minute by minute, asks Intl what the clocks of the zone show, and
 * compares each field by what its text says. A local time fires when it is shown for the first time.
 */
const MINUTE = 60_000;
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

interface Shown {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: string;
  readonly year: number;
}

const clocks = new Map<string, Intl.DateTimeFormat>();
/** Looks at the same hours are many, and asking Intl takes longest. */
const looks = new Map<string, Shown>();

function shown(epochMs: number, timeZone: string): Shown {
  const look = `${timeZone} ${epochMs}`;
  const known = looks.get(look) ?? lookAt(epochMs, timeZone);
  looks.set(look, known);
  return known;
}

function lookAt(epochMs: number, timeZone: string): Shown {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    clock = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'short' });
    clocks.set(timeZone, clock);
  }
  const text = clock.format(epochMs);
  const found = /^(\w+),? (\d+) (\w+) (\d+),? (?:at )?(\d+):(\d+)$/.exec(text);
  if (found === null) {
    throw new Error(`the clocks show ${text}`);
  }
  const [, weekday, day, monthName, year, hour, minute] = found;
  const months = 'JanFebMarAprMayJunJulAugSepOctNovDec';
  return {
    minute: Number(minute),
    hour: Number(hour),
    day: Number(day),
    month: months.indexOf(String(monthName).slice(0, 3)) / 3 + 1,
    weekday: String(weekday).slice(0, 3).toUpperCase(),
    year: Number(year),
  };
}

function matches(field: string, value: number): boolean {
  return field.split(',').some((term) => {
    const [range = '', step = '1'] = term.split('/');
    const [from, to] = range === '*' ? [0, Infinity] : range.split('-').map(Number);
    const last = to ?? (term.includes('/') ? Infinity : from!);
    const origin = range === '*' ? (Number(step) === 1 ? 0 : Number.NaN) : from!;
    return value >= from! && value <= last && (value - origin) % Number(step) === 0;
  });
}

function firesAt(fields: readonly string[], at: Shown): boolean {
  const [minute, hour, day, month, weekday, year] = fields as [string, string, string, string, string, string];
  const daysInMonth = new Date(Date.UTC(at.year, at.month, 0)).getUTCDate();
  const dayMatches =
    day === '?'
      ? weekday.split(',').some((term) => {
          const [name, nth] = term.split('#');
          if (nth !== undefined) return at.weekday === name && Math.ceil(at.day / 7) === Number(nth);
          if (/^[A-Z]{3}L$/.test(term)) return at.weekday === term.slice(0, 3) && at.day + 7 > daysInMonth;
          return term === at.weekday;
        })
      : day === 'L'
        ? at.day === daysInMonth
        : matches(day, at.day);
  return (
    dayMatches &&
    matches(minute, at.minute) &&
    matches(hour, at.hour) &&
    matches(month, at.month) &&
    matches(year, at.year)
  );
}

function firingsByBruteForce(fields: readonly string[], timeZone: string, after: number, until: number): number[] {
  const seen = new Set<string>();
  const found: number[] = [];
  // From some hours before, so that what is shown a second time is known to be so.
  for (let at = after - 180 * MINUTE; at <= until; at += MINUTE) {
    const clock = shown(at, timeZone);
    const text = JSON.stringify(clock);
    if (at > after && !seen.has(text) && firesAt(fields, clock)) {
      found.push(at);
    }
    seen.add(text);
  }
  return found;
}

/** Terms of a field: values, ranges, steps and lists. */
const field = (min: number, max: number): fc.Arbitrary<string> => {
  const value = fc.integer({ min, max });
  const term = fc.oneof(
    value.map(String),
    fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.tuple(value, fc.integer({ min: 1, max: max - min })).map(([from, step]) => `${from}/${step}`),
    fc
      .tuple(value, value, fc.integer({ min: 1, max: max - min }))
      .map(([a, b, step]) => `${Math.min(a, b)}-${Math.max(a, b)}/${step}`),
  );
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant('*') },
    { weight: 2, arbitrary: fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(',')) },
  );
};
const weekdayName = fc.constantFrom(...WEEKDAYS);
const dayFields = fc.oneof(
  fc.constant(['*', '?']),
  fc.oneof(field(1, 28), fc.constant('L')).map((day) => [day, '?']),
  fc
    .oneof(
      fc.uniqueArray(weekdayName, { minLength: 1, maxLength: 4 }).map((names) => names.join(',')),
      fc.tuple(weekdayName, fc.integer({ min: 1, max: 4 })).map(([name, nth]) => `${name}#${nth}`),
      weekdayName.map((name) => `${name}L`),
    )
    .map((weekday) => ['?', weekday]),
);
/** Mostly in the night, when clocks change. */
const hours = fc.oneof(fc.constantFrom('*', '0-3', '1', '2'), field(0, 23));
const cronFields = fc
  .tuple(
    field(0, 59),
    hours,
    dayFields,
    fc.constantFrom('*', '1-12', '3,10,11', '10-12'),
    fc.constantFrom('*', '2026-2028'),
  )
  .map(([minute, hour, [day, weekday], month, year]) => [minute, hour, day, month, weekday, year]);
const timeZone = fc.constantFrom(
  'Etc/UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
);
/** A zone and a time: a few hours before its clocks change in 2026, and anywhere. */
const situation = fc.oneof(
  fc
    .constantFrom(
      ['Europe/Berlin', '2026-03-28T20:00Z'],
      ['Europe/Berlin', '2026-10-24T20:00Z'],
      ['America/New_York', '2026-03-08T02:00Z'],
      ['America/New_York', '2026-11-01T00:00Z'],
      ['Australia/Lord_Howe', '2026-04-04T10:00Z'],
      ['Australia/Lord_Howe', '2026-10-03T10:00Z'],
    )
    .map(([zone, text]) => ({ zone: zone, after: Date.parse(text) })),
  fc.record({
    zone: timeZone,
    after: fc
      .integer({ min: Date.UTC(2026, 0, 2) / MINUTE, max: Date.UTC(2026, 11, 30) / MINUTE })
      .map((minute) => minute * MINUTE),
  }),
);

test('firings are those that a minute by minute look at the clocks finds', () => {
  fc.assert(
    fc.property(cronFields, situation, (fields, { zone, after }) => {
      const schedule = parseScheduleExpression(`cron(${fields.join(' ')})`, zone);
      const until = after + 1440 * MINUTE;
      const found = [...occurrences(schedule, after, { end: until })];
      expect(found).toEqual(firingsByBruteForce(fields, zone, after, until));
    }),
    { numRuns: 60 },
  );
});

test('the next firing is strictly later, and nothing fires in between', () => {
  fc.assert(
    fc.property(
      cronFields,
      timeZone,
      fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2027, 0) }),
      (fields, zone, after) => {
        const schedule = parseScheduleExpression(`cron(${fields.join(' ')})`, zone);
        const next = nextAfter(schedule, after);
        expect(next).toBeGreaterThan(after);
        expect(nextAfter(schedule, Number(next) - 1)).toBe(next);
        expect(nextAfter(schedule, Math.floor((after + Number(next)) / 2))).toBe(next);
      },
    ),
    { numRuns: 200 },
  );
});

test('intervals lie between the shortest and the longest', () => {
  fc.assert(
    fc.property(cronFields, situation, (fields, { zone, after }) => {
      const schedule = parseScheduleExpression(`cron(${fields.join(' ')})`, zone);
      const firings = [...take(occurrences(schedule, after, { end: after + 2000 * MINUTE }), 100)];
      const intervals = firings.slice(1).map((firing, place) => (firing - firings[place]!) / 1000);
      fc.pre(intervals.length > 0);
      expect(Math.min(...intervals)).toBeGreaterThanOrEqual(shortestInterval(schedule)!);
      expect(Math.max(...intervals)).toBeLessThanOrEqual(longestInterval(schedule)!);
    }),
    { numRuns: 50 },
  );
});

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const item of items) {
    if (taken++ === count) return;
    yield item;
  }
}
