import type { Clock, Timer } from '../../ports';
import type { VirtualClock } from '../virtual-clock';
import { settled } from '../virtual-clock';
import { SeededRandomness } from '../seeded-randomness';
import { never } from './never';

/** What an {@link Instance} is made of. */
export interface InstanceOptions {
  readonly name: string;
  readonly clock: VirtualClock;
  /** Milliseconds by which its clock is ahead; negative: behind. */
  readonly skewMs: number;
  readonly seed: number;
}

/**
 * One execution environment: a process with its own clock, that may stand still, freeze between invocations, or end. Once it has ended nothing that it waited for ever comes.
 *
 * States: `running`, `paused` (until a time, or until it is thawed), `ended`.
 */
export class Instance {
  readonly name: string;
  /** The clock of the process: skewed, and its timers fire only while it runs. */
  readonly clock: Clock;
  readonly randomness: SeededRandomness;
  /** When Lambda ends its present invocation, epoch milliseconds of the world. */
  deadline = Infinity;
  /** Rejects when the environment ends. */
  readonly ended: Promise<never>;
  private state: 'running' | 'paused' | 'ended' = 'running';
  private readonly waiting: (() => void)[] = [];
  private readonly world: VirtualClock;
  private end: (error: Error) => void = () => undefined;

  constructor({ name, clock, skewMs, seed }: InstanceOptions) {
    this.name = name;
    this.world = clock;
    this.randomness = new SeededRandomness(seed);
    this.ended = new Promise<never>((_, reject) => {
      this.end = reject;
    });
    this.ended.catch(() => undefined);
    this.clock = {
      // Whole milliseconds, as a real clock reads them.
      now: () => Math.floor(clock.now()) + skewMs,
      setTimer: (milliseconds, callback) => this.setTimer(milliseconds, callback),
    };
  }

  /** Whether the environment has not ended. */
  get isAlive(): boolean {
    return this.state !== 'ended';
  }

  /** Whether it runs right now. */
  get isRunning(): boolean {
    return this.state === 'running';
  }

  /** Ends the environment. */
  kill(why: string): void {
    if (this.state !== 'ended') {
      this.state = 'ended';
      this.waiting.length = 0;
      this.end(new Error(`the environment ended: ${why}`));
    }
  }

  /** Lets the process stand still for some milliseconds. */
  pause(milliseconds: number): void {
    if (this.state === 'running') {
      this.freeze();
      this.world.setTimer(milliseconds, () => {
        this.thaw();
      });
    }
  }

  /** Lets the process stand still until it is thawed. */
  freeze(): void {
    if (this.state === 'running') {
      this.state = 'paused';
    }
  }

  /** Lets the process go on: what it waited for meanwhile comes one after another, as timers that are overdue do. */
  thaw(): void {
    if (this.state === 'paused') {
      this.state = 'running';
      void this.catchUp();
    }
  }

  private async catchUp(): Promise<void> {
    while (this.state === 'running' && this.waiting.length > 0) {
      this.waiting.shift()?.();
      await settled();
    }
  }

  /** Resolves as soon as the process runs; never, once it has ended. */
  whenRunning(): Promise<void> {
    switch (this.state) {
      case 'running':
        return Promise.resolve();
      case 'paused':
        return new Promise((resolve) => this.waiting.push(resolve));
      case 'ended':
        return never();
    }
  }

  private setTimer(milliseconds: number, callback: () => void): Timer {
    let isSet = true;
    const timer = this.world.setTimer(milliseconds, () => {
      this.run(() => {
        // It may have been cancelled while the process stood still.
        if (isSet) {
          callback();
        }
      });
    });
    return {
      cancel: () => {
        isSet = false;
        timer.cancel();
      },
    };
  }

  private run(callback: () => void): void {
    switch (this.state) {
      case 'running':
        if (this.waiting.length === 0) {
          callback();
          return;
        }
        this.waiting.push(callback);
        return;
      case 'paused':
        this.waiting.push(callback);
        return;
      case 'ended':
    }
  }
}
