import type { TimeScope } from './virtual-timers';

/** A `Date` that reads the clock of the scope of whoever calls it, and the real one outside of a scope. */
export function virtualDate(real: DateConstructor, scope: () => TimeScope | undefined): DateConstructor {
  const now = (): number => scope()?.clock.now() ?? real.now();
  return new Proxy(real, {
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget) as object,
    apply: () => new real(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
  });
}
