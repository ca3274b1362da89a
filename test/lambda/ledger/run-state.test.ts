import * as fc from 'fast-check';
import type { RunState } from '../../../lambda/contract';
import { ITEM_KEYS, RUN_TRANSITIONS } from '../../../lambda/contract';
import { isUnfinished, moveRun } from '../../../lambda/ledger';
import { when } from '../../../lambda/ports';
import { MemoryStateStore } from '../../../lambda/simulation/memory-state-store';

const KEY = ITEM_KEYS.run('F', 'run');
const STATES = Object.keys(RUN_TRANSITIONS) as RunState[];
const run = (state: RunState, rest?: Record<string, number>) => ({
  ...KEY,
  runId: 'run',
  state,
  fence: 1,
  tick: {},
  lanes: 'group' as const,
  startedAt: 0,
  pages: {},
  expiresAt: 1,
  ...(rest !== undefined && { rest }),
});

describe('moveRun', () => {
  it('changes a run along its transitions, only from the state that it is in, and not at all otherwise', async () => {
    const state = fc.constantFrom(...STATES);
    await fc.assert(
      fc.asyncProperty(state, state, state, async (stored, from, to) => {
        const store = new MemoryStateStore();
        await store.put(run(stored));
        const move = moveRun(store, KEY, { from, to, set: [[['cause'], 'x']] });
        if (!RUN_TRANSITIONS[from].includes(to)) {
          await expect(move).rejects.toThrow(`a run never goes from ${from} to ${to}`);
        } else if (from === stored) {
          expect(await move).toMatchObject({ state: to, cause: 'x' });
        } else {
          expect(await move).toBeUndefined();
        }
        const isMoved = from === stored && RUN_TRANSITIONS[from].includes(to);
        expect(await store.get(KEY)).toEqual(isMoved ? { ...run(to), cause: 'x' } : run(stored));
      }),
    );
  });

  it('holds to a further condition', async () => {
    const store = new MemoryStateStore();
    await store.put(run('scanning'));
    const condition = when.compare('fence', '<=', 0);
    expect(await moveRun(store, KEY, { from: 'scanning', to: 'scanned', condition })).toBeUndefined();
  });
});

describe('isUnfinished', () => {
  it('is true of a run that is scanning, and of one that is cancelled and not at rest', () => {
    expect(STATES.filter((state) => isUnfinished(run(state)))).toEqual(['scanning', 'cancelled']);
    expect(STATES.filter((state) => isUnfinished(run(state, {})))).toEqual(['scanning']);
  });
});
