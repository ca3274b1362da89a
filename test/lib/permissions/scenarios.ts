import { Duration } from 'aws-cdk-lib';
import type { Stack } from 'aws-cdk-lib';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { CronFanout, CronFanoutShared } from '../../../lib';
import type { CronFanoutProps } from '../../../lib';
import { ENTRY, testStack } from '../fanout-stack';
import { TemplatePolicies } from './grants';

/** Options that allow more, each by itself. */
export const OPTIONS = {
  encryptionKey: (stack: Stack) => ({ encryptionKey: new Key(stack, 'Key') }),
  vpc: (stack: Stack) => ({
    vpc: Vpc.fromVpcAttributes(stack, 'Vpc', {
      vpcId: 'vpc-0123456789abcdef0',
      availabilityZones: ['a'],
      privateSubnetIds: ['subnet-0123456789abcdef0'],
      privateSubnetRouteTableIds: ['rtb-0123456789abcdef0'],
    }),
  }),
  secrets: (stack: Stack) => ({ secrets: { DB: new Secret(stack, 'Secret') as ISecret } }),
  tracing: () => ({ tracing: Tracing.ACTIVE }),
} satisfies Readonly<Record<string, Scenario>>;

/** Options of a fanout, with what they name. */
export type Scenario = (stack: Stack) => Partial<CronFanoutProps>;

/** A fanout of a scenario. */
export function fanoutOf(make: Scenario, stack: Stack): CronFanout {
  const schedule = ScheduleExpression.rate(Duration.hours(1));
  return new CronFanout(stack, 'Fanout', { entry: ENTRY, schedule, ...make(stack) });
}

/** The policies of a stack with one fanout; ids that depend on its place are `F`. */
export function policiesOf(make: Scenario): TemplatePolicies {
  const stack = testStack();
  const { fanoutId } = fanoutOf(make, stack);
  return new TemplatePolicies(stack, { [fanoutId]: 'F', 'Fanout/ScheduleGroupName': 'Fanout/ScheduleGroup' });
}

/** What is reviewed. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'All defaults': () => ({}),
  'Everything brought': everythingBrought,
  'Encrypted, in a VPC, with secrets and traces': (stack) => ({
    ...OPTIONS.encryptionKey(stack),
    ...OPTIONS.vpc(stack),
    ...OPTIONS.secrets(stack),
    ...OPTIONS.tracing(),
  }),
  'Shared parts, encrypted': (stack) => {
    const { encryptionKey } = OPTIONS.encryptionKey(stack);
    return { shared: new CronFanoutShared(stack, 'Shared', { encryptionKey }), encryptionKey };
  },
  'Everything brought, in a VPC, with secrets': (stack) => ({
    ...everythingBrought(stack),
    ...OPTIONS.vpc(stack),
    secrets: {
      DB: Secret.fromSecretNameV2(stack, 'Secret', 'database'),
      API: new Secret(stack, 'Api', { encryptionKey: new Key(stack, 'ApiKey') }) as ISecret,
    },
  }),
};

function everythingBrought(stack: Stack): Partial<CronFanoutProps> {
  const role = (id: string, service: string): Role =>
    new Role(stack, id, { assumedBy: new ServicePrincipal(`${service}.amazonaws.com`) });
  const key = (id: string): Key => new Key(stack, id);
  const deadLetterQueue = new Queue(stack, 'MyDead', { fifo: true, encryptionMasterKey: key('DeadKey') });
  return {
    queue: new Queue(stack, 'MyQueue', {
      fifo: true,
      encryptionMasterKey: key('QueueKey'),
      visibilityTimeout: Duration.minutes(6),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 550 },
    }),
    failureQueue: new Queue(stack, 'MyFailures', { encryptionMasterKey: key('FailureKey') }),
    stateTable: TableV2.fromTableAttributes(stack, 'MyTable', {
      tableArn: 'arn:aws:dynamodb:eu-central-1:111122223333:table/state',
      encryptionKey: key('TableKey'),
    }),
    scheduleGroup: ScheduleGroup.fromScheduleGroupName(stack, 'MyGroup', 'jobs'),
    scannerRole: role('MyScannerRole', 'lambda'),
    consumerRole: role('MyConsumerRole', 'lambda'),
    scheduleRole: role('MyScheduleRole', 'scheduler'),
  };
}
