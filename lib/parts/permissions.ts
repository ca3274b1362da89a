import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, Grant, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { onAllResources } from './findings';
import type { Finding } from './findings';

/** Something that a role may do. */
export interface Permission {
  readonly statements: readonly PolicyStatement[];
  /** What it takes of keys, if there are any. */
  readonly keys?: readonly KeyUse[];
  /** Lets the role use what may stand in another account, and has a policy of its own. */
  readonly grant?: (role: IRole) => void;
  /** What cdk-nag has to say of the statements, where it is mistaken. */
  readonly findings?: readonly Finding[];
}

/** Actions with the key of something. */
export interface KeyUse {
  /** Absent where it is encrypted with a key that AWS owns or manages. */
  readonly key: IKey | undefined;
  readonly actions: readonly string[];
}

/**
 * What DynamoDB needs of a customer-managed key on behalf of a caller.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 */
const TABLE_KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/**
 * To send to a queue. Whoever sends needs the data key of an encrypted one, not only whoever receives.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 */
export function sendTo(queue: IQueue): Permission {
  return {
    statements: [new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] })],
    keys: [{ key: queue.encryptionMasterKey, actions: ['kms:Decrypt', 'kms:GenerateDataKey'] }],
  };
}

/** To consume a queue by an event source mapping, and to hide messages for their back-off. */
export function consume(queue: IQueue): Permission {
  return {
    statements: [
      new PolicyStatement({
        actions: ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
        resources: [queue.queueArn],
      }),
    ],
    keys: [{ key: queue.encryptionMasterKey, actions: ['kms:Decrypt'] }],
  };
}

/**
 * To read and write the items of one fanout, whose partition keys are `F` or begin with `F#`. A condition on keys says nothing of an action that has none (Scan),
 * which is why there is no such action here; `Null` refuses calls that carry no key.
 */
export function useOwnItems(table: ITable, fanoutId: string): Permission {
  return {
    statements: [
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
    ],
    keys: [{ key: table.encryptionKey, actions: TABLE_KEY_ACTIONS }],
  };
}

/** To write to one log group. */
export function writeLogs(logGroup: ILogGroup): Permission {
  return {
    statements: [
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    ],
  };
}

/** To invoke a function by its plain ARN: none of its versions and aliases. */
export function invoke(target: Function): Permission {
  return { statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] })] };
}

/**
 * To read the value of a secret. The CDK's own grant lets whoever reads use the key by the policy of the key, which nobody can change from here when it is imported, and which makes a cycle
 * when the key stands in another stack.
 */
export function readSecret(secret: ISecret): Permission {
  return {
    statements: [],
    keys: [{ key: secret.encryptionKey, actions: ['kms:Decrypt'] }],
    grant: (role) => {
      Grant.addToPrincipalOrResource({
        grantee: role,
        actions: ['secretsmanager:GetSecretValue'],
        // A secret that was imported by its name has an ARN without the six characters that Secrets Manager appends.
        resourceArns: [secret.secretFullArn ?? `${secret.secretArn}-??????`],
        resource: secret,
      });
    },
  };
}

/** To decrypt with a key, as Lambda does with the environment of a function in the name of its role. */
export function decryptWith(key: IKey): Permission {
  return { statements: [], keys: [{ key, actions: ['kms:Decrypt'] }] };
}

/** What Lambda does in the name of a role to attach a function to a VPC. */
const NETWORK_ACTIONS = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * To attach a function to a VPC. The interfaces do not exist yet, so that no resource can be named.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
export function useNetwork(): Permission {
  return {
    statements: [new PolicyStatement({ actions: NETWORK_ACTIONS, resources: ['*'] })],
    findings: onAllResources(
      'Lambda asks for these on all resources: the network interfaces that it makes have no names before they exist',
    ),
  };
}

/** Keeps network interfaces to Lambda itself: the code of the functions that run with the role may not touch them. */
export function leaveNetworkToLambda(scope: IConstruct): Permission {
  const anyFunction = Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return {
    statements: [
      new PolicyStatement({
        effect: Effect.DENY,
        actions: NETWORK_ACTIONS,
        resources: ['*'],
        conditions: { ArnLike: { 'lambda:SourceFunctionArn': anyFunction } },
      }),
    ],
  };
}

/** To send trace segments to X-Ray, which has no resources to name. */
export function writeTraces(): Permission {
  return {
    statements: [
      new PolicyStatement({ actions: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], resources: ['*'] }),
    ],
    findings: onAllResources('X-Ray has no resources that these actions could be allowed on'),
  };
}
