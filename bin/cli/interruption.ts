/** Exit codes of a process that a signal ended, as shells have them: 128 + number of the signal. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** A shell and a runner between it and us may pass the same Ctrl-C on twice: what follows this soon, in milliseconds, is no second one. */
const SAME_SIGNAL_MS = 500;

/** A signal that asks the process to end. */
export type StopSignal = keyof typeof EXIT_CODES;

/** Ctrl-C and its kin. */
export interface Interruption {
  /** Fires with the first signal. */
  readonly signal: AbortSignal;
  /** The exit code that belongs to the signal that came; `undefined` while none has. */
  readonly exitCode: () => number | undefined;
  /** Listens no more. */
  readonly dispose: () => void;
}

/**
 * Listens for signals that ask the process to end. The first one lets it stop cleanly.
 *
 * @param onSecond called with any further one: whoever sends it does not want to wait
 */
export function listenForInterruption(onSecond: (exitCode: number) => void): Interruption {
  const controller = new AbortController();
  let received: StopSignal | undefined;
  let receivedAt = 0;
  const onSignal = (name: StopSignal): void => {
    if (received !== undefined) {
      if (performance.now() - receivedAt > SAME_SIGNAL_MS) {
        onSecond(EXIT_CODES[name]);
      }
      return;
    }
    received = name;
    receivedAt = performance.now();
    controller.abort();
  };
  const names = Object.keys(EXIT_CODES) as StopSignal[];
  for (const name of names) {
    process.on(name, onSignal);
  }
  return {
    signal: controller.signal,
    exitCode: () => (received === undefined ? undefined : EXIT_CODES[received]),
    dispose: () => {
      for (const name of names) {
        process.off(name, onSignal);
      }
    },
  };
}
