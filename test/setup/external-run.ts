import { readdirSync, readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';

/** Environment variable that marks every process that a run of tests starts, and what those start. */
export const RUN_VARIABLE = 'CRON_FANOUT_TEST_RUN';

/** For `globalSetup` of jest: gives the run its mark. */
export function markRun(): void {
  process.env[RUN_VARIABLE] = randomUUID();
}

/**
 * Command lines of the processes that a run has left behind. Where the system has no `/proc`, none can be seen.
 *
 * @param run its mark
 */
export function processesOf(run: string): string[] {
  return processIds().flatMap((id) => {
    try {
      const isOfRun = readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(`${RUN_VARIABLE}=${run}`);
      return isOfRun && id !== String(process.pid)
        ? [`${id}: ${readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ')}`]
        : [];
    } catch {
      // It ended meanwhile, or is somebody else's.
      return [];
    }
  });
}

function processIds(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
