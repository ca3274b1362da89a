import fc from 'fast-check';
import {
  changeVisibility,
  deleteReceived,
  receive,
  send,
  SqsError,
  type Queue,
} from '../../../../lambda/simulation/sqs';
import type { VirtualClock } from '../../../../lambda/simulation/virtual-clock';
import { fixture, withDeadLetters } from './fixtures';

const MAX_RECEIVES = 3;
const VISIBILITY_SECONDS = 10;

/** A message as the rules of AWS describe it, in a list: slow and plain. */
interface Modelled {
  readonly body: string;
  readonly group: string;
  /** Epoch milliseconds until which it is in flight. */
  hiddenUntil: number;
  handle: string;
  receives: number;
}

type Step =
  | { readonly do: 'send'; readonly group: string; readonly id: number }
  | { readonly do: 'receive'; readonly limit: number }
  | { readonly do: 'delete'; readonly pick: number }
  | { readonly do: 'hide'; readonly pick: number; readonly seconds: number }
  | { readonly do: 'wait'; readonly milliseconds: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('send' as const), group: fc.constantFrom('a', 'b', 'c'), id: fc.nat(60) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('receive' as const), limit: fc.integer({ min: 1, max: 10 }) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), pick: fc.nat(20) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('hide' as const), pick: fc.nat(20), seconds: fc.constantFrom(0, 1, 15) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('wait' as const), milliseconds: fc.constantFrom(0, 999, 5000, 10_000) }),
    },
  ),
  { maxLength: 60 },
);

class Model {
  readonly stored: Modelled[] = [];
  readonly dead: string[] = [];
  readonly sentIds = new Map<string, number>();
  deleted = 0;
  sent = 0;

  constructor(
    private readonly queue: Queue,
    private readonly clock: VirtualClock,
  ) {}

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case 'send':
        this.send(step.group, `id-${step.id}`);
        break;
      case 'receive':
        this.receive(step.limit);
        break;
      case 'delete':
        this.delete(step.pick);
        break;
      case 'hide':
        this.hide(step.pick, step.seconds);
        break;
      case 'wait':
        await this.clock.advance(step.milliseconds);
        break;
    }
    this.compareCounts();
  }

  private send(group: string, id: string): void {
    const sentAt = this.sentIds.get(id);
    const isDuplicate = sentAt !== undefined && this.clock.now() - sentAt < 300_000;
    const body = `${group}/${this.sent}`;
    send(this.queue, { body, attributes: {}, groupId: group, deduplicationId: id });
    if (!isDuplicate) {
      this.sentIds.set(id, this.clock.now());
      this.stored.push({ body, group, hiddenUntil: 0, handle: '', receives: 0 });
      this.sent += 1;
    }
  }

  private receive(limit: number): void {
    const now = this.clock.now();
    const isInFlight = (message: Modelled): boolean => message.hiddenUntil > now;
    const free = (): Modelled[] => {
      const locked = new Set(this.stored.filter(isInFlight).map(({ group }) => group));
      return this.stored.filter(({ group }) => !locked.has(group));
    };
    const before = free();
    const got = receive(this.queue, { limit });
    expect(got.length).toBeLessThanOrEqual(limit);
    const groups = [...new Set(got.map(({ groupId }) => groupId))];
    for (const group of groups) {
      // Exhausted messages at the front are moved on the way; what is handed out follows in order, without a gap.
      const bodies = got.filter(({ groupId }) => groupId === group).map(({ body }) => body);
      const candidates = before.filter((message) => message.group === group);
      const alive = candidates.filter(({ receives }) => receives < MAX_RECEIVES).map(({ body }) => body);
      expect(bodies).toEqual(alive.slice(0, bodies.length));
      if (group !== groups.at(-1)) {
        expect(bodies).toEqual(alive);
      }
    }
    for (const { body, receiptHandle, receiveCount } of got) {
      const message = this.stored.find((candidate) => candidate.body === body)!;
      message.hiddenUntil = now + VISIBILITY_SECONDS * 1000;
      message.handle = receiptHandle!;
      message.receives += 1;
      expect(receiveCount).toBe(message.receives);
    }
    this.moveDead(before);
    if (got.length < limit) {
      expect(free()).toEqual([]);
    }
  }

  /** Takes over which messages the engine has moved, having checked that each was due to be. */
  private moveDead(candidates: readonly Modelled[]): void {
    const left = new Set(this.queue.list().map(({ body }) => body));
    for (const message of candidates.filter(({ body }) => !left.has(body))) {
      expect(message.receives).toBe(MAX_RECEIVES);
      this.stored.splice(this.stored.indexOf(message), 1);
      this.dead.push(message.body);
    }
  }

  private delete(pick: number): void {
    const message = this.handled(pick);
    if (
      message !== undefined &&
      this.attempt(message, () => {
        deleteReceived(this.queue, message.handle);
      })
    ) {
      this.stored.splice(this.stored.indexOf(message), 1);
      this.deleted += 1;
    }
  }

  private hide(pick: number, seconds: number): void {
    const message = this.handled(pick);
    if (
      message !== undefined &&
      this.attempt(message, () => {
        changeVisibility(this.queue, message.handle, seconds);
      })
    ) {
      message.hiddenUntil = this.clock.now() + seconds * 1000;
    }
  }

  private handled(pick: number): Modelled | undefined {
    const received = this.stored.filter(({ handle }) => handle !== '');
    return received[pick % Math.max(1, received.length)];
  }

  /** Must succeed exactly while the message is in flight. */
  private attempt(message: Modelled, run: () => void): boolean {
    let error: unknown;
    try {
      run();
    } catch (caught) {
      error = caught;
    }
    expect(error instanceof SqsError).toBe(message.hiddenUntil <= this.clock.now());
    return error === undefined;
  }

  private compareCounts(): void {
    const now = this.clock.now();
    const inFlight = this.stored.filter(({ hiddenUntil }) => hiddenUntil > now).length;
    expect(this.queue.counts()).toEqual({ visible: this.stored.length - inFlight, delayed: 0, inFlight });
  }
}

describe('a FIFO queue and a plain model of the documented rules', () => {
  it('agree after every step, and every message ends deleted or in the dead-letter queue', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const { engine, clock } = fixture();
        const { queue, deadLetters } = withDeadLetters(engine, MAX_RECEIVES, {
          VisibilityTimeout: String(VISIBILITY_SECONDS),
        });
        const model = new Model(queue, clock);
        for (const step of script) {
          await model.run(step);
        }
        for (let round = 0; model.stored.length > 0; round++) {
          expect(round).toBeLessThan(200);
          await model.run({ do: 'wait', milliseconds: 15_000 });
          await model.run({ do: 'receive', limit: 10 });
        }
        expect(model.deleted + model.dead.length).toBe(model.sent);
        for (const group of ['a', 'b', 'c']) {
          const ofGroup = (body: string): boolean => body.startsWith(`${group}/`);
          expect(
            deadLetters
              .list()
              .map(({ body }) => body)
              .filter(ofGroup),
          ).toEqual(model.dead.filter(ofGroup));
        }
        expect(deadLetters.counts().visible).toBe(model.dead.length);
      }),
      { numRuns: 150 },
    );
  });
});
