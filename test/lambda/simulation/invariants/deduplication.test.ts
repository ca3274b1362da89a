import type { Envelope } from '../../../../lambda/contract';
import { keyHash } from '../../../../lambda/ledger';
import { deduplication } from '../../../../lambda/simulation/invariants/deduplication';
import type { Watched } from '../../../../lambda/simulation/invariants/invariant';
import { LedgerModel } from '../../../../lambda/simulation/invariants/ledger-model';
import { VirtualClock } from '../../../../lambda/simulation/virtual-clock';
import { Instance } from '../../../../lambda/simulation/world/instance';
import type { Observation } from '../../../../lambda/simulation/world/observation';

const RUNS = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'] as const;

/** Two runs that found the same record, and what the invariant says of their messages. */
class Scene {
  readonly said: string[] = [];
  private readonly clock = new VirtualClock();
  private readonly ledger = new LedgerModel(() => 0);
  private readonly invariant = deduplication.watch({
    ledger: this.ledger,
    fanouts: [{ id: 'F', spec: { configuration: { defaults: { deduplication: 'whileInFlight' }, jobs: {} } } }],
    world: { spec: { skewMs: 0 }, clock: this.clock },
    violated: (what: string) => this.said.push(what),
  } as unknown as Watched);
  private readonly by = new Instance({ name: 'scanner', clock: this.clock, skewMs: 0, seed: 1 });
  private serial = 0;

  constructor() {
    for (const runId of RUNS) {
      this.written({ pk: 'F', sk: `RUN#${runId}` }, { after: { runId, state: 'scanning', startedAt: 0 } });
      const hashes = new Uint8Array(keyHash('job', 'a'));
      this.written({ pk: `F#${runId}#job#000`, sk: 'KEYS#000000' }, { after: { count: 1, hashes } });
    }
  }

  sent(run: 0 | 1): this {
    this.serial += 1;
    const runId = RUNS[run];
    const place = { v: 1, fanout: 'F', job: 'job', run: runId, segment: 0, page: 0, ordinal: 0 } as const;
    const envelope: Envelope = { ...place, key: 'a', group: 'a', payload: null };
    this.observe({ type: 'queued', fanoutId: 'F', envelope, groupId: 'G', serial: this.serial });
    return this;
  }

  cancelled(run: 0 | 1): this {
    const key = { pk: `F#${RUNS[run]}#job#000#000000`, sk: 'PAGE' };
    this.written(key, { before: {}, after: {}, change: { add: [[['cancelled'], new Set([0])]] } });
    return this;
  }

  private written(key: { readonly pk: string; readonly sk: string }, what: object): void {
    this.observe({ type: 'written', by: this.by, fanoutId: 'F', before: undefined, key, ...what } as Observation);
  }

  private observe(observation: Observation): void {
    this.ledger.observe(observation);
    this.invariant.observe?.(observation);
  }
}

describe('the invariant "deduplication"', () => {
  it('notices a record that is sent while it is in flight for another run', () => {
    expect(new Scene().sent(0).sent(1).said).toEqual([
      `a is sent for run ${RUNS[1]} while it is in flight for run ${RUNS[0]}`,
    ]);
  });

  it('lets a record be sent once its message of the other run is settled', () => {
    expect(new Scene().sent(0).cancelled(0).sent(1).said).toEqual([]);
  });

  it('allows a call to SQS that ends when its record is settled: the consumer drops that message', () => {
    expect(new Scene().cancelled(0).sent(1).sent(0).said).toEqual([]);
  });
});
