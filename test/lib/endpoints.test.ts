import { Stack, Stage } from 'aws-cdk-lib';
import type { IVpc, SubnetConfiguration } from 'aws-cdk-lib/aws-ec2';
import {
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  InterfaceVpcEndpointService,
  Subnet,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { CronFanout } from '../../lib';
import type { CronFanoutProps } from '../../lib';
import { MINIMAL, testStack, warnings } from './fanout-stack';

const { SQS, LAMBDA, SECRETS_MANAGER } = InterfaceVpcEndpointAwsService;
const { DYNAMODB } = GatewayVpcEndpointAwsService;
const subnets = (...types: SubnetType[]): SubnetConfiguration[] =>
  types.map((subnetType) => ({ name: subnetType, subnetType }));
/** The CDK's classes do not fit its interfaces under exactOptionalPropertyTypes. */
const vpcWith = (stack: Stack, ...types: SubnetType[]): IVpc =>
  new Vpc(stack, 'Vpc', { subnetConfiguration: subnets(...types) }) as IVpc;
const isolated = (stack: Stack): IVpc => vpcWith(stack, SubnetType.PRIVATE_ISOLATED);
const withSecret = (stack: Stack): Partial<CronFanoutProps> => ({
  secrets: { DB: new Secret(stack, 'Database') as ISecret },
});

/** The endpoints that a warning asks for; absent without one. */
function asked(
  vpcOf: (stack: Stack) => IVpc,
  {
    props,
    after,
  }: { props?: (stack: Stack) => Partial<CronFanoutProps>; after?: (vpc: IVpc, stack: Stack) => void } = {},
): string | undefined {
  const stack = testStack({ env: { account: '111122223333', region: 'eu-central-1' } });
  const vpc = vpcOf(stack);
  new CronFanout(stack, 'Reminders', { ...MINIMAL, vpc, ...props?.(stack) });
  after?.(vpc, stack);
  const [warning, ...others] = warnings(stack).filter((text) => text.includes('isolatedSubnets'));
  expect(others).toEqual([]);
  return warning === undefined ? undefined : /they reach (.*) by an endpoint/.exec(warning)?.[1];
}

describe('isolated subnets', () => {
  it('need endpoints for what the functions call, which are named with what makes them', () => {
    expect(asked(isolated)).toBe('SQS, DynamoDB, Lambda');
    expect(asked(isolated, { props: withSecret })).toBe('SQS, DynamoDB, Lambda, Secrets Manager');
    const stack = testStack();
    new CronFanout(stack, 'Reminders', { ...MINIMAL, vpc: isolated(stack) });
    expect(warnings(stack)).toEqual([
      expect.stringMatching(
        /vpc Bookings\/Vpc: .*Add InterfaceVpcEndpointAwsService\.SQS, GatewayVpcEndpointAwsService\.DYNAMODB, InterfaceVpcEndpointAwsService\.LAMBDA .*cron-fanout:isolatedSubnets/,
      ),
    ]);
  });

  it.each<[string, SubnetType[], Partial<CronFanoutProps>, boolean]>([
    ['isolated ones alone', [SubnetType.PRIVATE_ISOLATED], {}, true],
    [
      'isolated ones that are not chosen',
      [SubnetType.PRIVATE_ISOLATED, SubnetType.PRIVATE_WITH_EGRESS, SubnetType.PUBLIC],
      {},
      false,
    ],
    [
      'isolated ones that are chosen',
      [SubnetType.PRIVATE_ISOLATED, SubnetType.PRIVATE_WITH_EGRESS, SubnetType.PUBLIC],
      { vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED } },
      true,
    ],
    ['subnets with egress alone', [SubnetType.PRIVATE_WITH_EGRESS, SubnetType.PUBLIC], {}, false],
  ])('are warned of for %s', (_, types, props, warned) => {
    const vpcOf = (stack: Stack): IVpc => vpcWith(stack, ...types);
    expect(asked(vpcOf, { props: () => props })).toBe(warned ? 'SQS, DynamoDB, Lambda' : undefined);
  });

  it('are not warned of without a vpc, and for subnets that are not known', () => {
    expect(
      asked(isolated, { props: () => ({ vpc: undefined }) as unknown as Partial<CronFanoutProps> }),
    ).toBeUndefined();
    const named = (stack: Stack): Partial<CronFanoutProps> => ({
      vpcSubnets: { subnets: [Subnet.fromSubnetId(stack, 'S', 'subnet-1')] },
    });
    expect(asked(isolated, { props: named })).toBeUndefined();
  });

  it('have what is made in the app, before or after the fanout', () => {
    const vpcOf = (stack: Stack): IVpc => {
      const vpc = isolated(stack);
      vpc.addInterfaceEndpoint('Queues', { service: SQS });
      return vpc;
    };
    expect(asked(vpcOf)).toBe('DynamoDB, Lambda');
    const after = (vpc: IVpc): void => {
      vpc.addGatewayEndpoint('Tables', { service: DYNAMODB });
      vpc.addInterfaceEndpoint('Functions', { service: LAMBDA });
    };
    expect(asked(vpcOf, { after })).toBeUndefined();
    const secrets = (vpc: IVpc): void => {
      after(vpc);
      vpc.addInterfaceEndpoint('Secrets', { service: SECRETS_MANAGER });
    };
    expect(asked(vpcOf, { props: withSecret, after })).toBe('Secrets Manager');
    expect(asked(vpcOf, { props: withSecret, after: secrets })).toBeUndefined();
  });

  it('do not have what is in another VPC, or does not answer under the usual names', () => {
    const other = (_: IVpc, stack: Stack): void => {
      isolated(new Stack(Stage.of(stack), 'Other')).addInterfaceEndpoint('Queues', { service: SQS });
    };
    expect(asked(isolated, { after: other })).toBe('SQS, DynamoDB, Lambda');
    const unnamed = (vpc: IVpc): void => {
      vpc.addInterfaceEndpoint('Queues', { service: SQS, privateDnsEnabled: false });
      const name = 'com.amazonaws.vpce.eu-central-1.vpce-svc-1234';
      vpc.addInterfaceEndpoint('Own', { service: new InterfaceVpcEndpointService(name), privateDnsEnabled: true });
    };
    expect(asked(isolated, { after: unnamed })).toBe('SQS, DynamoDB, Lambda');
  });

  it('of a VPC that was imported are warned of with all that is needed', () => {
    const imported = (stack: Stack): IVpc =>
      Vpc.fromVpcAttributes(stack, 'Vpc', {
        vpcId: 'vpc-1',
        vpcCidrBlock: '10.0.0.0/16',
        availabilityZones: ['eu-central-1a'],
        isolatedSubnetIds: ['subnet-1'],
      });
    expect(asked(imported)).toBe('SQS, DynamoDB, Lambda');
    const queues = (vpc: IVpc): void => {
      vpc.addInterfaceEndpoint('Queues', { service: SQS });
    };
    expect(asked(imported, { after: queues })).toBe('DynamoDB, Lambda');
  });
});
