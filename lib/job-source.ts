import { CronFanoutError } from '../lambda/contract';
import type { JobSource } from './bundling';
import { refuseBoth } from './checks';
import type { CronFanoutProps } from './props';

/**
 * Where the job module comes from: exactly one of `entry` and `code`.
 *
 * @throws CronFanoutError `JobSourceMissing` or `ConflictingOptions`
 */
export function readSource(props: CronFanoutProps): JobSource {
  refuseBoth(props, 'entry', 'code', 'the job module is either bundled or built already');
  if (props.entry !== undefined) {
    return { entry: props.entry };
  }
  if (props.code !== undefined) {
    return { code: props.code };
  }
  throw new CronFanoutError('JobSourceMissing', {
    what: 'entry',
    received: 'neither entry nor code',
    allowed: 'the path of a job module, or code that is built already',
    change: `add entry: join(__dirname, '../jobs/booking-reminders.ts')`,
  });
}
