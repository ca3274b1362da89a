import type { KeysItem, RunItem, RunState as StateName } from '../../contract';
import type { Observation } from '../world/observation';
import type { Invariant, InvariantRule, Watched } from './invariant';

/** States that may follow a state. */
const NEXT: Readonly<Record<StateName, readonly StateName[]>> = {
  scanning: ['scanning', 'scanned', 'failed', 'cancelled'],
  scanned: ['scanned', 'completed', 'cancelled'],
  completed: ['completed'],
  skipped: ['skipped'],
  failed: ['failed', 'scanning', 'completed'],
  cancelled: ['cancelled', 'completed'],
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
      } else if (observation.type === 'handlerStarted') {
        const { fanoutId, runId, key } = observation.call;
        if (watched.ledger.runs.get(`${fanoutId}|${runId}`)?.item.state === 'skipped') {
          watched.violated(`the handler is called for ${key} of run ${runId}, which was skipped`);
        }
      }
    },
    atRest: () => {
      checkPlaces(watched);
      checkTicks(watched);
    },
  }),
};

function runChanged({ violated }: Watched, { before, after, by }: Extract<Observation, { type: 'written' }>): void {
  const [old, now] = [before as RunItem | undefined, after as RunItem | undefined];
  if (old === undefined || now === undefined) {
    if (now === undefined) {
      violated(`${by.name} deletes run ${old?.runId ?? ''}`);
    }
    return;
  }
  if (!NEXT[old.state].includes(now.state)) {
    violated(`run ${now.runId} goes from ${old.state} to ${now.state}`);
  }
  if (old.startedAt !== now.startedAt || (old.completedAt !== undefined && old.completedAt !== now.completedAt)) {
    violated(`run ${now.runId} is written down a second time by ${by.name}`);
  }
}

function keysWritten(
  { ledger, violated }: Watched,
  { key, before, after, by }: Extract<Observation, { type: 'written' }>,
): void {
  const [fanoutId = '', runId = ''] = key.pk.split('#');
  const state = ledger.runs.get(`${fanoutId}|${runId}`)?.item.state;
  const grown = ((after as KeysItem | undefined)?.count ?? 0) - ((before as KeysItem | undefined)?.count ?? 0);
  if (state === undefined || (state !== 'scanning' && grown > 0)) {
    violated(`${by.name} writes keys of run ${runId} down, which is ${state ?? 'not known'}`);
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
