import { Annotations, AspectPriority, Aspects, CfnResource, Stack } from 'aws-cdk-lib';
import { CfnVPCEndpoint } from 'aws-cdk-lib/aws-ec2';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct, IConstruct } from 'constructs';
import type { FunctionOptions } from './props';

/** A service that the functions of a fanout call, by the name that its endpoint ends in. */
interface Service {
  readonly name: string;
  readonly endpoint: string;
  readonly change: string;
}

const SQS: Service = { name: 'SQS', endpoint: 'sqs', change: 'InterfaceVpcEndpointAwsService.SQS' };
const DYNAMODB: Service = { name: 'DynamoDB', endpoint: 'dynamodb', change: 'GatewayVpcEndpointAwsService.DYNAMODB' };
const LAMBDA: Service = { name: 'Lambda', endpoint: 'lambda', change: 'InterfaceVpcEndpointAwsService.LAMBDA' };
const SECRETS: Service = {
  name: 'Secrets Manager',
  endpoint: 'secretsmanager',
  change: 'InterfaceVpcEndpointAwsService.SECRETS_MANAGER',
};

/** What both functions call by themselves. KMS, CloudWatch and X-Ray are not among it: those are called for them, from outside of the VPC. */
const servicesOf = ({ secrets = {} }: FunctionOptions): readonly Service[] => [
  SQS,
  DYNAMODB,
  LAMBDA,
  ...(Object.keys(secrets).length === 0 ? [] : [SECRETS]),
];

/**
 * Warns, when everything is there, of endpoints that functions in isolated subnets lack: they reach nothing else, and would wait for their timeout.
 *
 * @param fanout the construct that the warning is attached to
 */
export function watchEndpoints(fanout: Construct, options: FunctionOptions): void {
  const { vpc } = options;
  if (vpc === undefined || !isIsolated(vpc, options)) {
    return;
  }
  const visit = (node: IConstruct): void => {
    const missing = node === fanout ? missingServices(fanout, vpc, servicesOf(options)) : [];
    if (missing.length > 0) {
      Annotations.of(fanout).addWarningV2('cron-fanout:isolatedSubnets', messageOf(vpc, missing));
    }
  };
  Aspects.of(fanout).add({ visit }, { priority: AspectPriority.READONLY });
}

function messageOf(vpc: IVpc, missing: readonly Service[]): string {
  const names = missing.map(({ name }) => name).join(', ');
  const changes = missing.map(({ change }) => change).join(', ');
  return `vpc ${vpc.node.path}: the functions are in isolated subnets, from which they reach ${names} by an endpoint of the VPC alone, and this app has none there. Add ${changes} (besides what the jobs call), choose subnets with egress, or acknowledge this if the endpoints are made elsewhere`;
}

/** Whether a function may be put where nothing leads out. Subnets that are not known to be isolated are taken to lead somewhere. */
function isIsolated(vpc: IVpc, { vpcSubnets }: FunctionOptions): boolean {
  const isolated = new Set(vpc.isolatedSubnets.map(({ node }) => node.path));
  return vpc.selectSubnets(vpcSubnets).subnets.some(({ node }) => isolated.has(node.path));
}

/** Services without an endpoint that this app makes in the VPC. */
function missingServices(fanout: Construct, vpc: IVpc, services: readonly Service[]): Service[] {
  const { vpcId } = vpc;
  const there = fanout.node.root.node
    .findAll()
    .filter(isEndpoint)
    .map((node) => endpointOf(node, vpcId));
  return services.filter(({ endpoint }) => !there.includes(endpoint));
}

function isEndpoint(node: IConstruct): node is CfnVPCEndpoint {
  return CfnResource.isCfnResource(node) && node.cfnResourceType === CfnVPCEndpoint.CFN_RESOURCE_TYPE_NAME;
}

/** The last part of an endpoint's service name, if the endpoint is in the VPC and answers under the names that the SDK calls. */
function endpointOf(endpoint: CfnVPCEndpoint, vpcId: string): string | undefined {
  const { serviceName, vpcEndpointType, privateDnsEnabled } = Stack.of(endpoint).resolve({
    serviceName: endpoint.serviceName,
    vpcEndpointType: endpoint.vpcEndpointType,
    privateDnsEnabled: endpoint.privateDnsEnabled,
  }) as Readonly<Record<string, unknown>>;
  const isNamed = vpcEndpointType !== 'Interface' || privateDnsEnabled === true;
  return endpoint.vpcId === vpcId && isNamed
    ? /\.([a-z0-9-]+)"?[\]}]*$/.exec(JSON.stringify(serviceName))?.[1]
    : undefined;
}
