import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { CronFanoutProps } from '../props';
import { removalPolicyOf } from './removal-policy';

/**
 * The log group of a function. It is made here, without a name, whatever the feature flags: a group that Lambda makes has no end to its retention, and one
 * with a name collides with what an earlier stack has left.
 */
export function createLogGroup(scope: Construct, id: string, props: CronFanoutProps): LogGroup {
  return new LogGroup(scope, id, {
    retention: props.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: removalPolicyOf(props),
    ...(props.encryptionKey === undefined ? {} : { encryptionKey: props.encryptionKey }),
  });
}
