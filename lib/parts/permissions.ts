import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** What DynamoDB needs of a customer-managed key on behalf of a caller. @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html */
const TABLE_KEY_ACTIONS = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*'];

/** Allows a role to send to a queue, encrypted as it is: whoever sends needs the data key, not only whoever receives. */
export function grantSend(role: IRole, queue: IQueue): void {
  role.addToPrincipalPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
  queue.encryptionMasterKey?.grant(role, 'kms:Decrypt', 'kms:GenerateDataKey*');
}

/** Allows a role to consume a queue by an event source mapping, and to hide messages for their back-off. */
export function grantConsume(role: IRole, queue: IQueue): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
      resources: [queue.queueArn],
    }),
  );
  queue.encryptionMasterKey?.grant(role, 'kms:Decrypt');
}

/**
 * Allows a role to read and write the items of one fanout, whose partition keys are `F` or begin with `F#`. A condition on keys says nothing of an action that has
 * none (Scan), which is why there is no such action here; `Null` refuses calls that carry no key.
 */
export function grantOwnItems(role: IRole, table: ITable, fanoutId: string): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: [
        'dynamodb:BatchGetItem',
        'dynamodb:DeleteItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:Query',
        'dynamodb:UpdateItem',
      ],
      resources: [table.tableArn],
      conditions: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [fanoutId, `${fanoutId}#*`] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    }),
  );
  table.encryptionKey?.grant(role, ...TABLE_KEY_ACTIONS);
}

/** Allows a role to write to one log group. */
export function grantLogs(role: IRole, logGroup: ILogGroup): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroup.logGroupArn] }),
  );
}

/** Allows a function's role to attach the function to a VPC. The interfaces do not exist yet, so that no resource can be named. */
export function grantNetwork(role: IRole): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: [
        'ec2:AssignPrivateIpAddresses',
        'ec2:CreateNetworkInterface',
        'ec2:DeleteNetworkInterface',
        'ec2:DescribeNetworkInterfaces',
        'ec2:DescribeSubnets',
        'ec2:UnassignPrivateIpAddresses',
      ],
      resources: ['*'],
    }),
  );
}
