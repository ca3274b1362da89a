import { rmSync } from 'node:fs';
import { folder } from './places';

/** Removes everything that the run made. */
export default function globalTeardown(): void {
  if (process.env.CRON_FANOUT_KEEP === '1') {
    process.stderr.write(`kept: ${folder()}\n`);
    return;
  }
  rmSync(folder(), { recursive: true, force: true });
}
