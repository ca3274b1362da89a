import type { VirtualClock } from '../virtual-clock';
import { fractionAt } from '../draw';
import type { Fault, FaultPlan } from './faults';
import type { Instance } from './instance';
import { never } from './never';
import type { StepScheduler } from './step-scheduler';
import type { Trace } from './trace';

/** Part of a lease, and beyond it, for which a process stands still. */
const PAUSE_PER_LEASE = { min: 0.3, max: 4 };
/** Milliseconds after which a call takes effect that failed before. */
const LATE_MS = { min: 100, max: 150_000 };
/** Milliseconds that a slow call takes. */
const SLOW_MS = { min: 200, max: 40_000 };
/** Milliseconds for which the services cannot be reached. */
const AWAY_MS = { min: 100, max: 8_000 };

/** An error of the network or the service, as a client meets it. */
export class CallFailed extends Error {
  constructor(why: string, name = 'CallFailed') {
    super(why);
    this.name = name;
  }
}

/** What the calls of a world share. */
export interface CallOptions {
  readonly clock: VirtualClock;
  readonly steps: StepScheduler;
  readonly plan: FaultPlan;
  readonly trace: Trace;
  readonly seed: number;
  /** Milliseconds of the lease that a pause is measured by. */
  readonly leaseMs: number;
  /** Lets a message that is being worked on be delivered once more. */
  readonly redeliver: (fraction: number) => void;
  readonly onCall: (by: Instance) => void;
  readonly onFault: (by: Instance, fault: Fault) => void;
}

/** Calls of ports: each takes its turn, and may meet a fault. */
export class FaultyCalls {
  /** Until when the services cannot be reached, epoch milliseconds. */
  private awayUntil = 0;

  constructor(private readonly options: CallOptions) {}

  /**
   * Makes a call.
   *
   * @param effect what it does; is given a fault that only it knows how to carry out
   */
  async make<T>(
    instance: Instance,
    kind: 'call' | 'send',
    what: string,
    effect: (fault?: Fault) => Promise<T>,
  ): Promise<T> {
    const { steps, plan, trace, clock } = this.options;
    if (hasEnded(instance)) {
      return never();
    }
    this.options.onCall(instance);
    await steps.turn();
    if (hasEnded(instance)) {
      return this.afterTheEnd(instance, what, effect);
    }
    const fault = clock.now() < this.awayUntil ? 'error' : plan.next(kind);
    trace.add(clock.now(), instance.name, fault === undefined ? what : `${what}  <== ${fault}`);
    if (fault !== undefined) {
      this.options.onFault(instance, fault);
    }
    let result: T;
    try {
      result = await this.meet(instance, fault, what, effect);
    } catch (error) {
      await instance.whenRunning();
      throw error;
    }
    await instance.whenRunning();
    return result;
  }

  private meet<T>(
    instance: Instance,
    fault: Fault | undefined,
    what: string,
    effect: (fault?: Fault) => Promise<T>,
  ): Promise<T> {
    const meetings: Readonly<Partial<Record<Fault, () => Promise<T>>>> = {
      error: () => Promise.reject(new CallFailed('the service cannot be reached')),
      away: () => {
        this.awayUntil = this.options.clock.now() + this.between(AWAY_MS, 0);
        return Promise.reject(new CallFailed('the service cannot be reached'));
      },
      replyLost: () => effect().then(() => Promise.reject(new CallFailed('the reply was lost'))),
      late: () => this.land(instance, what, effect),
      crash: () => this.crash(instance, effect),
      pause: () => this.pause(instance, effect),
      slow: () => this.slow(instance, what, effect),
      redelivery: () => {
        this.options.redeliver(this.options.plan.shape(0));
        return effect();
      },
    };
    const meeting = fault === undefined ? undefined : meetings[fault];
    return meeting === undefined ? effect(fault) : meeting();
  }

  /** The call of a process that has ended: perhaps it was on its way already. */
  private async afterTheEnd<T>(instance: Instance, what: string, effect: () => Promise<T>): Promise<T> {
    const { seed, steps, trace, clock } = this.options;
    if (fractionAt(seed ^ 0x2545f491, steps.steps) < 0.5) {
      trace.add(clock.now(), instance.name, `${what}  (lands after the end)`);
      await effect().catch(() => undefined);
    }
    return never();
  }

  private async land<T>(instance: Instance, what: string, effect: () => Promise<T>): Promise<T> {
    const { clock, trace } = this.options;
    clock.setTimer(this.between(LATE_MS, 0) * this.shape(1), () => {
      trace.add(clock.now(), instance.name, `${what}  (lands late)`);
      effect().catch(() => undefined);
    });
    await Promise.resolve();
    throw new CallFailed('the call timed out', 'TimeoutError');
  }

  private async crash<T>(instance: Instance, effect: () => Promise<T>): Promise<T> {
    if (this.shape(0) < 0.5) {
      await effect().catch(() => undefined);
    }
    instance.kill('crash');
    return never();
  }

  private async pause<T>(instance: Instance, effect: () => Promise<T>): Promise<T> {
    const milliseconds = this.options.leaseMs * this.between(PAUSE_PER_LEASE, 1);
    if (this.shape(0) < 0.5) {
      instance.pause(milliseconds);
      await instance.whenRunning();
      return effect();
    }
    const result = effect();
    instance.pause(milliseconds);
    return result;
  }

  private async slow<T>(instance: Instance, what: string, effect: () => Promise<T>): Promise<T> {
    const { clock } = this.options;
    const milliseconds = this.between(SLOW_MS, 0) * this.shape(1);
    await new Promise<void>((resolve) => clock.setTimer(milliseconds, resolve));
    return hasEnded(instance) ? this.afterTheEnd(instance, what, effect) : effect();
  }

  private between({ min, max }: { readonly min: number; readonly max: number }, aspect: number): number {
    return min + (max - min) * this.shape(aspect);
  }

  private shape(aspect: number): number {
    return this.options.plan.shape(aspect);
  }
}

/** Whether a process has ended, which it may have since it was last asked. */
function hasEnded(instance: Instance): boolean {
  return !instance.isAlive;
}
