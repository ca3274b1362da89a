import { recordAt, RECORDS, failsOnce, isRefused, PAGE_SIZE } from './app/records';
import { faultsOfCalls } from './calls';
import type { JournalEntry } from './kill-plan';

const RUN = '2026-01-01T00:00:00Z';
const KEY = `${RUN}/3`;

/** What a run writes down in which nothing goes wrong, one record after another. */
function wholeRun(): JournalEntry[] {
  return Array.from({ length: RECORDS }, (_, place) => recordAt(RUN, place)).flatMap((record) =>
    failsOnce(record) ? [...called(record.key, 1, 'failed'), ...handled(record.key, 2)] : handled(record.key, 1),
  );
}

function handled(key: string, attempt: number, pid = 1): JournalEntry[] {
  const result = isRefused({ place: placeOf(key) }) ? 'failed' : 'succeeded';
  return [...called(key, attempt, result, pid), settled(key, pid)];
}

function called(key: string, attempt: number, result: 'succeeded' | 'failed', pid = 1): JournalEntry[] {
  const place = placeOf(key);
  const [page, ordinal] = [Math.floor(place / PAGE_SIZE), place % PAGE_SIZE];
  const call = { pid, runId: RUN, key, page, ordinal, attempt };
  return [
    { ...call, type: 'start' },
    { ...call, type: result },
  ];
}

function settled(key: string, pid = 1): JournalEntry {
  const place = placeOf(key);
  const page = `F#${RUN}#record#000#${String(Math.floor(place / PAGE_SIZE)).padStart(6, '0')}`;
  return { type: 'settled', pid, page, ordinals: [place % PAGE_SIZE] };
}

function placeOf(key: string): number {
  return Number(key.slice(key.indexOf('/') + 1));
}

/** The run with the lines of one record replaced. */
function runWith(lines: readonly JournalEntry[], key = KEY): JournalEntry[] {
  const whole = wholeRun();
  const isOwn = (entry: JournalEntry): boolean =>
    ('key' in entry && entry.key === key) || JSON.stringify(entry) === JSON.stringify(settled(key));
  const at = whole.findIndex(isOwn);
  return [...whole.slice(0, at), ...lines, ...whole.slice(at).filter((entry) => !isOwn(entry))];
}

const KILLED: JournalEntry = { type: 'killed', pid: 1, plan: '0', event: 'handler start' };
const START = called(KEY, 1, 'succeeded').slice(0, 1);

describe('faultsOfCalls', () => {
  it.each([
    ['nothing goes wrong', wholeRun()],
    ['a process is killed in a call', runWith([...START, KILLED, ...handled(KEY, 2, 2)])],
    ['a process is killed between a claim and its call', runWith([KILLED, ...handled(KEY, 2, 2)])],
    ['a process is killed behind a call', runWith([...called(KEY, 1, 'succeeded'), KILLED, ...handled(KEY, 2, 2)])],
    ['a process is killed while it stores an outcome', runWith([...called(KEY, 1, 'succeeded'), KILLED])],
  ])('finds nothing where %s', (_name, journal) => {
    expect(faultsOfCalls(RUN, journal)).toEqual([]);
  });

  it.each([
    ['a call after the outcome was stored', [...handled(KEY, 1), KILLED, ...handled(KEY, 2, 2)], /outcome was stored/],
    ['a second call that nothing asks for', [...called(KEY, 1, 'succeeded'), ...handled(KEY, 2, 2)], /without need/],
    ['two calls beside one another', [...START, ...handled(KEY, 2, 2)], /beside itself/],
    ['a call that was not counted', [...START, KILLED, ...handled(KEY, 1, 2)], /attempts 1,1/],
    ['an attempt that nobody made', handled(KEY, 2), /attempts 2/],
    ['a record that was never called', [], /attempts none/],
    ['a call without an end', START, /has no end/],
    ['a group that goes on before an outcome is stored', called(KEY, 1, 'succeeded'), /not done with/],
  ])('finds %s', (_name, lines, fault) => {
    expect(faultsOfCalls(RUN, runWith(lines)).join('\n')).toMatch(fault);
  });

  it('finds a group out of order', () => {
    const later = `${RUN}/11`;
    const journal = runWith([...handled(later, 1), ...handled(KEY, 1)]).filter(
      (entry, place, all) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(entry)) === place,
    );
    expect(faultsOfCalls(RUN, journal).join('\n')).toMatch(/not done with/);
  });

  it('finds a record of nobody', () => {
    expect(faultsOfCalls(RUN, [...wholeRun(), ...handled(`${RUN}/99`, 1)]).join('\n')).toMatch(/no such record/);
  });
});
