const POLL_MS = 250;
const DEADLINE_MS = 360_000;

/**
 * Asks until the answer satisfies; resolves with it.
 *
 * @param what names the event that is waited for
 * @throws Error with the last answer after six minutes: far more than any event takes, even on a machine that is busy
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T>,
  isReached: (answer: T) => boolean,
): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const answer = await ask();
    if (isReached(answer)) {
      return answer;
    }
    if (Date.now() > deadline) {
      throw new Error(`${what}: not seen within ${DEADLINE_MS / 1000} seconds; at last ${JSON.stringify(answer)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
