/** What a process that is gone hears of its calls: nothing. A promise for each call, since one that lives on would keep all that waits for it. */
export function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}
