import type { KeysItem, RunItem } from '../../../lambda/contract';
import { SETTLED_OUTCOMES } from '../../../lambda/contract';
import { deathsOf } from '../../../lambda/simulation/invariants/deaths';
import { INVARIANTS } from '../../../lambda/simulation/invariants';
import { SCENARIOS, scenarioNamed } from '../../../lambda/simulation/scenarios';
import { runSeed } from '../../../lambda/simulation/seed-run';
import { FAULT_NAMES } from '../../../lambda/simulation/world/faults';
import type { Behaviour, FanoutSpec, Flaw, WorldSpec } from '../../../lambda/simulation/world/spec';
import type { World } from '../../../lambda/simulation/world/world';

/** Seeds of each scenario; `npm run simulate` runs many. */
const SEEDS = [12, 13, 14, 15, 16];

const FLAWS: readonly Flaw[] = ['key', 'payload', 'large', 'schema', 'refused', 'group'];
const BEHAVIOURS: readonly Behaviour[] = [
  ...['succeed', 'fail', 'failOddly', 'refuse', 'later', 'slow', 'linger', 'overrun', 'ignore'],
] as readonly Behaviour[];

/** What came about in the worlds of the seeds. */
const seen = new Map<string, number>();
const broken: string[] = [];

function note(what: string, count = 1): void {
  seen.set(what, (seen.get(what) ?? 0) + count);
}

function seenOf(kind: string): string[] {
  return [...seen].flatMap(([what, count]) =>
    what.startsWith(`${kind} `) && count > 0 ? [what.slice(kind.length + 1)] : [],
  );
}

beforeAll(async () => {
  for (const { name } of SCENARIOS) {
    for (const seed of SEEDS) {
      const { result, world } = await runSeed(scenarioNamed(name), seed);
      noteSpec(world.spec);
      noteWorld(world);
      const { violation } = result;
      if (violation !== undefined) {
        broken.push(`"${violation.invariant}": ${violation.what}; npm run simulate -- --seed ${seed} --only ${name}`);
      }
    }
  }
}, 60_000);

function noteWorld({ plan, memory, ledger, fanouts }: World): void {
  for (const [fault, count] of plan.counts) {
    note(`fault ${fault}`, count);
  }
  for (const { outcome } of ledger.places.values()) {
    note(`outcome ${outcome ?? 'none'}`);
  }
  for (const item of memory.peekAll()) {
    const { sk, rejectedCount, skippedCount, duplicateCount } = item as unknown as KeysItem;
    if (sk.startsWith('KEYS#')) {
      note('outcome rejected', rejectedCount);
      note('outcome skipped', skippedCount);
      note('outcome duplicate', duplicateCount);
    }
  }
  for (const { item } of ledger.runs.values()) {
    const { state, takeovers = 0 }: RunItem = item;
    note(`run ${state}`);
    note('run taken over', takeovers);
  }
  for (const { id, tables } of fanouts) {
    for (const { cause, state } of deathsOf(memory, id)) {
      note(`death ${cause}`);
      note(`redrive ${state}`);
    }
    for (const table of tables.values()) {
      note('event change of a source', table.changed.size);
    }
  }
}

function noteSpec({ fanouts, skewMs, freezes }: WorldSpec): void {
  note('event skewed clocks', skewMs);
  note('event frozen environments', Number(freezes));
  note('event shared table', fanouts.length - 1);
  for (const fanout of fanouts) {
    noteFanout(fanout);
  }
}

function noteFanout({ deploys, poison, redrives, resumes, outages, ticks, jobs }: FanoutSpec): void {
  note('event deployment', deploys.length);
  note('event other version', deploys.filter(({ payloadVersion }) => payloadVersion === 2).length);
  note('event message by hand', poison.length);
  note('event native redrive', redrives.filter(({ native }) => native).length);
  note('event redrive', redrives.filter(({ native }) => !native).length);
  note('event resume', resumes.length);
  note('event outage', outages.length);
  note('event same tick twice', ticks.length - new Set(ticks.map(({ scheduledTime }) => scheduledTime)).size);
  for (const { records } of jobs) {
    note('event many records', records.length > 100 ? 1 : 0);
    for (const { behaviours, flaw } of records) {
      behaviours.forEach((behaviour) => {
        note(`behaviour ${behaviour}`);
      });
      note(`flaw ${flaw ?? 'none'}`);
    }
  }
}

test('everything holds in the worlds of a few seeds of every scenario', () => {
  expect(broken).toEqual([]);
});

test('scenarios have names of their own, and say what they are for', () => {
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  expect(SCENARIOS.filter(({ about }) => about.length < 10)).toEqual([]);
});

test('every rule of DESIGN section 4 has an invariant', () => {
  expect(INVARIANTS.map(({ name }) => name)).toEqual([
    'nothing is lost',
    'once',
    'order',
    'one hand on the pages',
    'a tick is idempotent',
    'attempts are calls',
    'the books balance',
    'one bad record',
    'no cross-talk',
    'bounded',
    'deduplication',
    'redrive',
  ]);
});

describe('what these seeds provoke', () => {
  test('every fault', () => {
    expect(seenOf('fault')).toEqual(expect.arrayContaining([...FAULT_NAMES]));
  });

  test('every outcome of a record', () => {
    expect(seenOf('outcome')).toEqual(expect.arrayContaining([...SETTLED_OUTCOMES, 'duplicate']));
  });

  test('everything that a handler does, and that is wrong with a record', () => {
    expect(seenOf('behaviour')).toEqual(expect.arrayContaining([...BEHAVIOURS]));
    expect(seenOf('flaw')).toEqual(expect.arrayContaining([...FLAWS]));
  });

  test.each([
    'skewed clocks',
    'frozen environments',
    'shared table',
    'deployment',
    'other version',
    'message by hand',
    'native redrive',
    'redrive',
    'resume',
    'outage',
    'same tick twice',
    'change of a source',
    'many records',
  ])('%s', (event) => {
    expect(seen.get(`event ${event}`) ?? 0).toBeGreaterThan(0);
  });

  test('every state of a run, and runs that are taken over', () => {
    expect(seenOf('run')).toEqual(
      expect.arrayContaining(['completed', 'failed', 'cancelled', 'skipped', 'taken over']),
    );
  });

  test('deaths of every kind, and every end of a redrive', () => {
    expect(seenOf('death')).toEqual(expect.arrayContaining(['AttemptsExhausted', 'PermanentError', 'Lost']));
    expect(seenOf('redrive')).toEqual(expect.arrayContaining(['dead', 'succeeded', 'deadAgain']));
  });
});
