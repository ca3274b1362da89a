import { Duration } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Function,
  LoggingFormat,
  Runtime,
  RuntimeFamily,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { CfnFunction, Code, FunctionProps } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { CronFanoutError } from '../../lambda/contract';
import type { ENVIRONMENT } from '../../lambda/contract';
import { refuseWithout } from '../checks';
import { functionEnvironment, secretsVariable } from '../environment';
import type { CronFanoutProps, FunctionOptions } from '../props';
import { createLogGroup } from './log-group';
import { decryptWith, leaveNetworkToLambda, readSecret, useNetwork, writeLogs, writeTraces } from './permissions';
import type { Permission } from './permissions';
import { createRole } from './role';

/** What differs between the two functions of a fanout. */
export interface FunctionPart {
  readonly id: 'Scanner' | 'Consumer';
  readonly description: string;
  readonly code: Code;
  readonly handler: string;
  /** In seconds. */
  readonly timeout: number;
  /** In MiB. */
  readonly memorySize: number;
  /** The role that the user brings, if any. */
  readonly role: IRole | undefined;
  /** What the function may do, besides what both may. */
  readonly permissions: readonly Permission[];
  /** The fanout's own environment variables. */
  readonly own: Readonly<Partial<Record<keyof typeof ENVIRONMENT, string>>>;
  /** Properties that the other function does not have. */
  readonly more?: Partial<FunctionProps>;
}

/**
 * Makes a function with its role and log group. The role stands beside the function, not inside of it, so that a permission that names the function does not make
 * a cycle.
 */
export function createFunction(scope: Construct, props: CronFanoutProps, part: FunctionPart): Function {
  const logGroup = createLogGroup(scope, `${part.id}Logs`, props);
  const { role, policies } = createRole(scope, {
    id: `${part.id}Role`,
    brought: part.role,
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    permissions: [...part.permissions, writeLogs(logGroup), ...permissionsByOptions(props)],
    restrictions: props.vpc === undefined ? [] : [leaveNetworkToLambda(scope)],
  });
  const made = new Function(scope, part.id, {
    description: part.description,
    runtime: runtimeOf(props),
    architecture: props.architecture ?? Architecture.X86_64,
    code: part.code,
    handler: part.handler,
    timeout: Duration.seconds(part.timeout),
    memorySize: part.memorySize,
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    applicationLogLevelV2: props.logLevel ?? ApplicationLogLevel.INFO,
    environment: functionEnvironment(props, { ...part.own, ...secretsVariable(scope, props) }),
    ...(props.encryptionKey === undefined ? {} : { environmentEncryption: props.encryptionKey }),
    ...(props.layers === undefined ? {} : { layers: props.layers }),
    ...network(props),
    ...part.more,
  });
  made.node.defaultChild?.node.addDependency(...policies);
  trace(made, props);
  return made;
}

/** What both functions may do because of an option. */
function permissionsByOptions(props: CronFanoutProps): Permission[] {
  return [
    ...(props.vpc === undefined ? [] : [useNetwork()]),
    ...(isTraced(props) ? [writeTraces()] : []),
    ...(props.encryptionKey === undefined ? [] : [decryptWith(props.encryptionKey)]),
    ...Object.values(props.secrets ?? {}).map(readSecret),
  ];
}

function isTraced({ tracing = Tracing.DISABLED }: FunctionOptions): boolean {
  return tracing !== Tracing.DISABLED;
}

/** On the resource, not by the L2: that would allow all of X-Ray in the policy in which users' own grants stand, where nobody could tell the two apart. */
function trace(made: Function, { tracing = Tracing.DISABLED }: FunctionOptions): void {
  if (tracing !== Tracing.DISABLED) {
    (made.node.defaultChild as CfnFunction).tracingConfig = { mode: tracing };
  }
}

function network(options: FunctionOptions): Partial<FunctionProps> {
  if (options.vpc === undefined) {
    refuseWithout(options, 'vpc', 'vpcSubnets', 'securityGroups');
    return {};
  }
  return {
    vpc: options.vpc,
    ...(options.vpcSubnets === undefined ? {} : { vpcSubnets: options.vpcSubnets }),
    ...(options.securityGroups === undefined ? {} : { securityGroups: options.securityGroups }),
  };
}

/** Oldest Node.js that the bundles run on; they are built for it. */
const OLDEST_NODE = 20;

function runtimeOf({ runtime = Runtime.NODEJS_24_X }: FunctionOptions): Runtime {
  const [, version] = /^nodejs(\d+)\.x$/.exec(runtime.name) ?? [];
  if (runtime.family !== RuntimeFamily.NODEJS || (version !== undefined && Number(version) < OLDEST_NODE)) {
    throw new CronFanoutError('UnsupportedRuntime', {
      what: 'runtime',
      received: runtime.name,
      allowed: `nodejs${OLDEST_NODE}.x or newer`,
      change: 'leave runtime out, or choose Runtime.NODEJS_24_X',
    });
  }
  return runtime;
}
