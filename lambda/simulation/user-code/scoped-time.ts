import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import { virtualDate } from './virtual-date';
import type { TimeScope } from './virtual-timers';
import { isVirtual, sleepVirtually, timeoutSignal, VirtualTimer } from './virtual-timers';

/** Where the state is kept: two copies of the package may meet in a process, and must not replace what the other has replaced. */
const PLACE = Symbol.for('cron-fanout.simulation.time');

/** Time of the platform, replaced for the code of simulated jobs alone. */
interface ScopedTime {
  readonly scopes: AsyncLocalStorage<TimeScope>;
  /** Simulations that run. */
  users: number;
  restore: () => void;
}

function scopedTime(): ScopedTime {
  const places = globalThis as unknown as Record<symbol, ScopedTime | undefined>;
  return (places[PLACE] ??= { scopes: new AsyncLocalStorage(), users: 0, restore: () => undefined });
}

/** Runs code in a scope: what it reads as the time, and the timers that it sets, are those of the scope's clock, also after it has waited. */
export function runInScope<T>(scope: TimeScope, code: () => T): T {
  return scopedTime().scopes.run(scope, code);
}

/**
 * Replaces `Date`, `setTimeout`, `setInterval`, those of `node:timers/promises`, and `AbortSignal.timeout` by ones that follow the scope of whoever calls them. Outside of a scope they are what they were.
 *
 * @returns puts everything back, once no other simulation needs it
 */
export function replaceTime(): () => void {
  const time = scopedTime();
  if (time.users === 0) {
    time.restore = install(() => time.scopes.getStore());
  }
  time.users += 1;
  return () => {
    time.users -= 1;
    if (time.users === 0) {
      time.restore();
      Reflect.deleteProperty(globalThis, PLACE);
    }
  };
}

type Scope = () => TimeScope | undefined;

function install(scope: Scope): () => void {
  const undo = [
    replace(globalThis, 'Date', virtualDate(globalThis.Date, scope)),
    replace(globalThis.AbortSignal, 'timeout', scopedSignal(scope)),
    ...[globalThis, timers].flatMap((owner) => replaceTimers(owner, scope)),
    replace(timersPromises, 'setTimeout', scopedSleep(timersPromises.setTimeout, scope)),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const put of undo) {
      put();
    }
    syncBuiltinESMExports();
  };
}

/** Puts the old value back only where nobody has replaced the new one meanwhile, as fake timers of a test runner may. */
function replace<T extends object, N extends keyof T>(owner: T, name: N, value: T[N]): () => void {
  const old = owner[name];
  owner[name] = value;
  return () => {
    if (owner[name] === value) {
      owner[name] = old;
    }
  };
}

type TimerFunctions = Pick<typeof timers, 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval'>;

function replaceTimers(owner: TimerFunctions, scope: Scope): (() => void)[] {
  const { setTimeout: once, setInterval: again, clearTimeout: clearOnce, clearInterval: clearAgain } = owner;
  const sleep = scopedSleep(promisify(once), scope);
  return [
    replace(
      owner,
      'setTimeout',
      Object.assign(scopedTimer(once, scope, false), { [promisify.custom]: sleep }) as never,
    ),
    replace(owner, 'setInterval', scopedTimer(again, scope, true) as never),
    replace(owner, 'clearTimeout', scopedClear(clearOnce)),
    replace(owner, 'clearInterval', scopedClear(clearAgain)),
  ];
}

type Callback = (...values: unknown[]) => void;

function scopedTimer(real: unknown, scope: Scope, repeats: boolean) {
  return (callback: Callback, milliseconds?: number, ...values: unknown[]): unknown => {
    const current = scope();
    return current === undefined
      ? (real as (...values: unknown[]) => unknown)(callback, milliseconds, ...values)
      : new VirtualTimer(current, repeats, milliseconds, () => {
          runInScope(current, () => {
            callback(...values);
          });
        });
  };
}

function scopedClear(real: (timer?: never) => void) {
  return (timer?: unknown): void => {
    if (isVirtual(timer)) {
      timer.close();
    } else {
      real(timer as never);
    }
  };
}

type Sleep = (milliseconds?: number, value?: unknown, options?: { readonly signal?: AbortSignal }) => Promise<unknown>;

function scopedSleep(real: unknown, scope: Scope): never {
  const sleep: Sleep = (milliseconds, value, options) => {
    const current = scope();
    return current === undefined
      ? (real as Sleep)(milliseconds, value, options)
      : sleepVirtually(current, milliseconds, value, options?.signal);
  };
  return sleep as never;
}

function scopedSignal(scope: Scope): typeof AbortSignal.timeout {
  const real = globalThis.AbortSignal.timeout.bind(globalThis.AbortSignal);
  return (milliseconds) => {
    const current = scope();
    return current === undefined ? real(milliseconds) : timeoutSignal(current, milliseconds);
  };
}
