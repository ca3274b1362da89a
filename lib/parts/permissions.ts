import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** Something that a role may do. */
export interface Permission {
  readonly statement: PolicyStatement;
  /** Lets the role use the key that the resource is encrypted with, if there is one. */
  readonly useKey?: (role: IRole) => void;
}

/** What DynamoDB needs of a customer-managed key on behalf of a caller. @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html */
const TABLE_KEY_ACTIONS = ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*'];

/** To send to a queue. Whoever sends needs the data key of an encrypted one, not only whoever receives. */
export function sendTo(queue: IQueue): Permission {
  return {
    statement: new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }),
    useKey: (role) => queue.encryptionMasterKey?.grant(role, 'kms:Decrypt', 'kms:GenerateDataKey*'),
  };
}

/** To consume a queue by an event source mapping, and to hide messages for their back-off. */
export function consume(queue: IQueue): Permission {
  return {
    statement: new PolicyStatement({
      actions: ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
      resources: [queue.queueArn],
    }),
    useKey: (role) => queue.encryptionMasterKey?.grant(role, 'kms:Decrypt'),
  };
}

/**
 * To read and write the items of one fanout, whose partition keys are `F` or begin with `F#`. A condition on keys says nothing of an action that has none (Scan),
 * which is why there is no such action here; `Null` refuses calls that carry no key.
 */
export function useOwnItems(table: ITable, fanoutId: string): Permission {
  return {
    statement: new PolicyStatement({
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
    useKey: (role) => table.encryptionKey?.grant(role, ...TABLE_KEY_ACTIONS),
  };
}

/** To write to one log group. */
export function writeLogs(logGroup: ILogGroup): Permission {
  return {
    statement: new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    }),
  };
}

/** To invoke a function by its plain ARN: none of its versions and aliases. */
export function invoke(target: Function): Permission {
  return { statement: new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] }) };
}

/** To attach a function to a VPC. The interfaces do not exist yet, so that no resource can be named. */
export function useNetwork(): Permission {
  return {
    statement: new PolicyStatement({
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
  };
}
