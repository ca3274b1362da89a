import type { Claim } from '../../../../lambda/contract';
import { ITEM_KEYS } from '../../../../lambda/contract';
import { keyHash } from '../../../../lambda/ledger';
import { VirtualClock } from '../../../../lambda/simulation/virtual-clock';
import { attempts } from '../../../../lambda/simulation/invariants/attempts';
import type { Watched } from '../../../../lambda/simulation/invariants/invariant';
import { LedgerModel } from '../../../../lambda/simulation/invariants/ledger-model';
import { Instance } from '../../../../lambda/simulation/world/instance';
import type { Observation } from '../../../../lambda/simulation/world/observation';

const RUN = '2026-01-01T00:00:00Z';
const PAGE = `F#${RUN}#job#000#000000`;
const PLACE = { runId: RUN, jobType: 'job', segment: 0, page: 0, ordinal: 0, key: 'a' };
const MAX_ATTEMPTS = 2;

/** A page of one record that has two attempts, and what the invariant says of its deaths. */
class Scene {
  readonly said: string[] = [];
  private readonly ledger = new LedgerModel(() => 0);
  private readonly invariant = attempts.watch({
    ledger: this.ledger,
    fanouts: [],
    world: { spec: { faults: {} } },
    violated: (what: string) => this.said.push(what),
  } as unknown as Watched);
  private readonly by = new Instance({ name: 'worker', clock: new VirtualClock(), skewMs: 0, seed: 1 });

  constructor() {
    const hashes = new Uint8Array(keyHash('job', 'a'));
    this.written({ pk: 'F', sk: `RUN#${RUN}` }, { after: { runId: RUN, state: 'scanning' } });
    this.written({ pk: `F#${RUN}#job#000`, sk: 'KEYS#000000' }, { after: { count: 1, hashes } });
  }

  /** The environment claims the record. */
  claimed(attempt: number): this {
    return this.claim({ t: `t${attempt}`, a: attempt, u: 0, f: 0 });
  }

  called(attempt: number): this {
    this.claimed(attempt).call(attempt);
    return this;
  }

  /** Something goes wrong for the environment that may keep it from its call. */
  troubled(): this {
    this.observe({ type: 'troubled', by: this.by, fault: 'pause' } as unknown as Observation);
    return this;
  }

  died(number: number): this {
    return this.dead('first', { state: 'dead', cause: 'AttemptsExhausted', attempts: number });
  }

  settled(): this {
    return this.written(
      { pk: PAGE, sk: 'PAGE' },
      { before: {}, after: {}, change: { add: [[['dead'], new Set([0])]] } },
    );
  }

  /** The death is redriven, with that many calls. */
  redriven(calls: number): this {
    for (let attempt = 1; attempt <= calls; attempt++) {
      this.dead('first', { state: 'redriven', claim: { t: `r${attempt}`, a: attempt, u: 0, f: 0 } }).call(attempt);
    }
    return this;
  }

  diedAgain(number: number, cause = 'AttemptsExhausted'): this {
    return this.dead('second', { state: 'dead', cause, attempts: number });
  }

  private claim(claim: Claim): this {
    const change = { set: [[['claims', '0'], { ...claim }]] } as const;
    return this.written({ pk: PAGE, sk: 'PAGE' }, { before: {}, after: {}, change });
  }

  private call(attempt: number): void {
    const call = {
      ...{ instance: this.by, fanoutId: 'F', runId: RUN, jobType: 'job', key: 'a', group: 'g' },
      ...{ attempt, maxAttempts: MAX_ATTEMPTS, idempotencyKey: 'a', startedAt: 0, deadline: 0 },
    };
    this.observe({ type: 'handlerStarted', call });
  }

  private dead(deathId: string, item: object): this {
    const key = ITEM_KEYS.dead('F', 0, deathId);
    const before = 'claim' in item ? {} : undefined;
    return this.written(key, { before, after: { ...key, ...PLACE, deathId, ...item } });
  }

  private written(key: { readonly pk: string; readonly sk: string }, what: object): this {
    const base = { type: 'written', by: this.by, fanoutId: 'F', key, before: undefined } as const;
    this.observe({ ...base, ...what } as unknown as Observation);
    return this;
  }

  private observe(observation: Observation): void {
    this.ledger.observe(observation);
    this.invariant.observe?.(observation);
  }
}

describe('the invariant "attempts are calls"', () => {
  it('lets a record die of its last attempt', () => {
    expect(new Scene().called(1).called(2).died(2).said).toEqual([]);
  });

  it('lets a record die of an attempt whose environment did not come to its call', () => {
    expect(new Scene().called(1).claimed(2).troubled().died(2).said).toEqual([]);
  });

  it('notices a death of fewer attempts than there are', () => {
    expect(new Scene().called(1).died(1).said).toEqual(['a dies of 1 attempts, of which it had 1 of 2']);
  });

  it('notices a death of an attempt that was given back, whatever excuse its environment had', () => {
    const scene = new Scene().called(1).claimed(2).troubled().died(1);
    expect(scene.said).toEqual(['a dies of 1 attempts, of which it had 2 of 2']);
  });

  it('lets a redrive die of its own last attempt', () => {
    expect(new Scene().called(1).called(2).died(2).settled().redriven(2).diedAgain(2).said).toEqual([]);
  });

  it('notices a redrive that dies of an attempt which was given back', () => {
    const scene = new Scene().called(1).called(2).died(2).settled().redriven(1).diedAgain(1);
    expect(scene.said).toEqual(['a dies of 1 attempts in its redrive, of 2']);
  });

  it('takes a second death for that of a redrive, also where a crash has left the first one unsettled', () => {
    const scene = new Scene().called(1).called(2).died(2).redriven(1).diedAgain(1, 'PermanentError');
    expect(scene.said).toEqual([]);
  });
});
