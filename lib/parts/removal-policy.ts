import { RemovalPolicy } from 'aws-cdk-lib';
import { CronFanoutError } from '../../lambda/contract';
import type { StorageOptions } from '../props';

/**
 * What becomes of everything that holds data when it is removed from the stack.
 *
 * @throws CronFanoutError `UnsupportedRemovalPolicy`: neither queues, tables on demand nor logs have snapshots
 */
export function removalPolicyOf({ removalPolicy = RemovalPolicy.RETAIN }: StorageOptions): RemovalPolicy {
  if (removalPolicy === RemovalPolicy.SNAPSHOT) {
    throw new CronFanoutError('UnsupportedRemovalPolicy', {
      what: 'removalPolicy',
      received: 'SNAPSHOT',
      allowed: 'RETAIN, DESTROY or RETAIN_ON_UPDATE_OR_DELETE',
      change: 'choose RETAIN',
    });
  }
  return removalPolicy;
}
