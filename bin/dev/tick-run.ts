import { CronFanoutError, ITEM_KEYS } from '../../lambda/contract';
import type { RunItem, ScannerAnswer, WatchdogEvent } from '../../lambda/contract';
import type { StateStore } from '../../lambda/ports';
import { sleep } from '../../lambda/ports';
import type { AsynchronousOutcome } from './asynchronous-invocations';
import type { FanoutParts } from './fanout-parts';
import type { LocalClock } from './local-clock';
import { scheduledEvent } from './scheduled-event';

/** A run that came to its end. */
export interface CompletedRun {
  readonly runId: string;
  /** What the scanner answered to the tick. */
  readonly answer: ScannerAnswer;
  /** The run as the ledger has it, with its totals. */
  readonly run: RunItem;
  /** Seconds of real time from the tick to the end of the run. */
  readonly seconds: number;
  /** Seconds of local time. */
  readonly localSeconds: number;
}

/** What {@link runTick} works with. */
export interface TickRunOptions {
  readonly parts: FanoutParts;
  readonly clock: LocalClock;
  readonly store: StateStore;
  /** Throws when a function can't be loaded. */
  readonly checkFunctions: () => void;
}

type RunEnd = Pick<CompletedRun, 'answer' | 'run'>;

/** Between two calls of the watchdog, as a deployed fanout has them or its ticks do in their place. */
const WATCHDOG_MS = 5 * 60_000;
/** Local time that a run may take: what lasts longer than queues keep messages has no end. */
const LONGEST_RUN_MS = 15 * 24 * 3_600_000;

/** Fires a tick and waits for the end of its run, on local time that runs ahead. @see LocalFanout.tick */
export async function runTick(
  options: TickRunOptions,
  scheduledTime: string | undefined,
  signal: AbortSignal | undefined,
): Promise<CompletedRun> {
  const { parts, clock, checkFunctions } = options;
  const started = { real: performance.now(), local: clock.now() };
  const time = scheduledTime ?? `${new Date(started.local).toISOString().slice(0, 19)}Z`;
  const state: { outcome?: AsynchronousOutcome; end: RunEnd | undefined } = { end: undefined };
  void parts.invokeScanner(scheduledEvent(parts.schedule, time)).then((outcome) => (state.outcome = outcome));
  const over = new AbortController();
  void watch(options, over.signal);
  try {
    await clock.runAhead(
      async () => {
        checkFunctions();
        state.end = state.outcome === undefined ? undefined : await endOf(options, state.outcome);
        return state.end !== undefined;
      },
      started.local + LONGEST_RUN_MS,
      signal,
    );
  } finally {
    over.abort();
  }
  if (state.end === undefined) {
    throw new CronFanoutError('Stopped', {
      what: `run of tick ${time}`,
      received: 'a stop before its end',
      allowed: 'a run that comes to its end',
      change: 'start again',
    });
  }
  return {
    ...state.end,
    runId: state.end.run.runId,
    seconds: (performance.now() - started.real) / 1000,
    localSeconds: (clock.now() - started.local) / 1000,
  };
}

/** Calls the watchdog as long as the run lasts. */
async function watch({ parts, clock }: TickRunOptions, over: AbortSignal): Promise<void> {
  const event: WatchdogEvent = { kind: 'watchdog' };
  for (;;) {
    await sleep(clock, WATCHDOG_MS, over);
    if (over.aborted) {
      return;
    }
    await parts.invokeScanner(event);
  }
}

/** The end of the run that a tick led to; `undefined` while it goes on. */
async function endOf({ parts, store }: TickRunOptions, outcome: AsynchronousOutcome): Promise<RunEnd | undefined> {
  if (outcome.status === 'discarded') {
    throw scanFailed(outcome);
  }
  const answer = outcome.payload as ScannerAnswer;
  const run = await store.get<RunItem>(ITEM_KEYS.run(parts.fanoutId, answer.runId ?? ''));
  switch (run?.state) {
    case undefined:
    case 'scanning':
    case 'scanned':
      return undefined;
    case 'completed':
    case 'skipped':
      return { answer, run };
    case 'failed':
    case 'cancelled':
      throw new CronFanoutError('RunNotCompleted', {
        what: `run ${run.runId}`,
        received: `state ${run.state}: ${run.cause ?? 'no cause is known'}`,
        allowed: 'a run that is completed',
        change: 'mend the cause; the logs of the functions (--keep-logs FILE) tell more',
      });
  }
}

function scanFailed({ attempts, result }: Extract<AsynchronousOutcome, { status: 'discarded' }>): CronFanoutError {
  const error =
    result.status === 'failed' ? `${result.error.errorType}: ${result.error.errorMessage}` : 'it was throttled';
  return new CronFanoutError('ScanFailed', {
    what: 'invocation of the scanner by the tick',
    received: `${error}, after ${attempts} attempts`,
    allowed: 'an answer of the scanner',
    change: 'mend the source of the job; the logs of the functions (--keep-logs FILE) tell more',
  });
}
