import type { JournalEntry } from './kill-plan';
import { failsOnce, isRefused, recordAt, RECORDS } from './app/records';

type Handled = Extract<JournalEntry, { readonly runId: string }>;

/** A call of the handler. */
interface Call {
  readonly key: string;
  readonly pid: number;
  readonly attempt: number;
  readonly place: { readonly page: number; readonly ordinal: number };
  /** Lines of the journal; absent: its process was killed before. */
  readonly from: number;
  to?: number;
  result?: 'succeeded' | 'failed';
}

/**
 * What is wrong with the calls of a run's handlers, by the journal of all its processes: each record is called once, and once more for each call that failed or whose process was killed before the
 * ledger had its outcome; in a group one after the other, in the order of the source.
 */
export function faultsOfCalls(runId: string, journal: readonly JournalEntry[]): string[] {
  const calls = callsOf(runId, journal);
  const records = Array.from({ length: RECORDS }, (_, place) => recordAt(runId, place));
  const known = new Set(records.map(({ key }) => key));
  const faults = calls.filter(({ key }) => !known.has(key)).map(({ key }) => `${key}: no such record was read`);
  for (const record of records) {
    const own = calls.filter(({ key }) => key === record.key);
    faults.push(...faultsOfRecord(record, own, journal));
  }
  for (const group of new Set(records.map((record) => record.group))) {
    const members = records.filter((record) => record.group === group).map(({ key }) => key);
    faults.push(
      ...faultsOfGroup(
        members,
        calls.filter(({ key }) => members.includes(key)),
        journal,
      ),
    );
  }
  return faults;
}

function callsOf(runId: string, journal: readonly JournalEntry[]): Call[] {
  const calls: Call[] = [];
  journal.forEach((entry, line) => {
    if (!isHandled(entry) || entry.runId !== runId) {
      return;
    }
    const { key, pid, attempt, page, ordinal, type } = entry;
    if (type === 'start') {
      calls.push({ key, pid, attempt, place: { page, ordinal }, from: line });
      return;
    }
    const call = calls.findLast((one) => one.key === key && one.pid === pid && one.to === undefined);
    if (call !== undefined) {
      call.to = line;
      call.result = type;
    }
  });
  return calls;
}

function faultsOfRecord(
  record: ReturnType<typeof recordAt>,
  calls: readonly Call[],
  journal: readonly JournalEntry[],
): string[] {
  const faults: string[] = [];
  if (calls.length === 0 || calls.some((call, index) => !isCounted(call, calls[index - 1], journal))) {
    faults.push(`${record.key}: attempts ${calls.map(({ attempt }) => attempt).join() || 'none'}`);
  }
  const last = calls.at(-1);
  // A success may not be seen where the process was killed right behind it: then the ledger had it, or there is a later call.
  if (last?.result !== (isRefused(record) ? 'failed' : 'succeeded')) {
    faults.push(`${record.key}: its last call ${last?.result ?? 'has no end'}`);
  }
  calls.slice(1).forEach((call, place) => {
    const before = calls[place];
    const isRetry = before?.result === 'failed' && failsOnce(record) && before.attempt === 1;
    if (before !== undefined && !isRetry && !wasKilled(before, call, journal)) {
      faults.push(`${record.key}: called again without need`);
    }
    if (before !== undefined && isSettledBefore(before, call.from, journal)) {
      faults.push(`${record.key}: called again after its outcome was stored`);
    }
  });
  return faults;
}

function faultsOfGroup(members: readonly string[], calls: readonly Call[], journal: readonly JournalEntry[]): string[] {
  return calls.slice(1).flatMap((call, index) => {
    const before = calls[index];
    if (before === undefined || before.key === call.key) {
      return before?.to === undefined && before !== undefined && !wasKilled(before, call, journal)
        ? [`${call.key}: called beside itself`]
        : [];
    }
    const isNext = members.indexOf(call.key) === members.indexOf(before.key) + 1;
    const isDone = isSettledBefore(before, call.from, journal) || wasKilled(before, call, journal);
    return isNext && isDone ? [] : [`${call.key}: called after ${before.key}, which was not done with`];
  });
}

/** Whether a call has the attempt after the one before it; each further one was claimed by a process that was killed before it called. */
function isCounted(call: Call, before: Call | undefined, journal: readonly JournalEntry[]): boolean {
  const skipped = call.attempt - (before?.attempt ?? 0) - 1;
  const kills = journal.slice(before?.from ?? 0, call.from).filter(({ type }) => type === 'killed');
  return skipped >= 0 && skipped <= kills.length;
}

/** Whether the process of a call was killed between it and a later one. */
function wasKilled({ pid, from }: Call, later: Call, journal: readonly JournalEntry[]): boolean {
  return journal.slice(from, later.from).some((entry) => entry.type === 'killed' && entry.pid === pid);
}

/** Whether the ledger had answered by then that it stored the outcome of a call. */
function isSettledBefore({ from, key, place }: Call, line: number, journal: readonly JournalEntry[]): boolean {
  const runId = key.slice(0, key.indexOf('/'));
  const page = `#${runId}#`;
  return journal
    .slice(from, line)
    .some(
      (entry) =>
        entry.type === 'settled' &&
        entry.page.includes(page) &&
        entry.page.endsWith(`#${String(place.page).padStart(6, '0')}`) &&
        entry.ordinals.includes(place.ordinal),
    );
}

function isHandled(entry: JournalEntry): entry is Handled {
  return 'runId' in entry;
}
