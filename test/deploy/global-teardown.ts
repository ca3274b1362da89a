import { processesOf, RUN_VARIABLE } from '../setup/external-run';

/** Fails the run where it leaves a process behind. */
export default function globalTeardown(): void {
  // The workers of jest end after this; they carry no function and no server.
  const left = processesOf(process.env[RUN_VARIABLE] ?? '').filter((line) => !line.includes('jest-worker'));
  if (left.length > 0) {
    throw new Error(`the tests left processes behind:\n${left.join('\n')}`);
  }
}
