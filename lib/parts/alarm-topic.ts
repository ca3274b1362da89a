import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { allowByPolicy } from './encryption';

/**
 * Makes the topic that alarms are sent to. A topic whose policy is set has not the one any more that lets its account publish, so that CloudWatch must be allowed to; and CloudWatch uses the key as
 * itself, so that only the policy of the key can allow it.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
 */
export function createAlarmTopic(scope: Construct, key: IKey | undefined): ITopic {
  const topic = new Topic(scope, 'AlarmTopic', {
    enforceSSL: true,
    ...(key === undefined ? {} : { masterKey: key }),
  });
  topic.addToResourcePolicy(fromAlarms(scope, ['sns:Publish'], topic.topicArn));
  if (key !== undefined) {
    allowByPolicy(scope, key, fromAlarms(scope, ['kms:Decrypt', 'kms:GenerateDataKey*'], '*'));
  }
  return topic;
}

/** What CloudWatch does for the alarms of the account, of any stack. */
function fromAlarms(scope: Construct, actions: string[], resource: string): PolicyStatement {
  const stack = Stack.of(scope);
  const alarms = stack.formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return new PolicyStatement({
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    actions,
    resources: [resource],
    conditions: { StringEquals: { 'aws:SourceAccount': stack.account }, ArnLike: { 'aws:SourceArn': alarms } },
  });
}
