import { fractionAt } from '../draw';
import type { Invariant, InvariantRule, Violation } from '../invariants/invariant';
import { LedgerModel } from '../invariants/ledger-model';
import { MemoryStateStore } from '../memory-state-store';
import { SeededRandomness } from '../seeded-randomness';
import { SqsEngine } from '../sqs';
import { settled, VirtualClock } from '../virtual-clock';
import { SimulatedFanout } from './fanout';
import type { FanoutJobs } from './fanout';
import { FaultPlan } from './faults';
import { FaultyCalls } from './faulty-calls';
import { Instance } from './instance';
import type { Observation } from './observation';
import type { FanoutSpec, WorldSpec } from './spec';
import { envelopeOf, observeQueue } from './queue-observer';
import { takeStep } from './step';
import { StepScheduler } from './step-scheduler';
import { Trace } from './trace';
import type { WorldView } from './world-view';

/** Milliseconds after which a message is delivered once more, at most. */
const LATE_DELIVERY_MS = 40_000;
/** Steps after which a world that has not come to rest never will. */
const MAX_STEPS = 200_000;
/** Name of what is violated where an invariant fails itself. */
export const INTERNAL_ERROR = 'internal error';
/** Hours of the world after which it should long have come to rest. */
const MAX_MS = 24 * 3_600_000;

/** What a world is made of. */
export interface WorldOptions {
  readonly spec: WorldSpec;
  /** Jobs of a fanout. */
  readonly jobs: (fanout: FanoutSpec, world: WorldView) => FanoutJobs;
  /** What must always hold. */
  readonly invariants: readonly InvariantRule[];
  /** Waits for code outside of the world, which knows nothing of its clock, before the next thing happens. @default - there is none */
  readonly outside?: () => Promise<void>;
}

/** What came of a world. */
export interface WorldResult {
  /** What did not hold; the first one ends the world. */
  readonly violation?: Violation;
  readonly steps: number;
  readonly records: number;
  /** Virtual milliseconds. */
  readonly elapsedMs: number;
}

/**
 * A world: fanouts whose deployed policies run over ports in memory, a clock that moves only when nothing else can happen, and a seed that chooses what happens next and what goes wrong. The same spec gives the
 * same world.
 */
export class World implements WorldView {
  readonly spec: WorldSpec;
  readonly clock: VirtualClock;
  readonly steps = new StepScheduler();
  readonly trace = new Trace();
  readonly memory = new MemoryStateStore();
  readonly plan: FaultPlan;
  readonly calls: FaultyCalls;
  readonly engine: SqsEngine;
  readonly fanouts: readonly SimulatedFanout[];
  /** Told of everything that happens. */
  readonly observe: (observation: Observation) => void;
  readonly ledger = new LedgerModel(() => this.clock.now());
  private readonly invariants: readonly Invariant[];
  private readonly start: number;
  private readonly outside: WorldOptions['outside'];
  private instances = 0;
  private found: Violation | undefined;

  constructor({ spec, jobs, invariants, outside }: WorldOptions) {
    this.spec = spec;
    this.clock = new VirtualClock(spec.startsAt);
    this.start = this.clock.now();
    this.outside = outside;
    const { seed } = spec;
    const only = spec.onlyFaults === undefined ? {} : { only: spec.onlyFaults };
    this.plan = new FaultPlan({ seed, rates: spec.faults, places: spec.faultPlaces, ...only });
    this.engine = new SqsEngine({
      clock: this.clock,
      randomness: new SeededRandomness(seed),
      onEvent: (event) => {
        observeQueue(event, this.observe);
      },
    });
    this.observe = (observation) => {
      try {
        this.ledger.observe(observation);
        for (const invariant of this.invariants) {
          invariant.observe?.(observation);
        }
      } catch (error) {
        // Thrown on, it would look like a failure of the code that is watched.
        this.violatedOf(INTERNAL_ERROR)(error instanceof Error ? (error.stack ?? error.message) : String(error));
      }
    };
    const { clock, steps, plan, trace } = this;
    this.calls = new FaultyCalls({
      clock,
      steps,
      plan,
      trace,
      seed,
      leaseMs: Math.max(...spec.fanouts.map(({ configuration }) => configuration.lease)) * 1000,
      redeliver: (fraction) => {
        this.clock.setTimer(Math.max(0, this.plan.shape(1) * 2 - 1) * LATE_DELIVERY_MS, () => {
          this.redeliver(fraction);
        });
      },
      onCall: (by) => {
        this.observe({ type: 'called', by });
      },
      onFault: (by, fault) => {
        this.observe({ type: 'troubled', by, fault });
      },
    });
    this.fanouts = spec.fanouts.map((fanout) => new SimulatedFanout(this, fanout, jobs(fanout, this)));
    this.invariants = invariants.map(({ name, watch }) =>
      watch({ world: this, fanouts: this.fanouts, ledger: this.ledger, violated: this.violatedOf(name) }),
    );
  }

  /** Epoch milliseconds at which the world began. */
  get startedAt(): number {
    return this.start;
  }

  /** The fanout with this id. */
  fanout(fanoutId: string): SimulatedFanout | undefined {
    return this.fanouts.find(({ id }) => id === fanoutId);
  }

  /** The first thing that did not hold. */
  get violation(): Violation | undefined {
    return this.found;
  }

  /** A new execution environment. */
  newInstance(role: string): Instance {
    this.instances += 1;
    const { clock, spec } = this;
    const skew = (fractionAt(spec.seed ^ 0x7f4a7c15, this.instances) * 2 - 1) * spec.skewMs;
    return new Instance({
      name: `${role}-${this.instances}`,
      clock,
      skewMs: Math.round(skew),
      seed: Math.imul(spec.seed, 1_000_003) + this.instances,
    });
  }

  /** Runs until nothing is left to do, or something does not hold. */
  async run(): Promise<WorldResult> {
    for (const fanout of this.fanouts) {
      fanout.start();
    }
    while (this.found === undefined && (await this.next()));
    return {
      ...(this.found === undefined ? {} : { violation: this.found }),
      steps: this.steps.steps,
      records: this.spec.fanouts.flatMap(({ jobs }) => jobs).reduce((sum, { records }) => sum + records.length, 0),
      elapsedMs: this.clock.now() - this.start,
    };
  }

  /** Lets one thing happen; answers whether the world goes on. */
  private async next(): Promise<boolean> {
    await settled();
    await this.outside?.();
    const { clock, steps, spec } = this;
    if (steps.size > 0) {
      takeStep(steps, clock, spec.seed);
      return this.isWithinBounds();
    }
    if (this.isAtRest()) {
      this.rest();
      return false;
    }
    return clock.fireNext() && this.isWithinBounds();
  }

  private isAtRest(): boolean {
    return (
      this.fanouts.every(({ isIdle }) => isIdle) && this.invariants.every(({ waitsFor }) => waitsFor?.() === undefined)
    );
  }

  private rest(): void {
    for (const invariant of this.invariants) {
      if (this.found === undefined) {
        invariant.atRest?.();
      }
    }
  }

  private isWithinBounds(): boolean {
    const elapsed = this.clock.now() - this.start;
    const { maxSteps = MAX_STEPS, maxMs = MAX_MS } = this.spec;
    if (this.steps.steps < maxSteps && elapsed < maxMs) {
      return true;
    }
    const waiting = this.invariants.flatMap(({ waitsFor }) => waitsFor?.() ?? []);
    const queues = this.fanouts.map(({ id, queue }) => `${id}: ${JSON.stringify(queue.counts())}`);
    this.violatedOf('nothing is lost')(
      `the world has not come to rest after ${this.steps.steps} steps and ${Math.round(elapsed / 60_000)} minutes: ${[...waiting, ...queues].join('; ')}`,
    );
    return false;
  }

  private violatedOf(name: string): (what: string) => void {
    return (what) => {
      if (this.found === undefined) {
        this.found = { invariant: name, what, at: this.clock.now(), step: this.steps.steps };
        this.trace.add(this.clock.now(), '!', `${name}: ${what}`);
      }
    };
  }

  private redeliver(fraction: number): void {
    const inFlight = this.fanouts.flatMap(({ queue }) =>
      queue.list().flatMap((message) => (message.state === 'inFlight' ? [{ queue, message }] : [])),
    );
    const chosen = inFlight[Math.floor(fraction * inFlight.length)];
    if (chosen !== undefined) {
      this.trace.add(this.clock.now(), 'sqs', `delivers ${envelopeOf(chosen.message.body)?.key ?? '?'} once more`);
      chosen.queue.hideUntil(chosen.message, this.clock.now());
    }
  }
}
