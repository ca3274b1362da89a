import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { CronFanoutProps } from '../props';
import { removalPolicyOf } from './removal-policy';

/**
 * The log group of a function. It is made here, without a name, whatever the feature flags: a group that Lambda makes has no end to its retention, and one
 * with a name collides with what an earlier stack has left.
 */
export function createLogGroup(scope: Construct, id: string, props: CronFanoutProps): LogGroup {
  if (props.encryptionKey !== undefined) {
    allowLogs(props.encryptionKey);
  }
  return new LogGroup(scope, id, {
    retention: props.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: removalPolicyOf(props),
    ...(props.encryptionKey === undefined ? {} : { encryptionKey: props.encryptionKey }),
  });
}

/**
 * CloudWatch Logs encrypts as itself, so that only the key's policy can allow it. An imported key has to have this in its policy already.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
function allowLogs(key: IKey): void {
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${Aws.REGION}.${Aws.URL_SUFFIX}`)],
      actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
      resources: ['*'],
      conditions: {
        ArnLike: {
          'kms:EncryptionContext:aws:logs:arn': `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:*`,
        },
      },
    }),
  );
}
