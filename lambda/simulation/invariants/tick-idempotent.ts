import type { KeysItem, LockItem, RunItem, RunState as StateName } from '../../contract';
import { ITEM_KEYS } from '../../contract';
import type { HandlerCall, Observation } from '../world/observation';
import type { Invariant, InvariantRule, Watched } from './invariant';

/** States that may follow a state. */
const NEXT: Readonly<Record<StateName, readonly StateName[]>> = {
  scanning: ['scanning', 'scanned', 'failed', 'cancelled'],
  scanned: ['scanned', 'completed', 'cancelled'],
  completed: ['completed'],
  skipped: ['skipped'],
  failed: ['failed', 'scanning'],
  cancelled: ['cancelled'],
};

/** 5. The same tick, however often it comes, is one run: its state never goes back, nothing is written down once it is over, and no key has two places in it. */
export const tickIdempotent: InvariantRule = {
  name: 'a tick is idempotent',
  watch: (watched): Invariant => ({
    observe: (observation) => {
      if (observation.type === 'written' && observation.key.sk.startsWith('RUN#')) {
        runChanged(watched, observation);
      } else if (observation.type === 'written' && observation.key.sk.startsWith('KEYS#')) {
        keysWritten(watched, observation);
      } else if (observation.type === 'answered') {
        answered(watched, observation);
      } else if (observation.type === 'handlerStarted') {
        callOfRun(watched, observation.call);
      }
    },
    waitsFor: () => {
      const waiting = watched.fanouts.flatMap(({ id }) => lockOf(watched, id)?.waiting ?? [])[0];
      return waiting === undefined ? undefined : `tick ${waiting.runId} waits in the lock`;
    },
    atRest: () => {
      checkPlaces(watched);
      checkTicks(watched);
    },
  }),
};

/** A tick that was refused is written down as such, so that it cannot run when it comes again. */
function answered(
  { ledger, violated }: Watched,
  { fanoutId, event, outcome }: Extract<Observation, { type: 'answered' }>,
): void {
  if (event.kind === 'tick' && outcome === 'skipped') {
    const state = ledger.runs.get(`${fanoutId}|${event.scheduledTime}`)?.item.state;
    if (state !== 'skipped') {
      violated(`tick ${event.scheduledTime} is answered as skipped, its run is ${state ?? 'not written down'}`);
    }
  }
}

function callOfRun({ world, ledger, fanouts, violated }: Watched, { fanoutId, runId, key }: HandlerCall): void {
  const run = ledger.runs.get(`${fanoutId}|${runId}`);
  const timeoutMs = (fanouts.find(({ id }) => id === fanoutId)?.spec.consumerTimeout ?? 0) * 1000;
  if (run?.item.state === 'skipped') {
    violated(`the handler is called for ${key} of run ${runId}, which was skipped`);
  }
  // An invocation that began before the run was cancelled may go on.
  if (run?.item.state === 'cancelled' && world.clock.now() > run.since + timeoutMs) {
    violated(`the handler is called for ${key} of run ${runId}, which was cancelled`);
  }
}

function lockOf({ world }: Watched, fanoutId: string): LockItem | undefined {
  return world.memory.peek(ITEM_KEYS.lock(fanoutId)) as LockItem | undefined;
}

/** Where a run is on until it is completed, none begins before. One that an earlier holder of the lock has sent off may turn up late. */
function runBegun(watched: Watched, fanoutId: string, run: RunItem): void {
  const { ledger, fanouts, violated } = watched;
  const { overlapUntil } = fanouts.find(({ id }) => id === fanoutId)?.spec.configuration ?? {};
  const on = [...ledger.runs.values()].find(
    (other) => other.fanoutId === fanoutId && other.runId !== run.runId && other.item.state === 'scanned',
  );
  const isLate = run.fence !== lockOf(watched, fanoutId)?.fence;
  if (run.state === 'scanning' && overlapUntil === 'completed' && on !== undefined && !isLate) {
    violated(`run ${run.runId} begins while run ${on.runId} is not completed`);
  }
}

function runChanged(
  watched: Watched,
  { fanoutId, before, after, by }: Extract<Observation, { type: 'written' }>,
): void {
  const { violated } = watched;
  const [old, now] = [before as RunItem | undefined, after as RunItem | undefined];
  if (old === undefined || now === undefined) {
    if (now === undefined) {
      violated(`${by.name} deletes run ${old?.runId ?? ''}`);
    } else {
      runBegun(watched, fanoutId, now);
    }
    return;
  }
  if (!NEXT[old.state].includes(now.state)) {
    violated(`run ${now.runId} goes from ${old.state} to ${now.state}`);
  }
  const isResumed = old.state === 'failed' && now.state === 'scanning';
  const isChanged = old.completedAt !== undefined && old.completedAt !== now.completedAt;
  if (old.startedAt !== now.startedAt || (isChanged && !isResumed)) {
    violated(`run ${now.runId} is written down a second time by ${by.name}`);
  }
}

function keysWritten(
  { ledger, violated }: Watched,
  { key, before, after, by }: Extract<Observation, { type: 'written' }>,
): void {
  const [fanoutId = '', runId = ''] = key.pk.split('#');
  const run = ledger.runs.get(`${fanoutId}|${runId}`)?.item;
  // Who scans a run learns at its next page that it is cancelled.
  const isOpen = run?.state === 'scanning' || (run?.state === 'cancelled' && run.rest === undefined);
  const grown = ((after as KeysItem | undefined)?.count ?? 0) - ((before as KeysItem | undefined)?.count ?? 0);
  if (!isOpen && grown > 0) {
    violated(`${by.name} writes keys of run ${runId} down, which is ${run?.state ?? 'not known'}`);
  }
}

function checkPlaces({ ledger, violated }: Watched): void {
  for (const { runId, places } of ledger.runs.values()) {
    const seen = new Set<string>();
    for (const { jobType, hash, outcome, key } of places) {
      const name = `${jobType}|${hash}`;
      if (outcome !== 'withdrawn' && seen.has(name)) {
        violated(`${key ?? hash} has two places in run ${runId}`);
      }
      if (outcome !== 'withdrawn') {
        seen.add(name);
      }
    }
  }
}

/** A tick whose scanner could be reached once became a run. */
function checkTicks({ world, fanouts, ledger, violated }: Watched): void {
  const isCalm = world.plan.struck.length === 0;
  for (const { id, spec } of fanouts) {
    const known = new Set(
      [...ledger.runs.values()].filter(({ fanoutId }) => fanoutId === id).map(({ runId }) => runId),
    );
    const missing = spec.ticks.filter(({ scheduledTime }) => !known.has(scheduledTime));
    if (isCalm && missing.length > 0) {
      violated(`tick ${missing[0]?.scheduledTime ?? ''} left no run`);
    }
    if (known.size > new Set(spec.ticks.map(({ scheduledTime }) => scheduledTime)).size) {
      violated(`${known.size} runs for ${spec.ticks.length} ticks`);
    }
  }
}
