import type { Envelope } from '../../../../lambda/contract';
import { keyHash } from '../../../../lambda/ledger';
import { LedgerModel } from '../../../../lambda/simulation/invariants/ledger-model';
import type { Watched } from '../../../../lambda/simulation/invariants/invariant';
import { order } from '../../../../lambda/simulation/invariants/order';
import { Instance } from '../../../../lambda/simulation/world/instance';
import type { Observation } from '../../../../lambda/simulation/world/observation';
import { VirtualClock } from '../../../../lambda/simulation/virtual-clock';

const RUN = '2026-01-01T00:00:00Z';
const KEYS = ['a', 'b', 'c'];

/** A page of three records of one group, and what the invariant says of what happens to their messages. */
class Scene {
  readonly said: string[] = [];
  private readonly ledger = new LedgerModel(() => 0);
  private readonly invariant = order.watch({
    ledger: this.ledger,
    fanouts: [],
    violated: (what: string) => this.said.push(what),
  } as unknown as Watched);
  private readonly by = new Instance({ name: 'worker', clock: new VirtualClock(), skewMs: 0, seed: 1 });
  private serial = 0;

  constructor() {
    const write = { type: 'written', by: this.by, fanoutId: 'F', before: undefined } as const;
    this.observe({ ...write, key: { pk: 'F', sk: `RUN#${RUN}` }, after: { runId: RUN, state: 'scanning' } });
    const hashes = new Uint8Array(Buffer.concat(KEYS.map((key) => keyHash('job', key))));
    this.observe({
      ...write,
      key: { pk: `F#${RUN}#job#000`, sk: 'KEYS#000000' },
      after: { count: KEYS.length, hashes },
    });
  }

  sent(...keys: readonly string[]): this {
    for (const key of keys) {
      this.serial += 1;
      const { serial } = this;
      this.observe({ type: 'queued', fanoutId: 'F', envelope: envelope(key), groupId: 'G', serial });
    }
    return this;
  }

  expired(...keys: readonly string[]): this {
    for (const key of keys) {
      this.observe({ type: 'backstopped', fanoutId: 'F', envelope: envelope(key), isLost: true });
    }
    return this;
  }

  settled(key: string): this {
    this.observe({
      type: 'written',
      by: this.by,
      fanoutId: 'F',
      key: { pk: `F#${RUN}#job#000#000000`, sk: 'PAGE' },
      before: {},
      after: {},
      change: { add: [[['succeeded'], new Set([KEYS.indexOf(key)])]] },
    });
    return this;
  }

  started(key: string): this {
    const call = {
      ...{ instance: this.by, fanoutId: 'F', runId: RUN, jobType: 'job', key, group: 'g' },
      ...{ attempt: 1, maxAttempts: 1, idempotencyKey: key, startedAt: 0, deadline: 0 },
    };
    this.observe({ type: 'handlerStarted', call });
    return this;
  }

  private observe(observation: Observation): void {
    this.ledger.observe(observation);
    this.invariant.observe?.(observation);
  }
}

function envelope(key: string): Envelope {
  const ordinal = KEYS.indexOf(key);
  return { v: 1, fanout: 'F', job: 'job', run: RUN, segment: 0, page: 0, ordinal, key, group: 'g', payload: null };
}

describe('the invariant "order"', () => {
  it('lets handlers start one after another', () => {
    const scene = new Scene().sent('a', 'b').started('a').settled('a').started('b');
    expect(scene.said).toEqual([]);
  });

  it('notices a handler that starts before the message ahead of it is settled', () => {
    const scene = new Scene().sent('a', 'b').started('b');
    expect(scene.said).toEqual([expect.stringMatching(/handler of b .* starts before a .* is settled/)]);
  });

  it('does not wait for a message that is lost', () => {
    const scene = new Scene().sent('a', 'b').expired('a').started('b');
    expect(scene.said).toEqual([]);
  });

  it('knows that a lost message which is sent again lies behind those before it, and before those after it', () => {
    const scene = new Scene().sent('a', 'b').expired('a', 'b').sent('a', 'b', 'c');
    scene.started('a').settled('a').started('b');
    expect(scene.said).toEqual([]);
    scene.started('c');
    expect(scene.said).toEqual([expect.stringMatching(/handler of c .* starts before b .* is settled/)]);
  });

  it('takes a record by the oldest of its messages that is left', () => {
    const scene = new Scene().sent('a', 'b').sent('a').started('a');
    expect(scene.said).toEqual([]);
    scene.settled('a').started('b');
    expect(scene.said).toEqual([]);
  });
});
