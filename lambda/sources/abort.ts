/**
 * The result of a call, unless the signal fires first: then it rejects with the reason of the signal, even where the call never ends. What the call
 * comes to after that is not looked at.
 */
export async function unlessAborted<T>(signal: AbortSignal, call: () => T | PromiseLike<T>): Promise<T> {
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = (): void => {
      reject(reasonOf(signal));
    };
  });
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([call(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('the scan was stopped', { cause: signal.reason });
}
