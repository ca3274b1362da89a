import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IAlias, IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { CronFanoutError } from '../../lambda/contract';
import type { CronFanoutProps } from '../props';
import { attachWarnings } from '../warnings';

/**
 * The options with the key that `encryptionKey` really is, which CloudWatch Logs may use from here on.
 *
 * @throws CronFanoutError `KeyRequired` for an alias whose key is not known: Logs takes no alias, and no role can be allowed to use one
 */
export function withKey<T extends Pick<CronFanoutProps, 'encryptionKey'>>(scope: Construct, options: T): T {
  if (options.encryptionKey === undefined) {
    return options;
  }
  const encryptionKey = keyBehind(options.encryptionKey);
  allowLogs(scope, encryptionKey);
  return { ...options, encryptionKey };
}

/**
 * The key that an alias stands for, or the key itself.
 *
 * @throws CronFanoutError `KeyRequired`
 */
export function keyBehind(key: IKey | IAlias): IKey {
  if (!('aliasName' in key)) {
    return key;
  }
  try {
    return key.aliasTargetKey;
  } catch (cause) {
    throw new CronFanoutError('KeyRequired', {
      what: 'encryptionKey',
      received: `${key.node.path}, an alias that was imported by its name`,
      allowed: 'a key: CloudWatch Logs takes no alias, and no role can be allowed to use one',
      change: 'import the key by its ARN, Key.fromKeyArn(scope, id, keyArn), or find it at synth with Key.fromLookup',
      cause,
    });
  }
}

/**
 * CloudWatch Logs encrypts as itself, so that only the policy of the key can allow it: for log groups of the fanout's account and region. Their names are not known before they exist.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
function allowLogs(scope: Construct, key: IKey): void {
  const stack = Stack.of(scope);
  const statement = new PolicyStatement({
    principals: [new ServicePrincipal(`logs.${stack.region}.${stack.urlSuffix}`)],
    actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
    resources: ['*'],
    conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': anyLogGroup(stack) } },
  });
  allowByPolicy(scope, key, statement);
}

/** Adds to the policy of a key what no role can be given, or says what its owner has to add. */
export function allowByPolicy(scope: Construct, key: IKey, statement: PolicyStatement): void {
  if (!key.addToResourcePolicy(statement).statementAdded) {
    attachWarnings(scope, [
      {
        id: 'cron-fanout:importedKey',
        message: `encryptionKey ${key.node.path} was not created here, so that its policy can't be changed: deploying fails unless its owner lets the account's roles use it and adds (with partition, region and account of this stack for each Ref) ${JSON.stringify(Stack.of(scope).resolve(statement.toJSON()))}`,
      },
    ]);
  }
}

function anyLogGroup(stack: Stack): string {
  return stack.formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
