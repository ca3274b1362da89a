import timers from 'node:timers';
import { settled } from '../virtual-clock';
import type { Instance } from '../world/instance';
import { runInScope } from './scoped-time';
import type { TimeScope } from './virtual-timers';

/** That of the platform, also where a test has put another one in its place. */
const { setTimeout: realTimer } = timers;

/** Turns of the event loop that code is given whenever it may have something to do: promises, streams and `setImmediate` come to their end in far fewer. */
const TURNS = 20;

/** A call of code that the simulation does not know: it may wait for promises, for its own timers, or for the real world. */
interface OpenCall {
  readonly what: string;
  readonly instance: Instance;
  /** Timers that wait, set by this call. */
  timers: number;
  /** Turns of the event loop that it is still given. */
  turns: number;
  /** Nobody waits for it any more in real time. */
  isGivenUp: boolean;
}

/** What {@link UserCode} is told. */
export interface UserCodeOptions {
  /** Most real milliseconds that a call is waited for which has no timer of its own. */
  readonly patienceMs: number;
  /** Whether calls see the time of the simulation. */
  readonly isTimeVirtual: boolean;
  /** Told of a call that has not ended within the patience. */
  readonly onGivenUp: (what: string) => void;
  /** Told of what a callback of a timer throws. */
  readonly onUncaught: (thrown: unknown) => void;
}

/**
 * Calls of the user's code. The world asks before everything that it lets happen whether one of them still has something to do in real time; one that only waits for a timer, or for nothing that ever comes,
 * does not hold the world up.
 */
export class UserCode {
  private readonly open = new Set<OpenCall>();

  constructor(private readonly options: UserCodeOptions) {}

  /**
   * Calls code, in the time of an execution environment.
   *
   * @param what names it for messages
   * @param signal what may stir it
   */
  call<T>(instance: Instance, what: string, code: () => T, signal?: AbortSignal): T {
    const open: OpenCall = { what, instance, timers: 0, turns: TURNS, isGivenUp: false };
    const scope: TimeScope = {
      clock: instance.clock,
      onTimer: (change) => {
        open.timers += change;
        open.turns = TURNS;
      },
      onUncaught: this.options.onUncaught,
    };
    const result = this.options.isTimeVirtual ? runInScope(scope, code) : code();
    if (isPromise(result)) {
      const stir = (): void => {
        open.turns = TURNS;
      };
      const end = (): void => {
        signal?.removeEventListener('abort', stir);
        this.open.delete(open);
      };
      this.open.add(open);
      signal?.addEventListener('abort', stir);
      result.then(end, end);
    }
    return result;
  }

  /** Waits until no call has anything to do in real time, or the patience is over. */
  async whenWaiting(): Promise<void> {
    while (this.some(({ turns }) => turns > 0)) {
      for (const call of this.open) {
        call.turns -= 1;
      }
      await settled();
    }
    for (let waited = 0; this.some(isInTheRealWorld); waited++) {
      if (waited >= this.options.patienceMs) {
        this.giveUp();
        return;
      }
      await new Promise((resolve) => realTimer(resolve, 1));
    }
  }

  private some(is: (call: OpenCall) => boolean): boolean {
    for (const call of this.open) {
      if (!call.instance.isAlive) {
        this.open.delete(call);
      } else if (is(call)) {
        return true;
      }
    }
    return false;
  }

  private giveUp(): void {
    for (const call of [...this.open].filter(isInTheRealWorld)) {
      call.isGivenUp = true;
      this.options.onGivenUp(call.what);
    }
  }
}

function isInTheRealWorld({ timers: waiting, isGivenUp }: OpenCall): boolean {
  return waiting === 0 && !isGivenUp;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
